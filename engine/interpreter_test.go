// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// counting answers GetReplicas with a constant.
func counting(t testing.TB, source string) *Rule {
	return luaRule(t, InterpretReplica, "function GetReplicas(o) return "+source+" end")
}

func TestLowerLayerAnswers(t *testing.T) {
	i := NewInterpreter(Options{})
	expect := func(want int32) {
		t.Helper()
		got, err := i.Snapshot().Replicas(site(nil))
		if err != nil || got.Count != want {
			t.Errorf("got %d, error %v; want %d", got.Count, err, want)
		}
	}
	set(i, Embedded, sourceOf("a", InterpretReplica, counting(t, "3")))
	expect(3)
	set(i, Customizations, sourceOf("z", InterpretReplica, counting(t, "1")))
	set(i, Installed, sourceOf("a", InterpretReplica, counting(t, "2")))
	expect(1)
	i.Remove(Customizations, "z")
	expect(2)
	i.Remove(Customizations, "z")
	i.Remove(Installed, "a")
	expect(3)
	i.Remove(Embedded, "a")
	if _, err := i.Snapshot().Replicas(site(nil)); !errors.Is(err, ErrNoRule) {
		t.Errorf("got error %v; want ErrNoRule", err)
	}
}

func TestEachOperationFallsThroughOnItsOwn(t *testing.T) {
	i := answering(InterpretReplica, counting(t, "3"))
	set(i, Customizations, sourceOf("c", InterpretHealth, luaRule(t, InterpretHealth, "function InterpretHealth(o) return false end")))
	replicas, err := i.Snapshot().Replicas(site(nil))
	if err != nil || replicas.Count != 3 {
		t.Errorf("got %d replicas, error %v; want 3 of the bundle", replicas.Count, err)
	}
	if health, err := i.Snapshot().Health(site(nil)); err != nil || health != workv1alpha2.ResourceUnhealthy {
		t.Errorf("got %s, error %v; want Unhealthy of the customization", health, err)
	}
}

func TestAnErrorIsFinal(t *testing.T) {
	i := answering(InterpretReplica, counting(t, "3"))
	set(i, Customizations, sourceOf("c", InterpretReplica, counting(t, "o.spec.pages.all")))
	_, err := i.Snapshot().Replicas(site(nil))
	if err == nil || !strings.Contains(err.Error(), "site.lua:1") {
		t.Errorf("got error %v; want that of the customization, with its line", err)
	}
}

// Of several customizations of one kind the first by name that has the operation
// answers.
func TestCustomizationsAnswerByName(t *testing.T) {
	i := NewInterpreter(Options{})
	set(i, Customizations, sourceOf("c", InterpretReplica, counting(t, "3")))
	set(i, Customizations, sourceOf("b", InterpretReplica, counting(t, "2")))
	set(i, Customizations, sourceOf("a", InterpretHealth, luaRule(t, InterpretHealth, "function InterpretHealth(o) return true end")))
	if got, err := i.Snapshot().Replicas(site(nil)); err != nil || got.Count != 2 {
		t.Errorf("got %d, error %v; want 2 of b, since a has no script for it", got.Count, err)
	}
	set(i, Customizations, sourceOf("b", InterpretHealth, luaRule(t, InterpretHealth, "function InterpretHealth(o) return true end")))
	if got, err := i.Snapshot().Replicas(site(nil)); err != nil || got.Count != 3 {
		t.Errorf("got %d, error %v; want 3 of c, since b lost its script", got.Count, err)
	}
}

func TestASourceThatChangesItsKindLeavesTheOldOne(t *testing.T) {
	i := NewInterpreter(Options{})
	set(i, Customizations, sourceOf("a", InterpretReplica, counting(t, "1")))
	moved := schema.GroupVersionKind{Version: "v1", Kind: "Page"}
	set(i, Customizations, RuleSet{Name: "a", Kinds: map[schema.GroupVersionKind]Rules{moved: {InterpretReplica: counting(t, "2")}}})
	if i.Snapshot().Supports(siteKind, InterpretReplica) {
		t.Error("the old kind still has the rule")
	}
	page := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Page"}}
	if got, err := i.Snapshot().Replicas(page); err != nil || got.Count != 2 {
		t.Errorf("got %d, error %v; want 2 for the new kind", got.Count, err)
	}
}

