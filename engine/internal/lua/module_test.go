// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// withModules makes a source of test.lua; a module has the file lib/<name>.lua.
func withModules(text string, modules map[string]string) Script {
	return Script{}.withModules(text, modules)
}

// withModules is the function, with the settings of src.
func (src Script) withModules(text string, modules map[string]string) Script {
	sources := map[string]Script{}
	for name, text := range modules {
		sources["lib."+name] = src.of("lib/"+name+".lua", text)
	}
	main := src.of("test.lua", text)
	main.Modules = NewModules(sources, script.Limits{})
	return main
}

// of returns a source with the settings of src.
func (src Script) of(file, text string) Script {
	src.File, src.Text = file, text
	return src
}

func TestRequireGivesWhatTheModuleReturns(t *testing.T) {
	tests := map[string]struct {
		source  string
		modules map[string]string
		want    []any
	}{
		"table of functions": {
			`local m = require("lib.m") return m.double(21)`,
			map[string]string{"m": `return {double = function(n) return 2 * n end}`},
			[]any{int64(42)},
		},
		"nothing": {
			`return require("lib.m")`, map[string]string{"m": `local n = 1`}, []any{true},
		},
		"false": {
			`return require("lib.m"), require("lib.m")`, map[string]string{"m": `return false`}, []any{false, false},
		},
		"the first of several values": {
			`return require("lib.m")`, map[string]string{"m": `return 1, 2`}, []any{int64(1)},
		},
		"inside a function": {
			`local function f() return require("lib.m").n end return f() + f()`,
			map[string]string{"m": `return {n = 3}`},
			[]any{int64(6)},
		},
		"the call without brackets": {
			`return require "lib.m".n`, map[string]string{"m": `return {n = 3}`}, []any{int64(3)},
		},
		"library, in a module": {
			`return require("lib.m")`, map[string]string{"m": `return require("string").upper("a")`}, []any{"A"},
		},
		"two modules share a third, which runs once": {
			`local a, b = require("lib.a"), require("lib.b") return a.count(), b.count(), require("lib.c").count()`,
			map[string]string{
				"a": `return {count = require("lib.c").count}`,
				"b": `return {count = require("lib.c").count}`,
				"c": `local n = 0 return {count = function() n = n + 1 return n end}`,
			},
			[]any{int64(1), int64(2), int64(3)},
		},
		"library of a computed name": {
			`local name = "str" return require(name .. "ing").upper("a")`, nil, []any{"A"},
		},
		"function of that name": {
			`local function require(name) return name .. "!" end return require("lib.x")`, nil, []any{"lib.x!"},
		},
		"main chunk's globals are not the module's": {
			`string = nil x = 1 function f() end return require("lib.m").of()`,
			map[string]string{"m": `return {of = function() return string.upper("a"), x, f end}`},
			[]any{"A", nil, nil},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := askOf(t, withModules(test.source, test.modules), script.Call{})
			if a.err != nil {
				t.Fatal(a.err)
			}
			if d := cmp.Diff(test.want, a.results); d != "" {
				t.Errorf("results (-want +got):\n%s", d)
			}
		})
	}
}

func TestModuleSeesParams(t *testing.T) {
	src := withModules(`function F() return params.unit, require("lib.m")() end`, map[string]string{"m": `return function() return params.unit end`})
	a := askOf(t, src, script.Call{Entry: "F", Params: map[string]any{"unit": "Mi"}})
	if d := cmp.Diff([]any{"Mi", "Mi"}, a.results); d != "" || a.err != nil {
		t.Errorf("results (-want +got):\n%s, error %v", d, a.err)
	}
}

