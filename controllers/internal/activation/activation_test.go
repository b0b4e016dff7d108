// SPDX-License-Identifier: Apache-2.0

package activation

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// busyEngine is an engine that others ask all the time: it runs the rules of each rule set as
// soon as it has it, and as long as it has it. It records what was put in and taken out.
type busyEngine struct {
	observer *Observer
	has      map[string]engine.RuleSet
	log      []string
	// refused is the error of each rule set that is put in; nil refuses none.
	refused error
}

func (b *busyEngine) Set(_ engine.Layer, source engine.RuleSet) error {
	if b.refused != nil {
		return b.refused
	}
	b.has[source.Name] = source
	b.log = append(b.log, "set "+source.Name)
	b.run()
	return nil
}

func (b *busyEngine) Remove(_ engine.Layer, name string) {
	b.run()
	delete(b.has, name)
	b.log = append(b.log, "remove "+name)
}

// Fits refuses what Set does.
func (b *busyEngine) Fits(engine.Layer, string, int64) error { return b.refused }

// ProgramMemory counts a rule set as a byte.
func (b *busyEngine) ProgramMemory() (used, bound int64) { return int64(len(b.has)), 9 }

func (b *busyEngine) run() {
	for _, source := range b.has {
		for kind, rules := range source.Kinds {
			for operation, rule := range rules {
				b.observer.Observe(engine.Run{Operation: operation, Kind: kind, Rule: rule, Err: errors.New("broken")})
			}
		}
	}
}

// newBusy returns an activator of a busy engine. Changes are recorded with what is put
// in and taken out.
func newBusy(t *testing.T) (*Activator, *busyEngine, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	observer, err := NewObserver(registry)
	if err != nil {
		t.Fatal(err)
	}
	b := &busyEngine{observer: observer, has: map[string]engine.RuleSet{}}
	changes := &rulechange.Changes{}
	changes.Listen(func(kind schema.GroupVersionKind, _ []engine.Op) { b.log = append(b.log, "changed "+kind.Kind) })
	return New(b, observer, changes), b, registry
}

// replace activates a rule set that the engine does not refuse.
func replace(t *testing.T, a *Activator, layer engine.Layer, before, after engine.RuleSet, revision string) {
	t.Helper()
	if err := a.Replace(layer, before, after, revision); err != nil {
		t.Error(err)
	}
}

// named returns a rule set with a rule for the health of Deployments.
// program is none that runs.
type program struct{ script.Program }

func (program) Size() int64 { return 0 }

func named(name string) engine.RuleSet {
	s := healthy(&engine.Rule{Customization: name, Program: program{}})
	s.Name = name
	return s
}

func TestRunsAreRecordedAsSoonAsTheEngineHasTheRules(t *testing.T) {
	for _, layer := range []engine.Layer{engine.Customizations, engine.Installed, engine.Embedded, engine.Derived} {
		t.Run(layers[layer], func(t *testing.T) {
			a, _, registry := newBusy(t)
			replace(t, a, layer, engine.RuleSet{}, named("c"), "1")
			serves(t, registry, "evaluations_total", "Deployment.apps "+layers[layer]+" InterpretHealth 1")
			if failed, want := a.Failure("c") != nil, layer == engine.Customizations; failed != want {
				t.Errorf("the failure is recorded: %t, want %t", failed, want)
			}
			a.Remove(layer, named("c"))
			serves(t, registry, "evaluations_total")
			if err := a.Failure("c"); err != nil {
				t.Errorf("a failure of rules that are gone: %v", err)
			}
		})
	}
}

func TestActivationNotifiesOfChangesLast(t *testing.T) {
	a, b, registry := newBusy(t)
	one, again, other := named("one"), named("one"), named("other")
	replace(t, a, engine.Installed, engine.RuleSet{}, one, "1")
	replace(t, a, engine.Installed, one, again, "2")
	replace(t, a, engine.Installed, again, other, "3")
	a.Remove(engine.Installed, other)
	want := []string{"set one", "changed Deployment", "set one", "set other", "remove one", "remove other", "changed Deployment"}
	if diff := cmp.Diff(want, b.log); diff != "" {
		t.Errorf("what happens in which order; rules with the same program change nothing (-want +got):\n%s", diff)
	}
	serves(t, registry, "active_revision")
	serves(t, registry, "sources_total", "installed activated 3", "installed removed 2")
}

func TestActivatorWithoutMetricsAndListeners(t *testing.T) {
	interpreter := engine.NewInterpreter(engine.Options{})
	a := New(interpreter, &Observer{}, nil)
	replace(t, a, engine.Embedded, engine.RuleSet{}, named("c"), "1")
	a.Refused(engine.Embedded)
	if !interpreter.Snapshot().Supports(deployments, engine.InterpretHealth) {
		t.Error("the engine does not have the rules")
	}
	a.Remove(engine.Embedded, named("c"))
	if interpreter.Snapshot().Supports(deployments, engine.InterpretHealth) {
		t.Error("the engine still has the rules")
	}
}

func TestOnFailure(t *testing.T) {
	a, _, _ := newBusy(t)
	var names []string
	a.OnFailure(func(name string) { names = append(names, name) })
	replace(t, a, engine.Customizations, engine.RuleSet{}, named("c"), "1")
	replace(t, a, engine.Customizations, engine.RuleSet{}, named("d"), "1")
	if !slices.Equal(names, []string{"c", "d"}) {
		t.Errorf("got %v, want c and d, each once", names)
	}
}

func TestARuleSetThatIsRefusedLeavesTheOneBefore(t *testing.T) {
	a, b, registry := newBusy(t)
	one := named("c")
	replace(t, a, engine.Customizations, engine.RuleSet{}, one, "1")
	failure := a.Failure("c")
	b.log, b.refused = nil, errors.New("refused")
	for _, next := range []engine.RuleSet{named("c"), named("d")} {
		if err := a.Replace(engine.Customizations, one, next, "2"); !errors.Is(err, b.refused) {
			t.Errorf("got %v, want that of the engine", err)
		}
	}
	if len(b.log) > 0 {
		t.Errorf("what is active did not change, but for %v", b.log)
	}
	if a.Failure("c") != failure || a.Failure("d") != nil {
		t.Errorf("got failures %v of c and %v of d, want that of c alone", a.Failure("c"), a.Failure("d"))
	}
	serves(t, registry, "active_revision", "customization c 1 1")
	serves(t, registry, "sources_total", "customization activated 1")
	b.run()
	serves(t, registry, "evaluations_total", "Deployment.apps customization InterpretHealth 2")
}
