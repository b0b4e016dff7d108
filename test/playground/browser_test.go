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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long the page may take for one step; the engine as WebAssembly takes seconds to
// start on a busy machine.
const patience = 30 * time.Second

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
	if err := chromedp.Do(ctx); err != nil {
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
	if err := chromedp.Listen(ctx, func(event any) { p.watch(event, base) }); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, line := range p.seen {
			t.Error(line)
		}
	})
	p.do("open the page", chromedp.EmulateViewport(1280, 800), chromedp.Navigate(base+fragment))
	p.until("the first answer", `document.querySelector("#answers .answer, #answers .problem") !== null`)
	return p
}

// watch keeps what must not happen.
func (p *tab) watch(event any, base string) {
	line := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		line = "the page threw " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			line += " " + e.ExceptionDetails.Exception.Description
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
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
func (p *tab) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.Fatalf("%s: %v", what, err)
	}
}

// until waits until an expression is true, and ends the test with what the page shows if that does
// not happen.
func (p *tab) until(what, expression string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience)))
	if err == nil {
		return
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, chromedp.ErrPollingTimeout) {
		p.Fatalf("%s did not come; the page shows\n%s", what, p.text("body"))
	}
	p.Fatalf("%s: %v", what, err)
}

// run runs an action, and returns its value.
func run[T any](p *tab, what string, action chromedp.Action[T]) T {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		p.Fatalf("%s: %v", what, err)
	}
	return value
}

// get returns the value of an expression.
func get[T any](p *tab, expression string) T {
	p.Helper()
	return run(p, expression, chromedp.Evaluate[T](expression))
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
		chromedp.Focus(chromedp.CSS(editor+" .cm-content")),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
			return chromedp.Void{}, err
		})
}

// press presses keys at the end of an editor.
func (p *tab) press(editor, keys string) {
	p.Helper()
	p.do("press keys in "+editor,
		chromedp.Focus(chromedp.CSS(editor+" .cm-content")),
		chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.KeyEvent(keys))
}

// choose chooses an option of a select or a radio button.
func (p *tab) choose(selector, value string) {
	p.Helper()
	get[bool](p, fmt.Sprintf(`{
		const chosen = document.querySelector(%q);
		if (chosen.type === "radio") { chosen.click(); } else {
			chosen.value = %q;
			if (chosen.value !== %q) { throw new Error("no option " + %q); }
			chosen.dispatchEvent(new Event("change", {bubbles: true}));
		}
		true;
	}`, selector, value, value, value))
}

// answers waits until an operation has an answer that contains a text.
func (p *tab) answers(operation, text string) {
	p.Helper()
	p.until(operation+" with "+text, fmt.Sprintf(`document.querySelector('[data-operation="%s"]')?.innerText.includes(%q)`, operation, text))
}
