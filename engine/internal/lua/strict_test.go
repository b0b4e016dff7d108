// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestStrictRefuses(t *testing.T) {
	tests := map[string]struct {
		source, at, message string
	}{
		"assignment":            {"\nfunction F() count = 1 end", "2:14", "assignment to the global count; declare it with local"},
		"assignment of a value": {"local f = 1\nF = f", "2:1", "assignment to the global F; declare it with local"},
		"one of many":           {"local a\na, b = 1, 2", "2:4", "assignment to the global b; declare it with local"},
		"function in a block":   {"if true then\nfunction F() end end", "2:10", "the global function F is defined inside a block or function; define it at the top level"},
		"function in a function": {
			"function F()\nG = function() end end", "2:1",
			"the global function G is defined inside a block or function; define it at the top level",
		},
		"read": {
			"local count = 1\nreturn cuont", "2:8", "nothing defines the global cuont",
		},
		"read of a misspelt library": {
			"function F(o)\n  return kub.get(o, 'x')\nend", "2:10", "nothing defines the global kub; did you mean kube?",
		},
		"read of a misspelt function": {
			"function GetReplicas() end\nfunction F()\nreturn GetReplica() end", "3:8", "nothing defines the global GetReplica; did you mean GetReplicas?",
		},
		"read of what a sandbox lacks":   {"return io.open", "1:8", "io is not available: " + noHost},
		"read before a local function":   {"function F()\nreturn helper() end\nlocal function helper() end", "2:8", "the local function helper is declared only further down"},
		"require of a computed name":     {"local name = 'kube'\nrequire(name)", "2", "require takes one constant string"},
		"require without a name":         {"require()", "1", "require takes one constant string"},
		"require as a value":             {"local r = require", "1:11", "require can only be called, with one constant string"},
		"read of a global, in a module":  {"require('lib.m')", "lib/m.lua:1:8", "nothing defines the global F"},
		"unknown parameter":              {"return params.memoryUnits == params.memryUnits", "1:30", `there is no parameter "memryUnits"; did you mean memoryUnits?`},
		"unknown parameter, in a module": {"require('lib.p')", "lib/p.lua:1:8", `there is no parameter "slots"; known are memoryUnits, x`},
		"absent library, after a module": {"require('kube')\nreturn debug", "2:8", "debug is not available: scripts cannot look into the engine"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			src := Script{Strict: true, Params: []string{"memoryUnits", "x"}}.
				withModules(test.source, map[string]string{"m": "return F", "p": "return params.slots"})
			_, err := Compile(src, script.Limits{})
			e := scriptError(t, err)
			at := test.at
			if at[0] != 'l' {
				at = "test.lua:" + at
			}
			if e.Code != script.Syntax || e.Position.String() != at || e.Message != test.message {
				t.Errorf("got %s %s: %s, want %s: %s", e.Code, e.Position, e.Message, at, test.message)
			}
		})
	}
}

func TestStrictAccepts(t *testing.T) {
	tests := map[string]string{
		"a local with the name params": "local params = {} return params.any",
		"function":                     "function F() return G() end function G() return 1 end return F()",
		"function by assignment":       "F = function() return 1 end return F()",
		"params and libraries":         "local k = require('kube') return params.x, k.get({}, 'a'), pairs, _VERSION",
		"module":                       "return require('lib.m').f()",
		"upvalue and chunk's local":    "local n = 0 local function f() n = n + 1 local function g() n = n + 1 end g() return n end return f()",
		"field of a table":             "local t = {} t.x = 1 function t.f() end function t:g() end return t.x",
	}
	for name, source := range tests {
		t.Run(name, func(t *testing.T) {
			src := Script{Strict: true, Params: []string{"x"}}.
				withModules(source, map[string]string{"m": "local M = {} function M.f() return params.x end return M"})
			if a := askOf(t, src, script.Call{}); a.err != nil {
				t.Error(a.err)
			}
		})
	}
}
