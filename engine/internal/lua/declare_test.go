// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// strictProgram compiles a source with modules by their names.
func strictProgram(t *testing.T, source string, modules map[string]string) script.Program {
	t.Helper()
	p, err := Compile(Script{Strict: true}.withModules(source, modules), script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// many declares more functions than a table of functions has at most.
func many() string {
	text := "local M = {} "
	for _, name := range strings.Split("abcdefghijklmnop", "") {
		text += "function M." + name + "() return '" + name + "' end "
	}
	return text + "return M"
}

// TestDeclarations runs what chunks declare twice: what is made once for all runs must look
// as if it was made in each.
func TestDeclarations(t *testing.T) {
	tests := map[string]struct {
		modules map[string]string
		source  string
		want    []any
	}{
		"a table that a run changes is whole in the next": {
			map[string]string{"m": `local M = {} function M.f() M.f = nil M.x = 1 return 2 end return M`},
			`local m = require("lib.m") function F() local a, b = m.x, m.f() return a, b, m.x, m.f == nil end`,
			[]any{nil, int64(2), int64(1), true},
		},
		"the last function of a name": {
			map[string]string{"m": `local M = {} function M.f() return 1 end function M.f() return 2 end return M`},
			`local m = require("lib.m") function F() return m.f() end`,
			[]any{int64(2)},
		},
		"the order of the functions": {
			map[string]string{"m": `local M = {} function M.z() end function M.a() end return M`},
			`local m = require("lib.m") function F() local s = "" for k in pairs(m) do s = s .. k end return s end`,
			[]any{"za"},
		},
		"many functions": {
			map[string]string{"m": many()},
			`local m = require("lib.m") function F() return m.a(), m.p() end`,
			[]any{"a", "p"},
		},
		"methods": {
			map[string]string{"m": `local M = {} function M:f() return self == M, self.g() end function M.g() return 3 end return M`},
			`local m = require("lib.m") function F() return m:f() end`,
			[]any{true, int64(3)},
		},
		"a table that only the chunk uses": {
			map[string]string{"m": `local M = {} function M.f() return 4 end return M`},
			`local m = require("lib.m") function F() return m.f() end`,
			[]any{int64(4)},
		},
		"a table that is read while it is filled": {
			map[string]string{"m": `local M = {} function M.f() return 5 end local n = M.f() function M.f() return n + 1 end return M`},
			`local m = require("lib.m") function F() return m.f() end`,
			[]any{int64(6)},
		},
		"a table that is assigned": {
			map[string]string{"m": `local M = {} function M.f() M = nil return M == nil end return M`},
			`local m = require("lib.m") function F() return m.f() end`,
			[]any{true},
		},
		"a table within a table": {
			map[string]string{"m": `local M = {} M.sub = {} function M.sub.f() return 7 end return M`},
			`local m = require("lib.m") function F() return m.sub.f() end`,
			[]any{int64(7)},
		},
		"two tables": {
			map[string]string{"m": `local A = {} local M = {} function A.f() return 8 end function M.f() return A.f() + 1 end return M`},
			`local m = require("lib.m") function F() return m.f() end`,
			[]any{int64(9)},
		},
		"a function that calls itself": {
			nil, `local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end function F() return f(5) end`, []any{int64(5)},
		},
		"a constant that is assigned": {
			map[string]string{"m": `local n = 1 return function() n = n + 1 return n end`},
			`local m = require("lib.m") function F() return m(), m() end`,
			[]any{int64(2), int64(3)},
		},
		"functions that call each other": {
			nil, `local g local function f(n) if n == 0 then return "f" end return g(n - 1) end
function g(n) if n == 0 then return "g" end return f(n - 1) end function F() return f(3) end`, []any{"g"},
		},
		"a function that is assigned": {
			nil, `local f = function() return 1 end local function g() return f() end f = function() return 2 end function F() return g() end`, []any{int64(2)},
		},
		"a function that captures": {
			nil, `local f do local n = 0 for i = 1, 2 do local k = i f = f or function() n = n + k return n end end end
function F() return f() + f() end`, []any{int64(3)},
		},
		"two functions of a name": {
			nil, `local function f() return 1 end local g = function() return f() end local function f() return 2 end function F() return f(), g() end`,
			[]any{int64(2), int64(1)},
		},
		"a module of state begins anew": {
			map[string]string{"m": `local n = 0 return function() n = n + 1 return n end`},
			`local m = require("lib.m") function F() return m(), m() end`,
			[]any{int64(1), int64(2)},
		},
		"one module for all who require it": {
			map[string]string{"m": `local M = {} function M.set(x) M.x = x end return M`, "a": `local m = require("lib.m") return function() m.set(1) end`, "b": `local m = require("lib.m") return function() return m.x end`},
			`local a, b = require("lib.a"), require("lib.b") function F() a() return b() end`,
			[]any{int64(1)},
		},
		"declared together": {
			nil, `local function f() return 1, 2 end function F() local a, b = f(), 3 local c, d = 4, f() local e, g = d, c return a, b, c, d, e, g end`,
			[]any{int64(1), int64(3), int64(4), int64(1), int64(1), int64(4)},
		},
		"declared together, of what they hide": {
			nil, `function F() local a, b = 1, 2 local a, b = b, a return a, b end`, []any{int64(2), int64(1)},
		},
		"declared together and captured": {
			nil, `function F() local list = {} for i = 1, 2 do local a, b = i, i * 10 list[i] = function() a = a + 1 return a + b end end return list[1](), list[2](), list[1]() end`,
			[]any{int64(12), int64(23), int64(13)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := strictProgram(t, test.source, test.modules)
			for range 2 {
				a := perform(p, script.Call{Entry: "F"})
				if d := cmp.Diff(test.want, a.results); d != "" || a.err != nil {
					t.Errorf("results (-want +got):\n%s, error %v", d, a.err)
				}
			}
		})
	}
}

// TestModuleThatIsNotUsedCostsNothing compares a run that uses a module with one that does
// not: what a module only declares is not made where nothing reads it.
func TestModuleThatIsNotUsedCostsNothing(t *testing.T) {
	p := strictProgram(t, `local m = require("lib.m") function F() return 1 end function G() return m.f() end`, map[string]string{
		"m": `local M = {} local t = {1} function M.f() return t[1] end return M`,
	})
	f, g := perform(p, script.Call{Entry: "F"}), perform(p, script.Call{Entry: "G"})
	if f.err != nil || g.err != nil || f.usage.Memory != 0 || g.usage.Memory == 0 || f.usage.Gas >= g.usage.Gas {
		t.Errorf("got %+v without a use and %+v with one", f, g)
	}
}

// TestModuleThatActsRunsWhereItIsRequired has modules whose chunks do more than declare.
func TestModuleThatActsRunsWhereItIsRequired(t *testing.T) {
	for name, text := range map[string]string{
		"a call":           `error("acts")`,
		"an index":         `local t = {} local u = t.a.b return u`,
		"a returned call":  `local function f() error("acts") end return f()`,
		"a returned index": `local t = {} return t.a.b`,
		"a loop":           `for i = 1, 2 do error("acts") end`,
	} {
		t.Run(name, func(t *testing.T) {
			a := perform(strictProgram(t, `local m = require("lib.m") function F() return 1 end function G() return m end`, map[string]string{"m": text}), script.Call{Entry: "F"})
			if a.err == nil || !strings.Contains(a.err.Error(), "lib/m.lua:1") {
				t.Errorf("got error %v, want one of lib/m.lua", a.err)
			}
		})
	}
}

// TestFunctionThatAFunctionDeclares has one that is not there before, as the published form
// may have it.
func TestFunctionThatAFunctionDeclares(t *testing.T) {
	p := compiled(t, `local k = 1 function F() local before = G == nil function G() return 3 end return before, G() end`)
	a := perform(p, script.Call{Entry: "F"})
	if d := cmp.Diff([]any{true, int64(3)}, a.results); d != "" || a.err != nil {
		t.Errorf("results (-want +got):\n%s, error %v", d, a.err)
	}
}

// TestDeclaredChunksCostWhatTheyCostWhenTheyRun compares a program with one whose chunks run:
// in results, in what is charged, and in how they end at each limit.
func TestDeclaredChunksCostWhatTheyCostWhenTheyRun(t *testing.T) {
	source := `local m = require("lib.m") local n = require("lib.n")
local k = 3 function G() return k end function F() return n(), G(), m.f() end`
	modules := map[string]string{
		"m": `local M = {} local two = 2 function M.f() return two end return M`,
		"n": `local one = 1 return function() return one end`,
	}
	fast, slow := strictProgram(t, source, modules), strictProgram(t, source, modules)
	for _, c := range codesOf(slow) {
		if c.declared == nil {
			t.Fatal("a chunk runs that only declares")
		}
		c.declared = nil
	}
	whole := perform(fast, script.Call{Entry: "F"})
	if whole.err != nil {
		t.Fatal(whole.err)
	}
	for gas := int64(1); gas <= whole.usage.Gas; gas++ {
		compareRuns(t, fast, slow, script.Limits{Gas: gas})
	}
	for memory := int64(1); memory <= whole.usage.Memory; memory += 8 {
		compareRuns(t, fast, slow, script.Limits{Memory: memory})
	}
	for depth := 1; depth < 4; depth++ {
		compareRuns(t, fast, slow, script.Limits{Depth: depth})
	}
}

// codesOf returns the chunk of a program and its modules.
func codesOf(p script.Program) []*code {
	all := []*code{p.(*program).code}
	for _, m := range p.(*program).required {
		all = append(all, m.code)
	}
	return all
}

// compareRuns fails where two programs do not end alike within limits.
func compareRuns(t *testing.T, fast, slow script.Program, limits script.Limits) {
	t.Helper()
	a, b := perform(fast, script.Call{Entry: "F", Limits: limits}), perform(slow, script.Call{Entry: "F", Limits: limits})
	if d := cmp.Diff(fmt.Sprint(b.results, b.usage, b.err), fmt.Sprint(a.results, a.usage, a.err)); d != "" {
		t.Errorf("limits %+v (-when it runs +declared):\n%s", limits, d)
	}
}
