// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"runtime"
	"testing"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/script"
)

func TestAnUnchangedScriptIsNotCompiledAgain(t *testing.T) {
	c := newCompiler(t)
	compile := func() Rules {
		source, errs := c.Customization(customizationOf(configv1alpha1.CustomizationRules{
			HealthInterpretation: luaScript("function InterpretHealth(obj) return true end"),
			ReplicaRevision:      &configv1alpha1.Script{CELExpression: "{'spec': {'replicas': replicas}}"},
		}))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for _, rules := range source.Kinds {
			return rules
		}
		return nil
	}
	first, again := compile(), compile()
	for operation := range first {
		if first[operation].Program != again[operation].Program {
			t.Errorf("%s: the program was compiled again", operation)
		}
	}
}

// The functions of a module share one program, and the compiler checks that each is there.
func TestFunctionsOfAModuleAreOneProgram(t *testing.T) {
	c := newCompiler(t)
	unit := func(op Op, function string) Script {
		return Script{
			File: "lib/a.lua", Text: "return { health = function() return true end, state = function() return {} end }",
			Module: "lib.a", Function: function, Operation: op,
		}
	}
	var all []script.Program
	for op, function := range map[Op]string{InterpretHealth: "health", InterpretState: "state", Retain: ""} {
		program, err := c.Lua(unit(op, function))
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, program); program != all[0] {
			t.Errorf("%s: the program was compiled again", op)
		}
	}
	_, err := c.Lua(unit(InterpretHealth, "helth"))
	if err == nil || err.Error() != `lib/a.lua: module lib.a: there is no function "helth"; did you mean health?` {
		t.Errorf("got error %v; want one about helth", err)
	}
	runtime.KeepAlive(all)
}

// Whatever a compilation depends on makes another program.
func TestWhatDiffersIsCompiled(t *testing.T) {
	c := newCompiler(t)
	unit := func(change func(*Script)) Script {
		u := Script{
			File: "a.lua", Text: "function InterpretHealth(obj) return true end", Operation: InterpretHealth,
			Params:  map[string]any{"mode": "a"},
			Modules: NewModules(map[string]Module{"lib.a": {File: "lib/a.lua", Text: "return {}"}}),
		}
		change(&u)
		return u
	}
	first, err := c.Lua(unit(func(*Script) {}))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Script){
		"file":      func(u *Script) { u.File = "b.lua" },
		"source":    func(u *Script) { u.Text += " " },
		"parameter": func(u *Script) { u.Params = map[string]any{"mode": "b"} },
		"module": func(u *Script) {
			u.Modules = NewModules(map[string]Module{"lib.a": {File: "lib/a.lua", Text: "return 1"}})
		},
		"strict":   func(u *Script) { u.Strict = true },
		"limits":   func(u *Script) { u.Limits.Source = 1000 },
		"kind":     func(u *Script) { u.Module, u.Text = "lib.b", "return {}" },
		"coverage": func(u *Script) { u.Coverage = script.NewCoverage() },
		"operation": func(u *Script) {
			u.Operation = InterpretState
			u.Text = "function GetState(obj) return {} end"
		},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := c.Lua(unit(change))
			if err != nil {
				t.Fatal(err)
			}
			if program == first {
				t.Error("got the program of another unit")
			}
		})
	}
	same, err := c.Lua(unit(func(*Script) {}))
	if err != nil || same != first {
		t.Errorf("got %p, error %v; want %p, which the first unit has", same, err, first)
	}
	runtime.KeepAlive(first)
}

func TestProgramsThatNothingHoldsAreDropped(t *testing.T) {
	c := newCompiler(t)
	held, err := c.Lua(Script{File: "held.lua", Text: "function InterpretHealth(obj) return true end", Operation: InterpretHealth})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Lua(Script{File: "gone.lua", Text: "function InterpretHealth(obj) return true end", Operation: InterpretHealth}); err != nil {
		t.Fatal(err)
	}
	kept := func() int {
		c.programs.mu.Lock()
		defer c.programs.mu.Unlock()
		return len(c.programs.all)
	}
	// A cleanup runs some time after the collection that found its object dead.
	for range 1000 {
		runtime.GC()
		if kept() == 1 {
			break
		}
		runtime.Gosched()
	}
	if kept() != 1 {
		t.Errorf("%d programs are kept; want the one that is held", kept())
	}
	runtime.KeepAlive(held)
}
