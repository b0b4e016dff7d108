// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/script"
)

func TestCompileMakesARuleSetOfBothLanguages(t *testing.T) {
	set, err := newCompiler(t).Compile("site", siteKind,
		Script{Operation: InterpretReplica, Text: "function GetReplicas(o) return o.spec.pages * params.factor end", Params: map[string]any{"factor": int64(2)}},
		Script{Operation: InterpretHealth, Text: "object.spec.pages > 1", Expression: true},
	)
	if err != nil {
		t.Fatal(err)
	}
	i := NewInterpreter(Options{})
	if err := i.Set(Embedded, set); err != nil {
		t.Fatal(err)
	}
	object := site(map[string]any{"pages": int64(2)})
	if got, err := i.Snapshot().Replicas(object); err != nil || got.Count != 4 {
		t.Errorf("got %d replicas, error %v; want 4", got.Count, err)
	}
	if got, err := i.Snapshot().Health(object); err != nil || got != workv1alpha2.ResourceHealthy {
		t.Errorf("got %s, error %v; want Healthy", got, err)
	}
	if got := i.Snapshot().Origin(siteKind, InterpretHealth); got != "site" {
		t.Errorf("got the origin %q; want site", got)
	}
	_, err = i.Snapshot().Replicas(site(nil))
	if want := "InterpretReplica by site: site/replicas.lua:1:"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got error %v; want one that begins with %s", err, want)
	}
}

func TestCompileAnswersByAFunctionOfAModule(t *testing.T) {
	set, err := newCompiler(t).Compile("site", siteKind, Script{
		Operation: InterpretReplica, Module: "lib.count", Function: "pages",
		Text: "local m = {} function m.pages(o) return o.spec.pages end return m",
	})
	if err != nil {
		t.Fatal(err)
	}
	i := NewInterpreter(Options{})
	set.Name = "renamed"
	if err := i.Set(Embedded, set); err != nil {
		t.Fatal(err)
	}
	if got, err := i.Snapshot().Replicas(site(map[string]any{"pages": int64(3)})); err != nil || got.Count != 3 {
		t.Errorf("got %d replicas, error %v; want 3", got.Count, err)
	}
}

func TestCompileIsAllOrNothing(t *testing.T) {
	good := Script{Operation: InterpretHealth, Text: "function InterpretHealth(o) return true end"}
	tests := map[string]struct {
		kind    schema.GroupVersionKind
		scripts []Script
		want    []string
		code    script.Code
	}{
		"two broken scripts": {siteKind, []Script{
			good,
			{Operation: InterpretReplica, Text: "function GetReplicas(o"},
			{Operation: InterpretStatus, Text: "object.", Expression: true},
		}, []string{"site/replicas.lua:1", "site/status.cel:1"}, script.Syntax},
		"a run that does not end": {
			siteKind,
			[]Script{{Operation: InterpretHealth, Text: "function InterpretHealth(o) while true do end end"}},
			[]string{"a run on an empty Site failed: site/health.lua:1"},
			script.Gas,
		},
		"a file of its own":    {siteKind, []Script{{File: "mine.lua", Operation: InterpretHealth, Text: "x ="}}, []string{"mine.lua:1"}, script.Syntax},
		"an unknown operation": {siteKind, []Script{{Operation: "InterpretHelth", Text: "x"}}, []string{"did you mean InterpretHealth?"}, ""},
		"one operation twice":  {siteKind, []Script{good, good}, []string{"rules of site: there are two scripts for InterpretHealth"}, ""},
		"a bare module":        {siteKind, []Script{{Operation: InterpretHealth, Module: "lib.a", Text: "return {}"}}, []string{"site/health.lua: a module without a function"}, ""},
		"an expression module": {siteKind, []Script{{Operation: InterpretHealth, Module: "lib.a", Text: "true", Expression: true}}, []string{"site/health.cel: a module without a function"}, ""},
		"a kind without name":  {schema.GroupVersionKind{Version: "v1"}, []Script{good}, []string{"a kind must have a version and a name"}, ""},
	}
	for name, tc := range tests {
		set, err := newCompiler(t).Compile("site", tc.kind, tc.scripts...)
		if err == nil || set.Kinds != nil {
			t.Errorf("%s: got %v, error %v; want an error and no rules", name, set, err)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %v; want one with %q", name, err, want)
			}
		}
		var failure *script.Error
		if errors.As(err, &failure) != (tc.code != "") || failure != nil && failure.Code != tc.code {
			t.Errorf("%s: got %+v; want a script.Error with the code %q", name, failure, tc.code)
		}
	}
}
