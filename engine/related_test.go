// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/script"
)

var backupKind = schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Backup"}

// backups are declared for sites.
func backups(change func(*Related)) Related {
	r := Related{
		Kind: backupKind, Refers: Reference{Name: "spec.for.name", Kind: "spec.for.kind"},
		Where: []FieldCondition{{Field: "status.phase", Is: "Complete"}, {Field: "status.path"}},
		Time:  "status.at", Fields: []string{"status.path"}, Most: 10,
	}
	if change != nil {
		change(&r)
	}
	return r
}

// backup is a complete backup of the site home, with changes.
func backup(name string, changes ...func(o *unstructured.Unstructured)) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1", "kind": "Backup", "metadata": map[string]any{"namespace": "web", "name": name, "creationTimestamp": "2026-01-02T00:00:00Z"},
		"spec":   map[string]any{"for": map[string]any{"kind": "Site", "name": "home"}},
		"status": map[string]any{"phase": "Complete", "path": "s3://" + name, "secret": "not kept"},
	}}
	for _, f := range changes {
		f(o)
	}
	return o
}

func with(value any, path ...string) func(o *unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		if value == nil {
			unstructured.RemoveNestedField(o.Object, path...)
			return
		}
		if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
			panic(err)
		}
	}
}

// home is the site that the backups are of.
func home() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1", "kind": "Site", "metadata": map[string]any{"namespace": "web", "name": "home", "creationTimestamp": "2026-01-01T00:00:00Z"},
	}}
}

func TestWhichObjectsAreRelated(t *testing.T) {
	owned := []any{map[string]any{"apiVersion": "web.example/v1", "kind": "Site", "name": "home", "uid": "1"}}
	for name, tc := range map[string]struct {
		change  func(*Related)
		objects []*unstructured.Unstructured
		want    string
	}{
		"the newest first, by the declared time": {nil, []*unstructured.Unstructured{
			backup("old", with("2026-01-03T00:00:00Z", "status", "at")), backup("new", with("2026-01-04T00:00:00.5Z", "status", "at")),
			backup("millis", with(int64(1767571200000), "status", "at")), // 2026-01-05
		}, "millis new old"},
		"a missing or wrong time is that of the creation": {nil, []*unstructured.Unstructured{
			backup("wrong", with("today", "status", "at"), with("2026-01-06T00:00:00Z", "metadata", "creationTimestamp")), backup("b"),
			backup("later", with("2026-01-05T00:00:00Z", "status", "at")),
		}, "wrong later b"},
		"those of one time by name, from the last":  {nil, []*unstructured.Unstructured{backup("a"), backup("c"), backup("b")}, "c b a"},
		"no more than declared, the newest ones":    {func(r *Related) { r.Most = 2 }, []*unstructured.Unstructured{backup("a"), backup("c"), backup("b")}, "c b"},
		"another workload":                          {nil, []*unstructured.Unstructured{backup("a", with("other", "spec", "for", "name"))}, ""},
		"another kind of workload":                  {nil, []*unstructured.Unstructured{backup("a", with("Page", "spec", "for", "kind"))}, ""},
		"no kind where one is declared":             {nil, []*unstructured.Unstructured{backup("a", with(nil, "spec", "for", "kind"))}, ""},
		"a kind that is not looked at":              {func(r *Related) { r.Refers.Kind = "" }, []*unstructured.Unstructured{backup("a", with("Page", "spec", "for", "kind"))}, "a"},
		"another namespace":                         {nil, []*unstructured.Unstructured{backup("a", with("other", "metadata", "namespace"))}, ""},
		"a condition that does not hold":            {nil, []*unstructured.Unstructured{backup("a", with("Running", "status", "phase"))}, ""},
		"a field that is empty":                     {nil, []*unstructured.Unstructured{backup("a", with("", "status", "path"))}, ""},
		"a field that is missing":                   {nil, []*unstructured.Unstructured{backup("a", with(nil, "status", "path"))}, ""},
		"a field that is a map where a text is due": {nil, []*unstructured.Unstructured{backup("a", with(map[string]any{}, "status", "phase"))}, ""},
		"one that is older than the workload":       {nil, []*unstructured.Unstructured{backup("a", with("2025-12-31T00:00:00Z", "metadata", "creationTimestamp"))}, ""},
		"an owner": {
			func(r *Related) { r.Refers = Reference{Owner: true} },
			[]*unstructured.Unstructured{backup("a"), backup("b", with(owned, "metadata", "ownerReferences"))},
			"b",
		},
		"a label": {
			func(r *Related) { r.Refers = Reference{Label: "site"} },
			[]*unstructured.Unstructured{backup("a"), backup("b", with(map[string]any{"site": "home"}, "metadata", "labels"))},
			"b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := backups(tc.change)
			var read []RelatedObject
			for _, o := range tc.objects {
				read = append(read, r.Read(o))
			}
			var got []string
			for _, v := range RelatedValues(r.Select(home(), read)) {
				got = append(got, v.(map[string]any)["metadata"].(map[string]any)["name"].(string))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("got %q; want %q", got, tc.want)
			}
		})
	}
}

