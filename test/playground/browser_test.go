// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long the page may take for one step; the engine as WebAssembly takes seconds to
// start on a busy machine.
const patience = 90 * time.Second

// newBrowser starts a browser that ends with the test.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("no chromium is on the path: install the package chromium of Debian or Ubuntu")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 800),
		chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

// tab is a tab of the browser with the page.
type tab struct {
	*testing.T
	ctx context.Context

	mu   sync.Mutex
	seen []string
}

// open opens the page in a tab of its own. What the page logs as an error, and each request to
// another place, fails the test.
func open(t *testing.T, browser context.Context, base, fragment string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &tab{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) { p.watch(event, base) })
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, line := range p.seen {
			t.Error(line)
		}
	})
	p.do("open the page", chromedp.EmulateViewport(1280, 800), network.Enable(), chromedp.Navigate(base+fragment))
	p.until("the first answer", `document.querySelector("#answers .answer, #answers .problem") !== null`)
	return p
}

// watch keeps what must not happen.
func (p *tab) watch(event any, base string) {
	line := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		line = "the page threw " + e.ExceptionDetails.Error()
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			line = "the browser logged " + e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, base) && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") {
			line = "the page asked for " + url
		}
	}
	if line != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.seen = append(p.seen, line)
	}
}

// do runs actions, and ends the test where one fails.
func (p *tab) do(what string, actions ...chromedp.Action) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		p.Fatalf("%s: %v", what, err)
	}
}

// until waits until an expression is true, and ends the test with what the page shows if that does
// not happen.
func (p *tab) until(what, expression string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(patience)))
	if err == nil {
		return
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, chromedp.ErrPollingTimeout) {
		p.Fatalf("%s did not come; the page shows\n%s", what, p.text("body"))
	}
	p.Fatalf("%s: %v", what, err)
}

// get returns the value of an expression.
func get[T any](p *tab, expression string) T {
	p.Helper()
	var value T
	p.do(expression, chromedp.Evaluate(expression, &value))
	return value
}

// text returns what the element of a selector shows.
func (p *tab) text(selector string) string {
	p.Helper()
	return get[string](p, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? "(no %s)"`, selector, selector))
}

// write replaces the text of an editor as if it was pasted.
func (p *tab) write(editor, text string) {
	p.Helper()
	p.do("write into "+editor,
		chromedp.Focus(editor+" .cm-content", chromedp.ByQuery),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(input.ModifierCtrl)),
		input.InsertText(text))
}

// press presses keys at the end of an editor.
func (p *tab) press(editor, keys string) {
	p.Helper()
	p.do("press keys in "+editor,
		chromedp.Focus(editor+" .cm-content", chromedp.ByQuery),
		chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(input.ModifierCtrl)),
		chromedp.KeyEvent(keys))
}

// choose chooses an option of a select or a radio button.
func (p *tab) choose(selector, value string) {
	p.Helper()
	p.do("choose "+value, chromedp.Evaluate(fmt.Sprintf(`{
		const chosen = document.querySelector(%q);
		if (chosen.type === "radio") { chosen.click(); } else {
			chosen.value = %q;
			if (chosen.value !== %q) { throw new Error("no option " + %q); }
			chosen.dispatchEvent(new Event("change", {bubbles: true}));
		}
	}`, selector, value, value, value), nil))
}

// answers waits until an operation has an answer that contains a text.
func (p *tab) answers(operation, text string) {
	p.Helper()
	p.until(operation+" with "+text, fmt.Sprintf(`document.querySelector('[data-operation="%s"]')?.innerText.includes(%q)`, operation, text))
}
