// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var pictures = flag.String("pictures", "", "folder to write pictures of the page into")

const (
	program = "../../bin/dragoman"
	engine  = "../../bin/wasm"
)

const object = `apiVersion: web.example/v1
kind: Site
metadata: {name: a}
spec: {size: 2}
status: {phase: Running}
`

const chunk = `function InterpretHealth(obj)
  if obj.status.phase == "Failed" then
    return false
  end
  return obj.status.phase == "Running"
end
`

// serve starts the program, and returns the address that it prints. It is interrupted at the end of
// the test, and must end well.
func serve(t *testing.T) string {
	t.Helper()
	c := exec.Command(program, "playground", "--port", "0")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatalf("%v: make playground-test builds it", err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGINT)
		if err := c.Wait(); err != nil {
			t.Errorf("at an interrupt: %v", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// export writes the page as static files, and serves them as any web server does.
func export(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "site")
	out, err := exec.Command(program, "playground", "--export", folder, "--wasm", engine).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func TestPage(t *testing.T) {
	browser := newBrowser(t)
	for name, start := range map[string]func(*testing.T) string{"served": serve, "static": export} {
		t.Run(name, func(t *testing.T) {
			base := start(t)
			for name, test := range map[string]func(*testing.T, context.Context, string){
				"answers as one types":              types,
				"underlines errors":                 errs,
				"shows coverage and output":         coverage,
				"switches languages":                languages,
				"follows samples":                   samples,
				"edits modules":                     modules,
				"steps through a run":               steps,
				"restores a link":                   link,
				"reports a link that is not one":    wrongLink,
				"can be used by the keyboard":       keyboard,
				"keeps the texts over a reload":     reload,
				"fits the window":                   fits,
				"is shown in light and dark":        looks,
				"shows texts as texts, not as HTML": escapes,
			} {
				t.Run(name, func(t *testing.T) { test(t, browser, base) })
			}
		})
	}
}

func types(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.answers("InterpretReplica", "replica: 3")
	p.answers("InterpretHealth", "healthy: false")
	p.write("#object", object)
	p.write("#script", chunk)
	p.answers("InterpretHealth", "healthy: true")
	if n := get[int](p, `document.querySelectorAll("#answers .answer").length`); n != 1 {
		t.Errorf("%d operations are answered; want one", n)
	}
	if gas := p.text("#answers .gas"); !strings.Contains(gas, "gas") || strings.HasPrefix(gas, "0 ") {
		t.Errorf("the gas is %q", gas)
	}
	p.press("#script", "\nfunction GetReplicas(obj) return obj.spec.size end\n")
	p.answers("InterpretReplica", "replica: 2")
	p.write("#object", strings.Replace(object, "Running", "Failed", 1))
	p.answers("InterpretHealth", "healthy: false")
	p.choose("input[name=format][value=json]", "")
	p.answers("InterpretHealth", `"healthy": false`)
}

func errs(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.write("#object", object)
	p.write("#script", strings.Replace(chunk, `obj.status.phase == "Running"`, `obj.state.phase == "Running"`, 1))
	p.until("the underline", `document.querySelector("#script .cm-lintRange-error")?.textContent === "obj.state"`)
	p.answers("InterpretHealth", "script.lua:5:10")
	if status := p.text("#status"); status != "1 problem" {
		t.Errorf("the status is %q", status)
	}
	p.do("go to the problem", chromedp.Click(chromedp.CSS("#answers button.place")))
	p.until("the line of the problem", `document.querySelector("#script .cm-activeLine").textContent.includes("obj.state")`)
	p.write("#script", "function InterpretHealth(obj)\n  return obj.status.phase != nil\nend")
	p.until("the syntax error", `document.querySelector("#answers > .problem")?.innerText.includes("~=")`)
	p.write("#object", "apiVersion: web.example/v1\nkind: Site\nmetadata: {name: a\n")
	p.until("the error of the object", `document.querySelector("#object .cm-lintRange-error") !== null`)
	p.write("#object", object)
	p.write("#script", chunk)
	p.answers("InterpretHealth", "healthy: true")
	p.until("no underline", `document.querySelector(".cm-lintRange-error") === null`)
}

func coverage(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.write("#object", object)
	p.write("#script", strings.Replace(chunk, "\n", "\n  print(\"the phase\", obj.status.phase)\n", 1))
	p.answers("InterpretHealth", "the phase")
	p.until("the line that did not run", `document.querySelectorAll("#script .cm-coverage .missed").length === 1`)
	if text := p.text("#coverage"); !strings.HasSuffix(text, "lines ran; not 4") {
		t.Errorf("below the script stands %q", text)
	}
}

func languages(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.choose("input[name=language][value=cel]", "")
	p.answers("InterpretHealth", "healthy: true")
	p.choose("#operation", "InterpretReplica")
	p.write("#script", `{"replicas": object.spec.replicas * 2}`)
	p.answers("InterpretReplica", "replica: 6")
	p.write("#script", `{"replicas": object.spec.replicas * oops}`)
	p.until("the underline", `document.querySelector("#script .cm-lintRange-error")?.textContent === "oops"`)
	p.choose("input[name=language][value=lua]", "")
	p.answers("InterpretReplica", "replica: 3")
}

func samples(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.choose("#kind", "flink/FlinkDeployment")
	p.until("the script", `document.querySelector("#file").selectedOptions[0]?.textContent === "flink/lib/health.lua"`)
	p.answers("InterpretHealth", "healthy:")
	p.choose("#sample-operation", "Retain")
	p.until("the script", `document.querySelector("#file").selectedOptions[0]?.textContent === "flink/lib/progress.lua"`)
	p.answers("Retain", "whole object")
	if !get[bool](p, `document.querySelector("#arguments-pane").open`) {
		t.Error("the observed object of the case is not shown")
	}
	p.keep("sample", run(p, "take a picture", chromedp.CaptureScreenshot()))
	p.choose("#kind", "kubernetes/Deployment")
	p.until("the script", `document.querySelector("#file").selectedOptions[0]?.textContent === "kubernetes/Deployment/health.lua"`)
	p.answers("InterpretHealth", "healthy:")
	p.write("#script", "local observed = require(\"lib.observed\")\nfunction InterpretHealth(obj)\n  return observed(7)\nend\n")
	p.until("the error at the call of the module", `document.querySelector("#script .cm-lintRange-error") !== null`)
	p.answers("InterpretHealth", "kubernetes/lib/observed.lua")
}

func modules(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.choose("#kind", "kubernetes/Deployment")
	p.until("the module", `[...document.querySelector("#file").options].some((o) => o.value === "lib/observed.lua")`)
	p.answers("InterpretHealth", "healthy: true")
	p.choose("#file", "lib/observed.lua")
	p.until("the text of the module", `document.querySelector("#script .cm-content").innerText.includes("observedGeneration")`)
	p.until("the lines that ran", `document.querySelector("#script .cm-coverage .ran") !== null`)
	p.write("#script", "return function(obj)\n  return false\nend\n")
	p.answers("InterpretHealth", "healthy: false")
	p.write("#script", "return function(obj)\n  return obj.missing.field\nend\n")
	p.until("the underline", `document.querySelector("#script .cm-lintRange-error")?.textContent === "obj.missing"`)
	p.choose("#file", "Deployment/health.lua")
	p.until("the script", `document.querySelector("#script .cm-content").innerText.includes("InterpretHealth")`)
	p.until("no underline", `document.querySelector("#script .cm-lintRange-error") === null`)
	p.do("go to the problem", chromedp.Click(chromedp.CSS("#answers button.place")))
	p.until("the module", `document.querySelector("#script .cm-lintRange-error")?.textContent === "obj.missing"`)
	p.do("share", chromedp.Click(chromedp.CSS("#share")))
	p.until("the link", `location.hash.startsWith("#1.")`)
	other := open(t, browser, base, get[string](p, "location.hash"))
	other.answers("InterpretHealth", "kubernetes/lib/observed.lua:2:10")
	other.choose("#file", "lib/observed.lua")
	other.until("the underline", `document.querySelector("#script .cm-lintRange-error")?.textContent === "obj.missing"`)
}

func steps(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.write("#object", object)
	p.write("#script", chunk)
	p.answers("InterpretHealth", "healthy: true")
	p.do("trace", chromedp.Click(chromedp.CSS("#answers button.trace")))
	for i, line := range []string{"function InterpretHealth", "function InterpretHealth", "if obj.status.phase", "return obj.status.phase =="} {
		if i > 0 {
			p.do("step on", chromedp.Click(chromedp.CSS(`#answers button[aria-label="step on"]`)))
		}
		p.answers("InterpretHealth", fmt.Sprintf("%d of 4", i+1))
		p.until(line, fmt.Sprintf(`document.querySelector("#script .cm-step")?.textContent.includes(%q)`, line))
	}
	p.answers("InterpretHealth", "→ true")
	p.keep("trace", run(p, "take a picture", chromedp.CaptureScreenshot()))
	p.write("#object", strings.Replace(object, "Running", "Failed", 1))
	p.until("another way", `document.querySelector("#script .cm-step")?.textContent.includes("return false")`)
	p.do("end the trace", chromedp.Click(chromedp.CSS("#answers button.trace")))
	p.until("no step", `document.querySelector("#script .cm-step") === null`)
}

func link(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	script := strings.ReplaceAll(chunk, "Running", "Läuft 😀")
	p.write("#object", strings.ReplaceAll(object, "Running", "Läuft 😀"))
	p.write("#script", script)
	p.answers("InterpretHealth", "healthy: true")
	p.do("share", chromedp.Click(chromedp.CSS("#share")))
	p.until("the link", `location.hash.startsWith("#1.")`)
	other := open(t, browser, base, get[string](p, "location.hash"))
	other.answers("InterpretHealth", "healthy: true")
	if text := get[string](other, `document.querySelector("#script .cm-content").innerText`); !strings.Contains(text, "Läuft 😀") {
		t.Errorf("the script is %q", text)
	}
	other.choose("#kind", "kubernetes/Deployment")
	other.answers("InterpretHealth", "healthy:")
	other.until("the script", `document.querySelector("#file").selectedOptions[0]?.textContent === "kubernetes/Deployment/health.lua"`)
	before := get[string](other, "location.hash")
	other.do("share", chromedp.Click(chromedp.CSS("#share")))
	other.until("another link", `location.hash !== `+"`"+before+"`")
	third := open(t, browser, base, get[string](other, "location.hash"))
	third.until("the file of the bundle", `document.querySelector("#file").selectedOptions[0]?.textContent === "kubernetes/Deployment/health.lua"`)
	third.answers("InterpretHealth", "healthy:")
}

func wrongLink(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "#1.AAAA")
	p.until("the message", `document.querySelector("#status").textContent.startsWith("The link cannot be read")`)
}

func keyboard(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.do("leave the script", chromedp.Focus(chromedp.CSS("#script .cm-content")), chromedp.KeyEvent(kb.Tab))
	if get[bool](p, `document.querySelector("#script").contains(document.activeElement)`) {
		t.Error("Tab does not leave the editor")
	}
	unnamed := get[[]string](p, `[...document.querySelectorAll("button, select, input, [contenteditable=true]")]
		.filter((e) => !(e.labels?.length && [...e.labels].some((l) => l.textContent.trim())) && !e.textContent.trim() && !e.getAttribute("aria-labelledby") && !e.getAttribute("aria-label"))
		.map((e) => e.outerHTML)`)
	if len(unnamed) > 0 {
		t.Errorf("without a name: %q", unnamed)
	}
}

func reload(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.write("#object", object)
	p.write("#script", chunk)
	p.answers("InterpretHealth", "healthy: true")
	p.until("one answer", `document.querySelectorAll("#answers .answer").length === 1`)
	p.do("reload", chromedp.Reload())
	p.until("the texts", `document.querySelector("#object .cm-content")?.innerText.includes("web.example")`)
	p.answers("InterpretHealth", "healthy: true")
}

func fits(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	if over := get[float64](p, `Math.max(document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight)`); over > 0 {
		t.Errorf("the page is %v pixels larger than the window", over)
	}
	p.do("make the window narrow", chromedp.EmulateViewport(480, 800))
	if over := get[float64](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("the page is %v pixels wider than a narrow window", over)
	}
	p.keep("narrow", run(p, "take a picture", chromedp.CaptureScreenshot()))
}

func escapes(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.write("#object", strings.Replace(object, "Running", `"<img src=x onerror=alert(1)>"`, 1))
	p.write("#script", "function ReflectStatus(obj) print(obj.status.phase) return obj.status end")
	p.answers("InterpretStatus", "<img src=x")
	if get[bool](p, `document.querySelector("img") !== null`) {
		t.Error("a text of the object became an element")
	}
}

// broken is a script with several answers, one of them an error.
const broken = `function GetReplicas(obj)
  return obj.spec.replicas, kube.accuratePodRequirements(obj.spec.template)
end

function ReviseReplica(obj, n)
  obj.spec.replicas = n
  return obj
end

function InterpretHealth(obj)
  local available = kube.get(obj, "status.availableReplicas", 0)
  print(available .. " of " .. obj.spec.replicas .. " are available")
  if available == 0 then
    return false
  end
  return available >= obj.spec.replicas - obj.spec.strategy.maxUnavailable
end
`

// keep writes a picture, if pictures are wanted.
func (p *tab) keep(name string, picture []byte) {
	p.Helper()
	if *pictures == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), picture, 0o644); err != nil {
		p.Fatal(err)
	}
}

// looks checks that the page follows the scheme of the system, and takes pictures.
func looks(t *testing.T, browser context.Context, base string) {
	p := open(t, browser, base, "")
	p.write("#script", broken)
	p.answers("InterpretHealth", "nil value")
	p.until("the underline", `document.querySelector("#script .cm-lintRange-error") !== null`)
	colors := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
			t.Fatal(err)
		}
		picture := run(p, "take a picture", chromedp.CaptureScreenshot())
		colors[scheme] = get[string](p, `getComputedStyle(document.body).backgroundColor`)
		p.keep(scheme, picture)
	}
	if colors["light"] == colors["dark"] {
		t.Errorf("the page is %s in light and dark", colors["light"])
	}
}