func TestWhatIsKeptOfARelatedObject(t *testing.T) {
	r := backups(func(r *Related) { r.Fields = []string{"spec.large", "status.path", "spec.small", "spec.missing"} })
	o := backup("a", with(strings.Repeat("x", MaxRelatedBytes), "spec", "large"), with([]any{int64(1)}, "spec", "small"))
	before := o.DeepCopy()
	want := map[string]any{
		"apiVersion": "web.example/v1", "kind": "Backup", "time": int64(1767312000000),
		"metadata": map[string]any{"namespace": "web", "name": "a", "creationTimestamp": "2026-01-02T00:00:00Z"},
		"status":   map[string]any{"path": "s3://a"}, "spec": map[string]any{"small": []any{int64(1)}},
	}
	if diff := cmp.Diff(want, r.Read(o).Value); diff != "" {
		t.Errorf("the identity, and the fields that fit (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, o); diff != "" {
		t.Errorf("the object itself changed:\n%s", diff)
	}
}

// stateful returns an interpreter with a script for the state of sites.
func stateful(t *testing.T, text string, expression bool) *Interpreter {
	t.Helper()
	set, err := newCompiler(t).Compile("site", siteKind, Script{Operation: InterpretState, Text: text, Expression: expression})
	if err != nil {
		t.Fatal(err)
	}
	set.Kinds[siteKind][InterpretState].Related = []Related{backups(nil)}
	i := NewInterpreter(Options{})
	if err := i.Set(Embedded, set); err != nil {
		t.Fatal(err)
	}
	return i
}

func TestScriptsSeeRelatedObjects(t *testing.T) {
	for name, tc := range map[string]struct {
		text       string
		expression bool
		none       map[string]string
	}{
		"Lua": {"function GetState(o, related) return { n = #related, path = related[1] and related[1].status.path } end", false, map[string]string{"n": "0"}},
		"CEL": {`{"n": size(related), "path": size(related) > 0 ? related[0].status.path : "none"}`, true, map[string]string{"n": "0", "path": "none"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := stateful(t, tc.text, tc.expression).Snapshot()
			object := home()
			object.SetAPIVersion(siteKind.GroupVersion().String())
			object.SetKind(siteKind.Kind)
			answer, err := v.Evaluate(Request{Operation: InterpretState, Object: object, Related: []*unstructured.Unstructured{
				backup("a", with(siteKind.Kind, "spec", "for", "kind")), backup("b", with(siteKind.Kind, "spec", "for", "kind")), backup("other", with("x", "spec", "for", "name")),
			}})
			if diff := cmp.Diff([]any{map[string]string{"n": "2", "path": "s3://b"}}, answer); err != nil || diff != "" {
				t.Errorf("got error %v, state (-want +got):\n%s", err, diff)
			}
			got, err := v.State(object)
			if diff := cmp.Diff(tc.none, got); err != nil || diff != "" {
				t.Errorf("without objects: got error %v, state (-want +got):\n%s", err, diff)
			}
			_, err = v.Evaluate(Request{Operation: InterpretState, Object: object, Related: []*unstructured.Unstructured{site(nil)}})
			if want := "related[0] is a " + siteKind.GroupVersion().String(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("an object of a kind that is not declared: got error %v; want one with %q", err, want)
			}
		})
	}
}

// A script of the form before there were related objects has one parameter.
func TestScriptsNeedNotTakeRelatedObjects(t *testing.T) {
	v := stateful(t, "function GetState(o) return { name = o.metadata.name } end", false).Snapshot()
	got, err := v.State(site(nil), backups(nil).value(t))
	if err != nil || len(got) != 1 {
		t.Errorf("got %v, error %v", got, err)
	}
}

func (r Related) value(t *testing.T) map[string]any {
	t.Helper()
	return r.Read(backup("a")).Value
}

// What is given to a script beside its object is paid before it runs.
func TestRelatedObjectsArePaid(t *testing.T) {
	v := stateful(t, "function GetState(o) return {} end", false).Snapshot()
	var many []any
	for k := range 300_000 {
		many = append(many, map[string]any{"path": fmt.Sprint("s3://", k), "n": int64(k), "list": []any{int64(1), int64(2), int64(3)}})
	}
	_, err := v.State(site(nil), many...)
	var failure *script.Error
	if !errors.As(err, &failure) || failure.Code != script.Gas {
		t.Errorf("got error %v; want one of code Gas", err)
	}
	if _, err := v.State(site(nil), "a text"); err == nil || !strings.Contains(err.Error(), "related[0]: want a map, got a string") {
		t.Errorf("got error %v; want one that names the value", err)
	}
}

func TestHealthKnowsOfFailover(t *testing.T) {
	for name, s := range map[string]Script{
		"Lua": {Text: "function InterpretHealth(o, failover) return not failover end"},
		"CEL": {Text: "!failover", Expression: true},
	} {
		s.Operation = InterpretHealth
		set, err := newCompiler(t).Compile("site", siteKind, s)
		if err != nil {
			t.Fatal(name, err)
		}
		i := NewInterpreter(Options{})
		if err := i.Set(Embedded, set); err != nil {
			t.Fatal(err)
		}
		if got, err := i.Snapshot().Health(site(nil)); got != workv1alpha2.ResourceHealthy {
			t.Errorf("%s: got %s, error %v; want Healthy without failover", name, got, err)
		}
		if got, _, err := i.Snapshot().HealthReason(site(nil), true); got != workv1alpha2.ResourceUnhealthy {
			t.Errorf("%s: got %s, error %v; want Unhealthy with failover", name, got, err)
		}
	}
}
