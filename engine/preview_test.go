// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// previewKind is a kind that scripts are about here.
var previewKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Site"}

func TestPreview(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	compiled := func(name, answer string) engine.RuleSet {
		s, err := c.Compile(name, previewKind, engine.Script{Operation: engine.InterpretHealth, Text: "function InterpretHealth(o) return " + answer + " end"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Site"}}
	answer := func(s engine.Snapshot) string {
		health, err := s.Health(object)
		if err != nil {
			return err.Error()
		}
		return string(health)
	}
	observed, runs := 0, 0
	i := engine.NewInterpreter(engine.Options{Observe: func(engine.Run) { observed++ }})
	old, other := compiled("old", "true"), compiled("new", "false")
	if err := i.Set(engine.Installed, old); err != nil {
		t.Fatal(err)
	}
	count := func(engine.Run) { runs++ }
	for name, tc := range map[string]struct {
		layer  engine.Layer
		before string
		set    *engine.RuleSet
		want   string
	}{
		"Replaced":           {engine.Installed, "old", &other, "Unhealthy"},
		"Gone":               {engine.Installed, "old", nil, engine.ErrNoRule.Error()},
		"Unchanged":          {engine.Installed, "", nil, "Healthy"},
		"BehindTheFirst":     {engine.Installed, "", func() *engine.RuleSet { s := other; s.Name = "z"; return &s }(), "Healthy"},
		"BehindAnotherLayer": {engine.Embedded, "", &other, "Healthy"},
		"BeforeTheLayer":     {engine.Customizations, "", &other, "Unhealthy"},
	} {
		t.Run(name, func(t *testing.T) {
			s, kinds, err := i.Preview(tc.layer, tc.before, tc.set, count)
			if err != nil {
				t.Fatal(err)
			}
			if want := min(1, len(tc.before)); tc.set == nil && len(kinds) != want {
				t.Errorf("the kinds are %v, want %d", kinds, want)
			}
			if got := answer(s); got != tc.want {
				t.Errorf("the preview answers %s, want %s", got, tc.want)
			}
			if got := answer(i.Snapshot()); got != "Healthy" {
				t.Errorf("the interpreter answers %s by now; a preview must not change it", got)
			}
		})
	}
	if runs != 5 || observed != 6 {
		t.Errorf("the observer of previews saw %d runs, want 5; that of the interpreter %d, want 6", runs, observed)
	}
	if _, _, err := i.Preview(engine.Installed, "", &engine.RuleSet{Name: "bad", Kinds: map[schema.GroupVersionKind]engine.Rules{previewKind: {"Nonsense": {}}}}, count); err == nil {
		t.Error("rules for an operation that does not exist must be refused")
	}
}