// depending answers GetDependencies with a list.
func depending(t *testing.T, list string) *Rule {
	return luaRule(t, InterpretDependency, "function GetDependencies(o) return "+list+" end")
}

func TestDependenciesUnite(t *testing.T) {
	i := NewInterpreter(Options{})
	set(i, Customizations, sourceOf("b", InterpretDependency, depending(t, `{
	  {apiVersion = "v1", kind = "Secret", namespace = "web", name = "key"},
	  {apiVersion = "v1", kind = "ConfigMap", namespace = "web", name = "z"},
	  {apiVersion = "v1", kind = "ConfigMap", namespace = "web", name = "z"},
	  {apiVersion = "v1", kind = "ConfigMap", labelSelector = {matchLabels = {a = "1", b = "2"}}},
	}`)))
	set(i, Customizations, sourceOf("a", InterpretDependency, depending(t, `{
	  {apiVersion = "v1", kind = "ConfigMap", namespace = "web", name = "z"},
	  {apiVersion = "v1", kind = "ConfigMap", namespace = "app", name = "a"},
	  {apiVersion = "v1", kind = "ConfigMap", labelSelector = {matchLabels = {b = "2", a = "1"}}},
	}`)))
	set(i, Embedded, sourceOf("c", InterpretDependency, depending(t, `{{apiVersion = "v1", kind = "Pod", name = "of a lower layer"}}`)))
	references, err := i.Snapshot().Dependencies(site(nil))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range references {
		got = append(got, r.Kind+" "+r.Namespace+"/"+r.Name)
	}
	if diff := cmp.Diff([]string{"ConfigMap /", "ConfigMap app/a", "ConfigMap web/z", "Secret web/key"}, got); diff != "" {
		t.Errorf("want all of the layer once and sorted (-want +got):\n%s", diff)
	}
}

func TestEachOfSeveralDependencyScriptsIsChecked(t *testing.T) {
	i := NewInterpreter(Options{})
	set(i, Customizations, sourceOf("a", InterpretDependency, depending(t, `{{apiVersion = "v1", kind = "Secret", name = "key"}}`)))
	set(i, Customizations, sourceOf("b", InterpretDependency, depending(t, `{{apiVersion = "v1", kind = "Secret"}}`)))
	references, err := i.Snapshot().Dependencies(site(nil))
	if err == nil || references != nil || !strings.Contains(err.Error(), "dependencies[0]") {
		t.Errorf("got %v, error %v; want the error of b", references, err)
	}
}

func TestAViewStays(t *testing.T) {
	i := answering(InterpretReplica, counting(t, "1"))
	view := i.Snapshot()
	set(i, Embedded, sourceOf("site", InterpretReplica, counting(t, "2")))
	set(i, Embedded, sourceOf("more", InterpretHealth, luaRule(t, InterpretHealth, "function InterpretHealth(o) return true end")))
	if got, err := view.Replicas(site(nil)); err != nil || got.Count != 1 {
		t.Errorf("got %d, error %v; want 1, as when the view was taken", got.Count, err)
	}
	if view.Supports(siteKind, InterpretHealth) {
		t.Error("the view has a rule that came after it")
	}
	if got, err := i.Snapshot().Replicas(site(nil)); err != nil || got.Count != 2 {
		t.Errorf("got %d, error %v; want 2 of now", got.Count, err)
	}
}

func TestObserveIsToldOfEachRun(t *testing.T) {
	var runs []Run
	i := NewInterpreter(Options{Observe: func(r Run) { runs = append(runs, r) }})
	rule := counting(t, "o.spec.pages")
	set(i, Embedded, sourceOf("site", InterpretReplica, rule))
	_, _ = i.Snapshot().Replicas(site(map[string]any{"pages": int64(2)}))
	_, err := i.Snapshot().Replicas(site(map[string]any{"pages": "many"}))
	if len(runs) != 2 {
		t.Fatalf("got %d runs; want 2", len(runs))
	}
	for k, r := range runs {
		if r.Rule != rule || r.Kind != siteKind || r.Operation != InterpretReplica || r.Usage.Gas == 0 || r.Duration <= 0 {
			t.Errorf("run %d: got %+v", k, r)
		}
	}
	if runs[0].Err != nil || !errors.Is(runs[1].Err, err) {
		t.Errorf("got errors %v and %v; want none and %v", runs[0].Err, runs[1].Err, err)
	}
}
