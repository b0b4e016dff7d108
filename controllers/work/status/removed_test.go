// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestObserve(t *testing.T) {
	kind := schema.GroupVersionKind{Version: "v1", Kind: "Run"}
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	program, err := compiler.Lua(engine.Script{File: "finished.lua", Operation: engine.InterpretFinished, Text: "function IsFinished(o) return o.done end"})
	if err != nil {
		t.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{})
	if err := i.Set(engine.Embedded, engine.RuleSet{Name: "spec", Kinds: map[schema.GroupVersionKind]engine.Rules{
		kind: {engine.InterpretFinished: {Program: program}},
	}}); err != nil {
		t.Fatal(err)
	}
	waiting := engine.NewInterpreter(engine.Options{})
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = kind.ToAPIVersionAndKind()
	cr.Spec.Customizations.FinishedInterpretation = &configv1alpha1.Script{LuaScript: "x"}
	if err := waiting.Set(engine.Customizations, engine.Pending(cr)); err != nil {
		t.Fatal(err)
	}
	run := func(done bool) *unstructured.Unstructured {
		return fixture.Object(kind, "space", "one", map[string]any{"done": done})
	}
	work := types.NamespacedName{Namespace: "karmada-es-a", Name: "w"}
	cases := map[string]struct {
		reason string
		events []member.Event
		wakes  bool // the last event enqueues the Work
		holds  bool
		// pending reports that the script is not compiled yet.
		pending bool
	}{
		"Changed":        {reason: "a change has something to reflect", events: []member.Event{{New: run(false)}}, wakes: true, holds: false},
		"RemovedRunning": {reason: "an object that was removed while it ran has not", events: []member.Event{{Old: run(false)}}, wakes: false, holds: false},
		"RemovedAtEnd":   {reason: "one that ended has, until it is written", events: []member.Event{{Old: run(true)}}, wakes: true, holds: true},
		"Again":          {reason: "what ended before does not count for an object that runs", events: []member.Event{{Old: run(true)}, {New: run(false)}, {Old: run(false)}}, wakes: false, holds: false},
		"RemovedPending": {reason: "one of which nobody knows is kept", events: []member.Event{{Old: run(false)}}, wakes: true, holds: true, pending: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := New(base.Deps{Interpreter: i})
			if tc.pending {
				c = New(base.Deps{Interpreter: waiting})
			}
			wakes := false
			for _, e := range tc.events {
				e.Work = work
				wakes = c.observe(e)
			}
			if _, holds := c.removed.get(work, run(false)); holds != tc.holds || wakes != tc.wakes {
				t.Errorf("%s: holds %t, wakes %t; want %t, %t", tc.reason, holds, wakes, tc.holds, tc.wakes)
			}
		})
	}
}

// A deletion that comes while the status from before it is written must not be lost.
func TestDoneForgetsOnlyWhatWasWritten(t *testing.T) {
	kind := schema.GroupVersionKind{Version: "v1", Kind: "Run"}
	work := types.NamespacedName{Namespace: "karmada-es-a", Name: "w"}
	first, second := fixture.Object(kind, "space", "one", nil), fixture.Object(kind, "space", "one", nil)
	var r removed
	r.set(work, first)
	r.set(work, second)
	r.done(work, first)
	if got, ok := r.get(work, first); !ok || got != second {
		t.Errorf("got %p, %t; want the object that was removed last, %p", got, ok, second)
	}
	r.done(work, second)
	if _, ok := r.get(work, first); ok || r.last.Owners() > 0 {
		t.Error("what was written is still held")
	}
}