func TestModuleStateLastsOneRun(t *testing.T) {
	src := withModules(`function F() return require("lib.m").next(), require("lib.m").next() end`,
		map[string]string{"m": `local seen = {} return {next = function() table.insert(seen, 1) return #seen end}`})
	p, err := Compile(src, script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var first answer
	for i := range 3 {
		a := perform(p, script.Call{Entry: "F"})
		if d := cmp.Diff([]any{int64(1), int64(2)}, a.results); d != "" || a.err != nil {
			t.Fatalf("run %d (-want +got):\n%s, error %v", i, d, a.err)
		}
		if i == 0 {
			first = a
		}
		if a.usage != first.usage {
			t.Errorf("run %d used %+v, the first %+v", i, a.usage, first.usage)
		}
	}
}

func TestModuleIsNotRunUnlessRequired(t *testing.T) {
	a := askOf(t, withModules(`local function f() return require("lib.m") end return 1`, map[string]string{"m": `error("ran")`}), script.Call{})
	if a.err != nil {
		t.Error(a.err)
	}
}

func TestErrorInsideModuleNamesItsFile(t *testing.T) {
	src := withModules("local m = require(\"lib.m\")\nfunction F(obj)\n  return m.state(obj)\nend",
		map[string]string{"m": "local M = {}\nfunction M.state(o)\n  return o.status.jobs.state\nend\nreturn M"})
	a := askOf(t, src, script.Call{Entry: "F", Args: []any{map[string]any{"status": map[string]any{}}}})
	want := &script.Error{
		Code:       script.Type,
		Position:   script.Position{File: "lib/m.lua", Line: 3, Column: 10},
		Message:    "attempt to index a nil value (o.status.jobs) with key 'state'",
		Expression: "o.status.jobs",
		Snippet:    "  return o.status.jobs.state\n         ^",
		Trace: []script.Frame{
			{Position: script.Position{File: "lib/m.lua", Line: 3}, Function: "M.state"},
			{Position: script.Position{File: "test.lua", Line: 3}, Function: "F"},
		},
	}
	if d := cmp.Diff(want, scriptError(t, a.err)); d != "" {
		t.Errorf("error (-want +got):\n%s", d)
	}
}

func TestModulePositions(t *testing.T) {
	tests := map[string]struct {
		source, module string
		file           string
		line           int
		message        string
	}{
		"chunk of the module":           {"\nrequire('lib.m')", "\n\nerror('no')", "lib/m.lua", 3, "no"},
		"level 2 is the caller":         {"\n\nrequire('lib.m')()", "return function() error('no', 2) end", "test.lua", 3, "no"},
		"caught and raised again":       {"local ok, e = pcall(require('lib.m')) error(e, 0)", "\nreturn function() error('no') end", "lib/m.lua", 2, "no"},
		"caught message has the file":   {"local ok, e = pcall(require('lib.m')) error({e}, 0)", "\nreturn function() error('no') end", "test.lua", 1, "the script raised a table value"},
		"script's function called back": {"require('lib.m')(function()\nlocal x = nil + 1 end)", "return function(f) f() end", "test.lua", 2, "attempt to perform arithmetic on a nil value"},
		"gas":                           {"require('lib.m')", "\nwhile true do end", "lib/m.lua", 2, "the run needs more than 200000 units of gas"},
		"depth":                         {"local m = require('lib.m')", "\nlocal function f() return 1 + f() end\nf()", "lib/m.lua", 2, "calls nest deeper than 100"},
		"second require after failure":  {"pcall(function() require('lib.m') end)\nrequire('lib.m')", "error('no')", "test.lua", 2, "module lib.m failed before"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := askOf(t, withModules(test.source, map[string]string{"m": test.module}), script.Call{})
			e := scriptError(t, a.err)
			if e.File != test.file || e.Line != test.line || e.Message != test.message {
				t.Errorf("got %s:%d: %s, want %s:%d: %s", e.File, e.Line, e.Message, test.file, test.line, test.message)
			}
		})
	}
}

func TestCaughtErrorOfModuleTellsItsPosition(t *testing.T) {
	src := withModules("return pcall(require('lib.m'))", map[string]string{"m": "\nreturn function() error('no') end"})
	a := askOf(t, src, script.Call{})
	if d := cmp.Diff([]any{false, "lib/m.lua:2: no"}, a.results); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
}

