// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// mistakesOf compiles a chunk strictly, and in the published form; it returns the error of
// the first and the warnings of the second.
func mistakesOf(t *testing.T, text string) (string, []string) {
	t.Helper()
	var warnings []string
	warn := func(e *script.Error) { warnings = append(warnings, e.Error()) }
	if _, err := Compile(Script{File: "a.lua", Text: text, Warn: warn}, script.Limits{}); err != nil {
		t.Fatalf("the published form refuses it: %v", err)
	}
	_, err := Compile(Script{File: "a.lua", Text: text, Strict: true}, script.Limits{})
	if err == nil {
		return "", warnings
	}
	return err.Error(), warnings
}

func TestMistakesInTheUseOfLibraries(t *testing.T) {
	for text, want := range map[string]string{
		"return kube.gets": "a.lua:1:8: there is no function kube.gets; did you mean kube.get?",
		"if false then\n  local x = string.lowr('a')\nend":                         "a.lua:2:13: there is no function string.lowr; did you mean string.lower?",
		"return math.random()":                                                     "a.lua:1:8: math.random is not available: a script returns the same answer each time",
		"local s = string\nfunction F() return s.lowr('a') end":                    "a.lua:2:21: there is no function string.lowr; did you mean string.lower?",
		"local s, t = string, table\nreturn t.inserts":                             "a.lua:2:8: there is no function table.inserts; did you mean table.insert?",
		"local k = require('kube')\nreturn k.gte":                                  "a.lua:2:8: there is no function kube.gte; did you mean kube.get?",
		"local s = string\nlocal r = s\nreturn r.lowr":                             "a.lua:3:8: there is no function string.lowr; did you mean string.lower?",
		"local s = string\ns = {}\nreturn s.lowr":                                  "",
		"local s = string\nif s then s = {} end\nreturn function() return s.x end": "",
		"return kube['gets']":                                                      "a.lua:1:8: there is no function kube.gets; did you mean kube.get?",
		"local function f(string) return string.lowr end\nreturn f":                "",
		"function F(o) return kube:get(o, 'a') end":                                "a.lua:1:22: kube:get passes kube itself as the first argument; write kube.get",
		"return string:upper('a')":                                                 "a.lua:1:8: string:upper passes string itself as the first argument; write string.upper",
		"function F(o) return kube.get('a.b', o) end":                              "a.lua:1:31: kube.get: object must be a map, not a string; the form is get([object], path, [default])",
		"function F(o) return kube.get(o, '.a') end":                               `a.lua:1:34: kube.get: path ".a" begins with a dot; write "a"`,
		"local get = kube.get\nfunction F(o) return get(o, \"a..b\") end":          `a.lua:2:29: kube.get: path "a..b" has an empty key; write "a.b"`,
		"function F(o) return kube.get(o, {}) end":                                 "a.lua:1:34: kube.get: path has no keys",
		"function F(o) return kube.get(o, {a = 1}) end":                            "a.lua:1:34: kube.get: path must be a string with dots between the keys, or a list of keys, not a map; the form is get([object], path, [default])",
		"function F(o) return kube.get(o, {'a', o.b}) end":                         "",
		"function F(o) return kube.get(nil, 'a') end":                              "",
		"function F(o) return kube.get(o) end":                                     "a.lua:1:22: kube.get: argument 2 (path) is missing; the form is get([object], path, [default])",
		"function F(...) return kube.get(...) end":                                 "",
		"function F(o) return kube.pick(o, {'a', 'b.'}) end":                       `a.lua:1:35: kube.pick: fields has a wrong path: "b." ends with a dot; write "b"`,
		"function F(o) return kube.conditionTrue(o, print) end":                    "",
		"function F(o) return kube.conditionTrue(o, true) end":                     "a.lua:1:44: kube.conditionTrue: type must be a string, not a boolean; the form is conditionTrue([object], type)",
	} {
		failure, warnings := mistakesOf(t, text)
		if failure != want {
			t.Errorf("%s\n got %s\nwant %s", text, failure, want)
		}
		if got := strings.Join(warnings, "\n"); got != want {
			t.Errorf("%s\n warns %s\n want %s", text, got, want)
		}
	}
}

func TestMissingReturn(t *testing.T) {
	const missing = "F can end here without a return; write return nil where the answer is not known yet"
	for body, line := range map[string]int{
		"return 1":      0,
		"":              1,
		"local a = 1\n": 2,
		"if o then return true elseif o.a then return false end\n":                             2,
		"if o then return true elseif o.a then return false else return nil end":               0,
		"if o then return true end\nerror('no')":                                               0,
		"if o then return true else error('no') end":                                           0,
		"if o then return true else assert(false, 'no') end":                                   0,
		"if o then return true else fail('no') end":                                            0,
		"if o then return end\no = nil":                                                        0,
		"if o then return nil end\no = nil":                                                    2,
		"while true do if o then return 1 end end":                                             0,
		"while true do if o then break end return 1 end\n":                                     2,
		"while true do while true do break end end":                                            0,
		"while o do return 1 end":                                                              1,
		"repeat return 1 until o":                                                              0,
		"repeat if o then return 1 end until false":                                            0,
		"for _, v in ipairs(o) do return v end":                                                1,
		"do return 1 end":                                                                      0,
		"local function g() return 1 end\ng()":                                                 2,
		"if true then return 1 end":                                                            0,
		"if o then return 1 end local function g() while true do break end end g() return nil": 0,
	} {
		text := "local function fail(m) error(m) end\nfunction F(o) " + body + " end"
		p, err := Compile(Script{File: "a.lua", Text: text, Strict: true}, script.Limits{})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		switch got := MissingReturn(p, "F"); {
		case got == nil && line > 0, got != nil && (line == 0 || got.Line != line+1 || got.Message != missing):
			t.Errorf("%s: got %v; want line %d", body, got, line)
		}
	}
}

func TestMissingReturnOfWhatAModuleReturns(t *testing.T) {
	for text, want := range map[string]bool{
		"local m = {}\nfunction m.f(o) if o then return 1 end end\nreturn m":            true,
		"local m = {}\nm.f = function(o) if o then return 1 end end\nreturn m":          true,
		"local function f(o) if o then return 1 end end\nreturn {f = f}":                true,
		"return {f = function(o) if o then return 1 end end}":                           true,
		"local m = {}\nlocal function f(o) return o end\nm.f = f\nreturn m":             false,
		"local m, n = {}, {}\nfunction n.f(o) if o then return 1 end end\nreturn m":     false,
		"local m = {}\nfunction m.f(o) if o then return 1 end\nreturn nil end return m": false,
	} {
		p, err := Compile(Script{File: "a.lua", Text: text, Module: "lib.a", Strict: true}, script.Limits{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := MissingReturn(p, "f"); (got != nil) != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}
