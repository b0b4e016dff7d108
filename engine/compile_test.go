// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

func newCompiler(t *testing.T) *Compiler {
	t.Helper()
	c, err := NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func described(t *testing.T, op Op) Operation {
	t.Helper()
	o, err := Describe(op)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestLuaRefusesWhatCanNotAnswer(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"a misspelt name": {
			"local a = 1\n\nfunction InterpretHelth(obj)\n  return true\nend",
			"health.lua:3: the script does not define the function InterpretHealth; is InterpretHelth meant for it?",
		},
		"the name of another operation": {
			"function GetReplicas(obj) return 1 end",
			"health.lua:1: the script does not define the function InterpretHealth; it defines GetReplicas",
		},
		"an assigned function of another name": {
			"\ninterpretHealth = function(obj) return true end",
			"health.lua:2: the script does not define the function InterpretHealth; is interpretHealth meant for it?",
		},
		"a local function": {
			"\nlocal function InterpretHealth(obj) return true end",
			"health.lua:2: the function InterpretHealth is local; remove the word local",
		},
		"no function": {
			"return true",
			"health.lua:1: the script does not define the function InterpretHealth",
		},
		"a main chunk that fails": {
			"local x = 1\nlocal y = x.a.b\nfunction InterpretHealth(obj) return true end",
			"health.lua:2:11: attempt to index a number value (x)",
		},
		"a main chunk that does not end": {
			"while true do end\nfunction InterpretHealth(obj) return true end",
			"health.lua:1: the run needs more than",
		},
		"no Lua": {
			"function InterpretHealth(obj)\n  return obj.\nend",
			"health.lua:3:1: syntax error near 'end'",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := newCompiler(t).Lua(Script{File: "health.lua", Text: c.source, Operation: InterpretHealth})
			var failure *script.Error
			if !errors.As(err, &failure) || p != nil {
				t.Fatalf("got program %v, error %v; want a *script.Error", p, err)
			}
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got error %q; want %q", err, c.want)
			}
		})
	}
}

func TestLuaTakesAFunctionThatFailsOnNothing(t *testing.T) {
	for _, source := range []string{
		"function InterpretHealth(obj) return obj.status.ready end",
		"function InterpretHealth(obj) error('no') end",
		"InterpretHealth = function(obj) return true end",
		"local function f(obj) return true end\nInterpretHealth = f",
	} {
		if _, err := newCompiler(t).Lua(Script{File: "health.lua", Text: source, Operation: InterpretHealth}); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestSmoke(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	for name, c := range map[string]struct {
		operation Op
		source    string
		want      script.Code
	}{
		"a loop without end":     {InterpretHealth, "function InterpretHealth(obj) while true do end end", script.Gas},
		"a recursion":            {InterpretState, "local function f(n) return f(n) + 1 end function GetState(obj) return f(1) end", script.Depth},
		"a string that grows":    {InterpretHealth, "function InterpretHealth(obj) local s = 'aaaaaaaa' for i = 1, 30 do s = s .. s end end", script.Memory},
		"a read of nothing":      {InterpretHealth, "function InterpretHealth(obj) return obj.status.ready end", ""},
		"an answer of its own":   {InterpretHealth, "function InterpretHealth(obj) return 'fine' end", ""},
		"a list that is given":   {AggregateStatus, "function AggregateStatus(obj, items) for _, i in ipairs(items) do end while #items > 0 do end return obj end", ""},
		"a number that is given": {ReviseReplica, "function ReviseReplica(obj, n) if n ~= 1 then while true do end end return obj end", ""},
	} {
		t.Run(name, func(t *testing.T) {
			compiler := newCompiler(t)
			p, err := compiler.Lua(Script{File: "x.lua", Text: c.source, Operation: c.operation})
			if err != nil {
				t.Fatal(err)
			}
			err = compiler.Smoke(kind, c.operation, &Rule{Program: p})
			var failure *script.Error
			switch {
			case c.want == "" && err != nil:
				t.Errorf("got %v; want no error", err)
			case c.want != "" && (!errors.As(err, &failure) || failure.Code != c.want):
				t.Errorf("got %v; want an error of code %s", err, c.want)
			}
		})
	}
}

// The list that a run was building when it failed must not be part of the next run's.
func TestAFailedRunLeavesNothingForTheNext(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Site"}
	source := "function GetComponents(obj) return {{name = 'a', replicas = 1}, {name = 'b', replicas = obj.spec.pages}} end"
	p, err := newCompiler(t).Lua(Script{File: "components.lua", Text: source, Operation: InterpretComponent})
	if err != nil {
		t.Fatal(err)
	}
	i := NewInterpreter(Options{})
	set(i, Embedded, RuleSet{Name: "site", Kinds: map[schema.GroupVersionKind]Rules{kind: {InterpretComponent: {Program: p}}}})
	site := func(spec any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "web.example/v1", "kind": "Site", "spec": spec}}
	}
	for range 3 {
		if _, err := i.Snapshot().Components(site(nil)); err == nil {
			t.Fatal("an object without spec gave no error")
		}
		components, err := i.Snapshot().Components(site(map[string]any{"pages": int64(2)}))
		if err != nil || len(components) != 2 || components[1].Replicas != 2 {
			t.Fatalf("got %v, error %v; want a and b", components, err)
		}
	}
}

func TestCELRefusesAModule(t *testing.T) {
	program, err := newCompiler(t).CEL(Script{File: "a.cel", Module: "lib.a", Text: "true"})
	if want := "a.cel: an expression is no module"; program != nil || err == nil || err.Error() != want {
		t.Errorf("got %v, error %v; want the error %q", program, err, want)
	}
}
