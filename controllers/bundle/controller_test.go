// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/bundle"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/scripts"
	"github.com/dragoman-io/dragoman/test/fixture"
)

const (
	healthy = "function InterpretHealth(obj) return true end\n"
	broken  = "function InterpretHealth(obj) return true end end\n"
)

func TestBundlesOfAFolderAreActiveAfterLoadAndFollowIt(t *testing.T) {
	dir := folder(t, map[string]string{
		"good/Site/health.lua":           healthy,
		"broken/Site/health.lua":         broken,
		"wrong/Site/health.lua":          healthy,
		"wrong/Site/testdata/first.yaml": "name: it is not healthy\ndesiredObj: {apiVersion: wrong.example/v1, kind: Site}\noperation: InterpretHealth\noutput: {healthy: false}\n",
	})
	var entries log
	ctx, cancel := context.WithCancel(ctrl.LoggerInto(t.Context(), entries.logger(t)))
	defer cancel()
	d, _ := newDeps(t, nil)
	c := bundle.New(d, bundle.Options{Embedded: scripts.FS, Dir: dir})
	if err := c.Load(ctx); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"good": "bundle good", "broken": "bundle generic", "wrong": "bundle generic"} {
		if got := d.Interpreter.Snapshot().Origin(siteOf(name), engine.InterpretHealth); got != want {
			t.Errorf("the health of %s comes from %q; want %q", name, got, want)
		}
	}
	logged := entries.byFolder()
	for name, want := range map[string]string{
		"good": "activated bundle", "broken": "broken/Site/health.lua:1", "wrong": "wrong/Site/testdata/first.yaml:1: it is not healthy: healthy: want false, got true",
	} {
		if !strings.Contains(logged[name], want) {
			t.Errorf("the log of %s is %q; want %q", name, logged[name], want)
		}
	}

	changed := make(chan schema.GroupVersionKind, 100)
	d.Changes.Listen(func(kind schema.GroupVersionKind, _ []engine.Op) { changed <- kind })
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	put(t, dir, "broken/Site/health.lua", healthy)
	select {
	case kind := <-changed:
		if kind != siteOf("broken") || d.Interpreter.Snapshot().Origin(kind, engine.InterpretHealth) != "bundle broken" {
			t.Errorf("the controllers are notified of %v; want %v, whose rules are active by now", kind, siteOf("broken"))
		}
	case <-time.After(time.Minute):
		t.Errorf("the bundle that was mended did not become active; the log: %v", entries.byFolder())
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// impatient asks for the health of a kind as soon as the engine has its rules.
type impatient struct {
	*engine.Interpreter
	t *testing.T
}

func (i impatient) Set(layer engine.Layer, source engine.RuleSet) error {
	if err := i.Interpreter.Set(layer, source); err != nil {
		return err
	}
	for kind := range source.Kinds {
		if _, err := i.Snapshot().Health(fixture.Object(kind, "", "o", nil)); err != nil {
			i.t.Error(err)
		}
	}
	return nil
}

// held is an engine that does not take the rules of a folder before it is released.
type held struct {
	*engine.Interpreter
	release chan struct{}
}

func (h held) Set(layer engine.Layer, source engine.RuleSet) error {
	if layer == engine.Installed {
		<-h.release
	}
	return h.Interpreter.Set(layer, source)
}

func TestABundleThatTakesLongDoesNotHoldUpTheStart(t *testing.T) {
	dir, release := folder(t, map[string]string{"slow/Site/health.lua": healthy}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, _ := newDeps(t, func(i *engine.Interpreter) activation.Rules { return held{i, release} })
	c := bundle.New(d, bundle.Options{Embedded: scripts.FS, Dir: dir})
	if err := c.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	deployments := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	if got := d.Interpreter.Snapshot().Origin(deployments, engine.InterpretHealth); got != "bundle kubernetes" {
		t.Errorf("the health of Deployments comes from %q; want the embedded bundle, which waits for nothing", got)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if err := c.Wait(ended); err != nil {
		t.Errorf("got error %v; want none, and what is left becomes active later", err)
	}
	changed := make(chan schema.GroupVersionKind, 100)
	d.Changes.Listen(func(kind schema.GroupVersionKind, _ []engine.Op) { changed <- kind })
	stopped := make(chan error, 1)
	go func() { stopped <- c.Start(ctx) }()
	close(release)
	if kind := <-changed; kind != siteOf("slow") {
		t.Errorf("the controllers are notified of %v; want %v", kind, siteOf("slow"))
	}
	cancel()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestRunsOfBundlesAreCountedFromTheFirst(t *testing.T) {
	dir := folder(t, map[string]string{"web/Site/health.lua": healthy})
	d, registry := newDeps(t, func(i *engine.Interpreter) activation.Rules { return impatient{i, t} })
	if err := bundle.New(d, bundle.Options{Dir: dir}).Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := evaluations(t, registry); got != 1 {
		t.Errorf("%v runs were counted, want 1", got)
	}
}

// evaluations returns how many runs were counted.
func evaluations(t *testing.T, r *prometheus.Registry) float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		if f.GetName() == "dragoman_interpreter_evaluations_total" {
			for _, m := range f.GetMetric() {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	return sum
}

func TestBundlesOfAFolderTakeParameters(t *testing.T) {
	dir := folder(t, map[string]string{"web/Site/health.lua": "function InterpretHealth(obj) return params.units == 'binary' end\n"})
	d, _ := newDeps(t, nil)
	c := bundle.New(d, bundle.Options{Embedded: scripts.FS, Dir: dir, Parameters: map[string]string{"web.units": "binary"}})
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if health, err := d.Interpreter.Snapshot().Health(fixture.Object(siteOf("web"), "", "o", nil)); err != nil || health != "Healthy" {
		t.Errorf("got health %q, error %v; want Healthy, as with units=binary", health, err)
	}
}

func TestAFolderOfBundlesMustBeThere(t *testing.T) {
	d, _ := newDeps(t, nil)
	if err := bundle.New(d, bundle.Options{Dir: "/nonexistent"}).Load(t.Context()); err == nil || !strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("got error %v; want one that names the folder", err)
	}
}