func TestModuleIsRefused(t *testing.T) {
	tests := map[string]struct {
		source  string
		modules map[string]string
		at      string
		message string
	}{
		"unknown": {
			"\nrequire('lib.memry')",
			map[string]string{"memory": ""},
			"test.lua:2:10", `there is no module "lib.memry"; did you mean lib.memory?`,
		},
		"unknown, in a module": {
			"require('lib.a')",
			map[string]string{"a": "\nreturn require('nothing')"},
			"lib/a.lua:2:17", `there is no module "nothing"; known are kube, lib.a, math, os, string, table`,
		},
		"itself": {
			"require('lib.a')",
			map[string]string{"a": "\nrequire('lib.a')"},
			"lib/a.lua:2:10", "modules require each other: lib.a, lib.a",
		},
		"cycle": {
			"require('lib.a')",
			map[string]string{"a": "require('lib.b')", "b": "require('lib.c')", "c": "\nreturn function() return require('lib.b') end"},
			"lib/c.lua:2:35", "modules require each other: lib.b, lib.c, lib.b",
		},
		"does not parse": {
			"require('lib.a')",
			map[string]string{"a": "local x = = 1"},
			"lib/a.lua:1:11", "syntax error near '='",
		},
		"assigns a global": {
			"require('lib.a')",
			map[string]string{"a": "local y\ny, x = 1, 2"},
			"lib/a.lua:2:4", "module lib.a assigns to the global x; a module has locals only, and returns what it offers",
		},
		"defines a global function": {
			"require('lib.a')",
			map[string]string{"a": "function double(n) return 2 * n end"},
			"lib/a.lua:1:10", "module lib.a assigns to the global double; a module has locals only, and returns what it offers",
		},
		"too long": {
			"require('lib.a')",
			map[string]string{"a": "--" + string(make([]byte, script.DefaultLimits().Source))},
			"lib/a.lua", "the script has 65538 bytes; at most 65536 are allowed",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(withModules(test.source, test.modules), script.Limits{})
			e := scriptError(t, err)
			if e.Code != script.Syntax || e.Position.String() != test.at || e.Message != test.message {
				t.Errorf("got %s %s: %s, want %s: %s", e.Code, e.Position, e.Message, test.at, test.message)
			}
		})
	}
}

func TestRequireOfAComputedModule(t *testing.T) {
	a := askOf(t, withModules(`local name = "lib.m" require(name)`, map[string]string{"m": ""}), script.Call{})
	want := "bad argument #1 to 'require': module 'lib.m' is not available: " + noModule + " (name)"
	if e := scriptError(t, a.err); e.Message != want {
		t.Errorf("got %q, want %q", e.Message, want)
	}
}

func TestModuleAnswersByItsFunctions(t *testing.T) {
	src := Script{
		File: "lib/m.lua", Module: "lib.m",
		Text: "local n = require('lib.n')\nlocal function other() end\nreturn { double = n.double, five = 5 }",
		Modules: NewModules(map[string]Script{
			"lib.n": {File: "lib/n.lua", Text: "return { double = function(x) return 2 * x end }"},
		}, script.Limits{}),
	}
	for entry, want := range map[string]string{
		"double": "",
		"duoble": `lib/m.lua: module lib.m: there is no function "duoble"; did you mean double?`,
		"five":   `lib/m.lua: module lib.m: there is no function "five"; known are double`,
		"other":  "lib/m.lua: function other is local to module lib.m; it must be a field of the table that the module returns",
	} {
		got := askOf(t, src, script.Call{Entry: entry, Args: []any{int64(21)}})
		switch {
		case want == "" && (got.err != nil || len(got.results) != 1 || got.results[0] != int64(42)):
			t.Errorf("%s: got %v, error %v; want 42", entry, got.results, got.err)
		case want != "" && (got.err == nil || got.err.Error() != want):
			t.Errorf("%s: got error %v; want %s", entry, got.err, want)
		}
	}
	src.Text = "return 5"
	if got := askOf(t, src, script.Call{Entry: "double"}); got.err == nil || got.err.Error() != "lib/m.lua: module lib.m returns no table of functions" {
		t.Errorf("got error %v; want that there is no table", got.err)
	}
}
