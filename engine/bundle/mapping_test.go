// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

const siteModule = `local site = {}

function site.health(...)
  return select("#", ...) == 2 and (...).spec.up and params.units == "si"
end

function site.aggregate(obj, items)
  obj.status = { clusters = #items }
  return obj
end

return site
`

// mappings is the manifest with two kinds and a mapping of operations for both.
const mappings = manifest + `  operations:
    - kinds: [Site, Page]
      functions:
        health: lib.site.health
        aggregate: lib.site.aggregate
`

// mapped is the bundle web whose manifest names functions for both of its kinds.
func mapped(changes map[string]string) map[string]string {
	files := map[string]string{
		"web/bundle.yaml": twoKinds(mappings), "web/Site/health.lua": "",
		"web/Site/status.lua": "function ReflectStatus(o) return o.status end", "web/lib/site.lua": siteModule,
	}
	for name, text := range changes {
		files[name] = text
	}
	return files
}

func twoKinds(text string) string {
	return strings.Replace(text, "  parameters:\n", "    - {group: web.example, versions: [v1], kind: Page}\n  parameters:\n", 1)
}

func TestFunctionsOfModulesAnswerOperations(t *testing.T) {
	b, err := newLoader(t).Load(folder(mapped(nil)), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{})
	i.Set(engine.Installed, b.Source)
	for _, apiVersion := range []string{"web.example/v1", "web.example/v2"} {
		for _, kind := range []string{"Site", "Page"} {
			object := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": apiVersion, "kind": kind, "spec": map[string]any{"up": true},
			}}
			if kind == "Page" && apiVersion == "web.example/v2" {
				continue
			}
			health, err := i.Snapshot().Health(object)
			if err != nil || health != "Healthy" {
				t.Errorf("%s %s: got health %v, error %v; want Healthy", apiVersion, kind, health, err)
			}
			whole, err := i.Snapshot().Aggregate(object, []any{map[string]any{"clusterName": "a"}, map[string]any{"clusterName": "b"}})
			if err != nil {
				t.Fatal(err)
			}
			if n, _, _ := unstructured.NestedInt64(whole.Object, "status", "clusters"); n != 2 {
				t.Errorf("%s %s: got status %v; want 2 clusters", apiVersion, kind, whole.Object["status"])
			}
		}
	}
}

func TestFunctionsOfOneModuleShareItsProgram(t *testing.T) {
	b, err := newLoader(t).Load(folder(mapped(nil)), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	var programs []script.Program
	for _, rules := range b.Source.Kinds {
		for _, operation := range []engine.Op{engine.InterpretHealth, engine.AggregateStatus} {
			if p := rules[operation].Program; !slices.Contains(programs, p) {
				programs = append(programs, p)
			}
		}
	}
	if len(programs) != 1 {
		t.Errorf("got %d programs for two functions of a module; want one", len(programs))
	}
}

// A run of a named function costs less than one of a file that forwards to it.
func TestNamedFunctionCostsLess(t *testing.T) {
	forward := "local site = require('lib.site')\nfunction InterpretHealth(obj) return site.health(obj) end"
	var gas []int64
	for _, files := range []map[string]string{mapped(nil), {"web/Site/health.lua": forward, "web/lib/site.lua": siteModule}} {
		b, err := newLoader(t).Load(folder(files), "web", nil)
		if err != nil {
			t.Fatal(err)
		}
		i := engine.NewInterpreter(engine.Options{Observe: func(r engine.Run) { gas = append(gas, r.Usage.Gas) }})
		i.Set(engine.Installed, b.Source)
		object := map[string]any{"apiVersion": "web.example/v1", "kind": "Site", "spec": map[string]any{"up": true}}
		if _, err := i.Snapshot().Health(&unstructured.Unstructured{Object: object}); err != nil {
			t.Fatal(err)
		}
	}
	if len(gas) != 2 || gas[0] >= gas[1] {
		t.Errorf("got gas %v of the named function and the file; want the first to be less", gas)
	}
}

func TestErrorsOfNamedFunctionsNameTheModule(t *testing.T) {
	module := strings.Replace(siteModule, "#items", "#items + nil", 1)
	b, err := newLoader(t).Load(folder(mapped(map[string]string{"web/lib/site.lua": module})), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{})
	i.Set(engine.Installed, b.Source)
	object := func() *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "web.example/v1", "kind": "Page"}}
	}
	_, err = i.Snapshot().Aggregate(object(), nil)
	if err == nil || !strings.Contains(err.Error(), "web/lib/site.lua:8:") {
		t.Errorf("got error %v; want one at web/lib/site.lua:8", err)
	}
	if _, err = i.Snapshot().Health(object()); err == nil || !strings.Contains(err.Error(), "web/lib/site.lua:4:") {
		t.Errorf("got error %v; want one at web/lib/site.lua:4", err)
	}
}

func TestCoverageCountsNamedFunctions(t *testing.T) {
	l := newLoader(t)
	l.Coverage = script.NewCoverage()
	if _, err := l.Load(folder(mapped(nil)), "web", nil); err != nil {
		t.Fatal(err)
	}
	if files := l.Coverage.Files(); !slices.Contains(files, "web/lib/site.lua") {
		t.Errorf("got lines of %v; want those of web/lib/site.lua too", files)
	}
}

