// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// relatedItem is the item of spec.related that the tests change; it begins in line 12 of the
// manifest.
const relatedItem = `    - kinds: [Site]
      operation: state
      apiVersion: backup.example/v1
      kind: Backup
      refersBy: {name: spec.for.name, kind: spec.for.kind}
      where:
        - {field: status.phase, is: Complete}
        - {field: status.path}
      time: status.at
      fields: [status.path]
      most: 3
`

// withRelated is the bundle web with items of spec.related.
func withRelated(items string) map[string]string {
	text := strings.Replace(twoKinds(manifest), "  parameters:\n", "  related:\n"+items+"  parameters:\n", 1)
	return map[string]string{
		"web/bundle.yaml":    text,
		"web/Site/state.lua": "function GetState(o, related) return { n = #related } end",
		"web/Page/state.lua": "function GetState(o, related) return { n = #related } end",
	}
}

func TestRelatedObjectsAreThoseOfTheirKinds(t *testing.T) {
	b, err := newLoader(t).Load(folder(withRelated(relatedItem)), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = b.With(map[string]string{"units": "binary"}); err != nil {
		t.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{})
	if err := i.Set(engine.Installed, b.Source); err != nil {
		t.Fatal(err)
	}
	want := []engine.Related{{
		Kind:   schema.GroupVersionKind{Group: "backup.example", Version: "v1", Kind: "Backup"},
		Refers: engine.Reference{Name: "spec.for.name", Kind: "spec.for.kind"},
		Where:  []engine.FieldCondition{{Field: "status.phase", Is: "Complete"}, {Field: "status.path"}},
		Time:   "status.at", Fields: []string{"status.path"}, Most: 3,
	}}
	for _, kind := range b.Kinds {
		wanted := want
		if kind.Kind == "Page" {
			wanted = nil
		}
		if diff := cmp.Diff(wanted, i.Snapshot().Related(kind, engine.InterpretState)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		if got := i.Snapshot().Related(kind, engine.InterpretHealth); got != nil {
			t.Errorf("%s: health sees %v", kind, got)
		}
	}
}

func TestWrongRelatedObjectsAreRefused(t *testing.T) {
	replaced := func(old, with string) string { return strings.Replace(relatedItem, old, with, 1) }
	for name, tc := range map[string]struct{ items, want string }{
		"an unknown kind":              {replaced("[Site]", "[Sit]"), "web/bundle.yaml:12: spec.related[0].kinds: there is no kind"},
		"no kind":                      {replaced("[Site]", "[]"), "want at least one kind of the bundle"},
		"an operation that sees none":  {replaced("operation: state", "operation: health"), "web/bundle.yaml:13: spec.related[0].operation: health sees no related objects; want state"},
		"an unknown operation":         {replaced("operation: state", "operation: stat"), "did you mean state?"},
		"a version that is none":       {replaced("backup.example/v1", "a/b/c"), "web/bundle.yaml:14: spec.related[0].apiVersion: \"a/b/c\" is no version of an API"},
		"Secrets":                      {replaced("backup.example/v1\n      kind: Backup", "v1\n      kind: Secret"), "Secrets cannot be related objects"},
		"no reference":                 {replaced("{name: spec.for.name, kind: spec.for.kind}", "{}"), "web/bundle.yaml:16: spec.related[0].refersBy: want exactly one of name"},
		"two references":               {replaced("kind: spec.for.kind}", "owner: true}"), "want exactly one of name"},
		"a kind without a name":        {replaced("{name: spec.for.name, kind: spec.for.kind}", "{owner: true, kind: spec.for.kind}"), "kind goes with name"},
		"a label that is none":         {replaced("{name: spec.for.name, kind: spec.for.kind}", "{label: 'a b'}"), "is no key of a label"},
		"a path that is none":          {replaced("[status.path]", "['status..path']"), "web/bundle.yaml:21: spec.related[0].fields[0]: \"status..path\" is no path of a field"},
		"no field":                     {replaced("[status.path]", "[]"), "0 fields; want 1 to 16"},
		"a field that is always there": {replaced("[status.path]", "[metadata]"), "metadata is always there"},
		"a field in another":           {replaced("[status.path]", "[status.path, status]"), "status.path and status are one in the other"},
		"too many objects":             {replaced("most: 3", "most: 51"), "web/bundle.yaml:22: spec.related[0].most: want 1 to 50 objects"},
		"an unknown key":               {replaced("most: 3", "mots: 3"), "did you mean most?"},
		"a missing key":                {replaced("      fields: [status.path]\n", ""), "fields is missing"},
		"one kind twice":               {relatedItem + relatedItem, "web/bundle.yaml:26: spec.related[1].kind: Backup is declared twice for InterpretState of Site"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newLoader(t).Load(folder(withRelated(tc.items)), "web", nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v; want one with %q", err, tc.want)
			}
		})
	}
	files := withRelated(relatedItem)
	delete(files, "web/Site/state.lua")
	_, err := newLoader(t).Load(folder(files), "web", nil)
	if want := "Site has no script for InterpretState, which would see them; write Site/state.lua or remove the kind here"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v; want one with %q", err, want)
	}
}
