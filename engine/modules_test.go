// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/dragoman-io/dragoman/engine/script"
)

// withLibrary makes a script with the module lib.a.
func withLibrary(modules *Modules, file string) Script {
	return Script{
		File: file, Text: "local a = require('lib.a') function InterpretHealth(obj) return a.health(obj) end",
		Operation: InterpretHealth, Modules: modules, Strict: true,
	}
}

func library() *Modules {
	return NewModules(map[string]Module{"lib.a": {File: "lib/a.lua", Text: "return { health = function() return true end }"}})
}

// keysOf returns the keys of the parts of a program.
func keysOf(p script.Program) []any {
	var keys []any
	for _, part := range script.Parts(p) {
		keys = append(keys, part.Key)
	}
	return keys
}

// Scripts of one bundle share its modules, also with those of an earlier revision that has
// the same ones. Each script had compiled all of them for itself.
func TestScriptsShareModules(t *testing.T) {
	c := newCompiler(t)
	modules := library()
	compile := func(u Script) script.Program {
		t.Helper()
		p, err := c.Lua(u)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := compile(withLibrary(modules, "a.lua")), compile(withLibrary(modules, "b.lua"))
	later := compile(withLibrary(library(), "c.lua"))
	itself := compile(Script{
		File: "lib/a.lua", Text: "return { health = function() return true end }", Operation: InterpretHealth,
		Modules: modules, Module: "lib.a", Function: "health", Strict: true,
	})
	shared := keysOf(a)[1]
	for name, p := range map[string]script.Program{"another script": b, "a script of the next revision": later} {
		keys := keysOf(p)
		if len(keys) != 2 || keys[0] == keysOf(a)[0] || keys[1] != shared {
			t.Errorf("%s: got the parts %v; want one of its own and %v", name, keys, shared)
		}
	}
	if keys := keysOf(itself); len(keys) != 1 || keys[0] != shared {
		t.Errorf("the module itself: got the parts %v; want %v", keys, shared)
	}
	var sum int64
	for _, part := range script.Parts(a) {
		sum += part.Size
	}
	if sum != a.Size() {
		t.Errorf("the parts have %d bytes, the program %d", sum, a.Size())
	}
	for name, change := range map[string]func(*Script){
		"strict":     func(u *Script) { u.Strict = false },
		"parameters": func(u *Script) { u.Params = map[string]any{"x": "y"} },
		"limits":     func(u *Script) { u.Limits.Source = 1000 },
		"coverage":   func(u *Script) { u.Coverage = script.NewCoverage() },
	} {
		u := withLibrary(modules, "a.lua")
		change(&u)
		if keysOf(compile(u))[1] == shared {
			t.Errorf("%s: the module is shared with scripts for which it compiles otherwise", name)
		}
	}
}

// A module that does not compile is compiled once while its Modules are held.
func TestBrokenModulesAreHeld(t *testing.T) {
	c := newCompiler(t)
	modules := NewModules(map[string]Module{"lib.a": {File: "lib/a.lua", Text: "x = = 1"}})
	_, first := c.Lua(withLibrary(modules, "a.lua"))
	before := weak.Make(c.modules(withLibrary(modules, "a.lua")))
	runtime.GC()
	_, again := c.Lua(withLibrary(modules, "b.lua"))
	if first == nil || again == nil || first.Error() != again.Error() || !strings.HasPrefix(first.Error(), "lib/a.lua:1:5: ") {
		t.Errorf("got the errors %v and %v", first, again)
	}
	if c.modules(withLibrary(modules, "b.lua")) != before.Value() {
		t.Error("the modules were made again")
	}
}

// Compilers are made, and compile, in many goroutines at once.
func TestCompileInManyGoroutines(t *testing.T) {
	shared, modules := newCompiler(t), library()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			own, err := NewCompiler()
			if err != nil {
				t.Error(err)
				return
			}
			for _, c := range []*Compiler{own, shared} {
				for _, u := range []Script{
					withLibrary(modules, "a.lua"), withLibrary(library(), string(rune('a'+i))+".lua"),
				} {
					if _, err := c.Lua(u); err != nil {
						t.Error(err)
					}
				}
				for _, text := range []string{"object.status.ready == true", "object.x +", "1"} {
					_, _ = c.CEL(Script{File: "a.cel", Text: text, Operation: InterpretHealth})
				}
			}
		})
	}
	group.Wait()
}