func TestScriptTellsWhereTheAnswerStands(t *testing.T) {
	b, err := newLoader(t).Load(folder(mapped(map[string]string{"web/Page/revise.cel": "{'spec': {'replicas': replicas}}"})), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range engine.Operations() {
		want := map[engine.Op]script.Position{
			engine.InterpretHealth: {File: "web/bundle.yaml", Line: 22},
			engine.AggregateStatus: {File: "web/bundle.yaml", Line: 23},
			engine.ReviseReplica:   {File: "web/Page/revise.cel"},
		}[op.Name]
		if want.File == "" {
			continue
		}
		for _, kind := range b.Kinds {
			if kind.Kind == "Page" {
				if got := b.Script(kind, op); got != want {
					t.Errorf("%s: got %v; want %v", op.Name, got, want)
				}
			}
		}
	}
}

func TestMappingsAreStrict(t *testing.T) {
	replaced := func(old, text string) map[string]string {
		return map[string]string{"web/bundle.yaml": strings.Replace(twoKinds(mappings), old, text, 1)}
	}
	for name, c := range map[string]struct {
		changes map[string]string
		want    []string
	}{
		"an unknown operation": {
			replaced("aggregate: lib", "agregate: lib"),
			[]string{`web/bundle.yaml:23: spec.operations[0].functions.agregate: there is no operation "agregate"; did you mean aggregate?`},
		},
		"a function without a module": {
			replaced("lib.site.health", "site.health"),
			[]string{`web/bundle.yaml:22: spec.operations[0].functions.health: "site.health" is no function of a module; want lib.<module>.<function>`},
		},
		"no text": {
			replaced("lib.site.health", "[lib.site.health]"),
			[]string{"web/bundle.yaml:22: spec.operations[0].functions.health: want a string, got a list"},
		},
		"an unknown module": {
			replaced("lib.site.health", "lib.sites.health"),
			[]string{`web/bundle.yaml:22: spec.operations[0].functions.health: there is no module "lib.sites"; did you mean lib.site?`},
		},
		"an unknown function": {
			replaced("lib.site.health", "lib.site.helth"),
			[]string{`web/bundle.yaml:22: spec.operations[0].functions.health: module lib.site: there is no function "helth"; did you mean health?`},
		},
		"an unknown kind": {
			replaced("kinds: [Site, Page]", "kinds: [Site, Pages]"),
			[]string{
				`web/bundle.yaml:20: spec.operations[0].kinds: there is no kind "Pages"; did you mean Page?`,
				"web/bundle.yaml: kind Page has no folder",
			},
		},
		"no kinds": {
			replaced("kinds: [Site, Page]", "kinds: []"),
			[]string{"web/bundle.yaml:20: spec.operations[0]: want at least one kind and one function"},
		},
		"an unknown key": {
			replaced("kinds: [Site, Page]", "kind: Site"),
			[]string{`web/bundle.yaml:20: spec.operations[0]: there is no key "kind"; did you mean kinds?`},
		},
		"a file and a mapping": {
			map[string]string{"web/Site/health.lua": health},
			[]string{"web/bundle.yaml:22: spec.operations[0].functions.health: Site/health.lua answers InterpretHealth of Site already; keep one"},
		},
		"two mappings": {
			map[string]string{"web/bundle.yaml": twoKinds(mappings) + "    - {kinds: [Page], functions: {health: lib.site.aggregate}}\n"},
			[]string{"web/bundle.yaml:24: spec.operations[1].functions.health: lib.site.health of line 22 answers InterpretHealth of Page already; keep one"},
		},
		"a kind twice in a mapping": {
			replaced("kinds: [Site, Page]", "kinds: [Site, Page, Site]"),
			[]string{"web/bundle.yaml:22: spec.operations[0].functions.health: lib.site.health of line 22 answers InterpretHealth of Site already; keep one"},
		},
		"a module that returns a function": {
			map[string]string{"web/lib/site.lua": "return function() end"},
			[]string{"web/bundle.yaml:22: spec.operations[0].functions.health: module lib.site returns no table of functions"},
		},
		"a function that is local": {
			map[string]string{"web/lib/site.lua": "local function health() end\nreturn { aggregate = health }"},
			[]string{"web/bundle.yaml:22: spec.operations[0].functions.health: function health is local to module lib.site; it must be a field"},
		},
		"a module that does not parse": {
			map[string]string{"web/lib/site.lua": "local site = {}\nfunction site.health(\nreturn site"},
			[]string{"web/lib/site.lua:3"},
		},
		"a module that assigns to a global": {
			map[string]string{"web/lib/site.lua": "function health() end\nreturn {}"},
			[]string{"web/lib/site.lua:1:10: module lib.site assigns to the global health"},
		},
		"a function that does not end": {
			map[string]string{"web/lib/site.lua": strings.Replace(siteModule, "  obj.status", "  while true do end\n  obj.status", 1)},
			[]string{"web/lib/site.lua:8: the run needs more than 5000 units of gas"},
		},
		"a kind with neither a script nor a mapping": {
			replaced("kinds: [Site, Page]", "kinds: [Site]"),
			[]string{"web/bundle.yaml: kind Page has no folder"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newLoader(t).Load(folder(mapped(c.changes)), "web", nil)
			if err == nil {
				t.Fatal("got no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("there is no %q in:\n%v", want, err)
				}
				if n := strings.Count(err.Error(), want); n > 1 {
					t.Errorf("%q stands %d times in:\n%v", want, n, err)
				}
			}
		})
	}
}

func TestRevisionCoversMappings(t *testing.T) {
	before, err := Revision(folder(mapped(nil)), "web")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(twoKinds(mappings), "lib.site.health", "lib.site.aggregate", 1)
	after, err := Revision(folder(mapped(map[string]string{"web/bundle.yaml": text})), "web")
	if err != nil || before == after {
		t.Errorf("got revision %s and then %s, error %v; want two", before, after, err)
	}
}
