// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// filledIn returns a Site as an API server hands it out: with a selector that it made.
func filledIn() *unstructured.Unstructured {
	return site(m{"pages": int64(3), "selector": m{"uid": "u1", "app": "web"}, "ttl": int64(5), "list": l{int64(1)}, "none": nil})
}

func TestPruneRemoves(t *testing.T) {
	want := m{"pages": int64(3), "selector": m{"app": "web"}, "list": l{int64(1)}, "none": nil}
	compat := m{"pages": int64(3), "selector": m{"app": "web"}, "list": l{int64(1)}}
	const lua = "function PruneTemplate(t) t.spec.selector.uid = nil t.spec.ttl = nil return t end"
	for name, c := range map[string]struct {
		rule *Rule
		want m
	}{
		"Lua":           {luaRule(t, PruneTemplate, lua), want},
		"the published": {published(luaRule(t, PruneTemplate, lua)), compat},
		"a merge patch": {celRule(t, PruneTemplate, `{"spec": {"selector": {"uid": null}, "ttl": null}}`), want},
		"paths":         {celRule(t, PruneTemplate, `["/spec/selector/uid", "/spec/ttl", "/spec/gone", "/gone/a", "/spec/none/a"]`), want},
	} {
		t.Run(name, func(t *testing.T) {
			object := filledIn()
			got, err := answering(PruneTemplate, c.rule).Snapshot().Prune(object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(site(c.want).Object, got.Object); diff != "" {
				t.Errorf("pruned (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(filledIn().Object, object.Object); diff != "" {
				t.Errorf("the template itself changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPruneOfNothingIsTheTemplate(t *testing.T) {
	for name, rule := range map[string]*Rule{
		"Lua":      luaRule(t, PruneTemplate, "function PruneTemplate(t) t.spec.gone = nil return t end"),
		"no patch": celRule(t, PruneTemplate, "{}"),
		"no paths": celRule(t, PruneTemplate, "[]"),
		"paths":    celRule(t, PruneTemplate, `["/spec/gone", "/metadata/gone/a"]`),
	} {
		object := filledIn()
		if got, err := answering(PruneTemplate, rule).Snapshot().Prune(object); err != nil || got != object {
			t.Errorf("%s: got %v, error %v; want the input itself", name, got, err)
		}
	}
}

func TestPrunePathsThatAreRefused(t *testing.T) {
	for paths, want := range map[string]string{
		`["spec"]`:               "paths[0]: want a JSON pointer such as",
		`["/spec/ttl", 1]`:       "paths[1]: want a JSON pointer such as",
		`["/spec/list/0"]`:       "paths[0]: /spec/list/0: the path goes through a value that is not a map",
		`["/spec/pages/a"]`:      "paths[0]: /spec/pages/a: the path goes through a value that is not a map",
		`["/kind"]`:              "object.kind: the script removed it",
		`["/metadata/name"]`:     "object.metadata.name: the script removed it",
		`["/metadata"]`:          "object.metadata.namespace: the script removed it",
		`["/apiVersion", "/xx"]`: "object.apiVersion: the script removed it",
	} {
		_, err := answering(PruneTemplate, celRule(t, PruneTemplate, paths)).Snapshot().Prune(filledIn())
		t.Run(paths, func(t *testing.T) { expectResultError(t, err, "site.cel", want) })
	}
}

func TestPruneWithoutARule(t *testing.T) {
	if _, err := NewInterpreter(Options{}).Snapshot().Prune(filledIn()); !errors.Is(err, ErrNoRule) {
		t.Errorf("got error %v; want ErrNoRule", err)
	}
}
