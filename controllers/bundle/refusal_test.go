// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/bundle"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/engine"
)

// Bundles beyond each bound, and one that is good: that one is active, and the log has one
// short line for each of the others, in which is what to do.
func TestBundlesThatAreTooMuchAreRefusedWithAShortLine(t *testing.T) {
	wrong := "name: " + strings.Repeat("n", 1000) + "\nobservedObj: {apiVersion: wrong.example/v1, kind: Site}\noperation: InterpretHealth\noutput: {healthy: false}\n---\n"
	slow := "name: slow\nobservedObj: {apiVersion: slow.example/v1, kind: Site}\noperation: InterpretHealth\noutput: {healthy: true}\n---\n"
	dir := folder(t, map[string]string{
		"aliases/Site/health.lua":          healthy,
		"aliases/Site/testdata/a.yaml":     "a: &a [" + strings.Repeat("[], ", 1000) + "]\nb: [" + strings.Repeat("*a, ", 60) + "]\n",
		"documents/Site/health.lua":        healthy,
		"documents/Site/testdata/a.yaml":   strings.Repeat("kind: A\n---\n", 1001),
		"links/Site/health.lua":            healthy,
		"slow/Site/health.lua":             "function InterpretHealth(obj) for i = 1, 19000 do end return true end",
		"slow/Site/testdata/a.yaml":        strings.Repeat(slow, 500),
		"wrong/Site/health.lua":            healthy,
		"wrong/Site/testdata/a.yaml":       strings.Repeat(wrong, 900),
		"zgood/Site/health.lua":            healthy,
		"quantity/Site/components.lua":     "function GetComponents(obj) return {} end",
		"quantity/Site/testdata/case.yaml": "name: a\ndesiredObj: {apiVersion: quantity.example/v1, kind: Site}\noperation: InterpretComponent\noutput: {components: [{name: a, replicaRequirements: {resourceRequest: {cpu: 1e999999999}}}]}\n",
	})
	fan(t, filepath.Join(dir, "links", "Site"))
	var entries log
	d, _ := newDeps(t, nil)
	ctx, cancel := context.WithTimeout(ctrl.LoggerInto(t.Context(), entries.logger(t)), time.Minute)
	c := bundle.New(d, bundle.Options{Dir: dir})
	if err := c.Load(ctx); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }() // until all were tried, however slow the machine is
	for entries.decided() < 7 && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	logged := entries.byFolder()
	for name, want := range map[string]string{
		"aliases":   "aliases/Site/testdata/a.yaml:2: too many values: a file may hold at most 50000, those behind an alias counted each time; split it, or use fewer aliases",
		"documents": "documents/Site/testdata/a.yaml:2000: too many documents: at most 1000 are read of a file; split it",
		"links":     "too many entries: at most 2000 files and folders are read of a bundle, those behind a link counted for each link; remove some, or links to folders",
		"quantity":  "quantity/Site/testdata/case.yaml:4: output.components: cpu of resourceRequest: the quantity \"1e999999999\" is out of range",
		"slow":      "slow/bundle.yaml: the trial of bundle slow is over its budget",
		"wrong":     "more problems",
		"zgood":     "activated bundle",
	} {
		if !strings.Contains(logged[name], want) || len(logged[name]) > 4200 {
			t.Errorf("the log of %s has %d bytes: %q; want %q", name, len(logged[name]), logged[name], want)
		}
	}
	for _, e := range entries.entries {
		if _, isInfo := e["level"]; isInfo == (e["msg"] == "refused bundle") {
			t.Errorf("%v: a bundle that is refused is logged as an error, and nothing else is", e)
		}
	}
	if got := entries.decided(); got != 7 {
		t.Errorf("got %d lines in the log; want one for each of 7 bundles", got)
	}
}

// decided returns the number of entries about a bundle that is active or refused.
func (l *log) decided() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, e := range l.entries {
		if e["msg"] == "activated bundle" || e["msg"] == "refused bundle" {
			n++
		}
	}
	return n
}

// fan makes folders of links below a folder, six levels deep and eight wide.
func fan(t *testing.T, dir string) {
	t.Helper()
	for level := range 6 {
		for link := range 8 {
			put(t, dir, fmt.Sprintf("l%d/.keep", level), "")
			if err := os.Symlink(fmt.Sprintf("../l%d", level+1), filepath.Join(dir, fmt.Sprintf("l%d/%d", level, link))); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(t, dir, "l6/.keep", "")
}

// panicking is an engine that has a defect about the kind of one bundle.
type panicking struct {
	activation.Rules
	kind schema.GroupVersionKind
}

// Set panics about rules of the kind.
func (p panicking) Set(layer engine.Layer, source engine.RuleSet) error {
	if source.Kinds[p.kind] != nil {
		panic("a rule like no other")
	}
	return p.Rules.Set(layer, source)
}

// Before, what panicked in the goroutine of the first scan ended the manager, at each start.
func TestABundleThatMeetsADefectDoesNotEndTheManager(t *testing.T) {
	dir := folder(t, map[string]string{"bad/Site/health.lua": healthy, "good/Site/health.lua": healthy})
	var entries log
	d, _ := newDeps(t, func(i *engine.Interpreter) activation.Rules { return panicking{i, siteOf("bad")} })
	c := bundle.New(d, bundle.Options{Dir: dir})
	if err := c.Load(ctrl.LoggerInto(t.Context(), entries.logger(t))); err != nil {
		t.Fatal(err)
	}
	logged := entries.byFolder()
	for name, want := range map[string]string{
		"bad":  "bad: the trial of the bundle stopped by a defect of dragoman: a rule like no other (at refusal_test.go:",
		"good": "activated bundle",
	} {
		if !strings.Contains(logged[name], want) {
			t.Errorf("the log of %s is %q; want %q", name, logged[name], want)
		}
	}
}
