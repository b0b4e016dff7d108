// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// mistaken are expressions with a mistake each: one that is found while names are resolved, after that, or
// while code is made.
func mistaken() map[string]string {
	names := make([]string, maxLocals+1)
	for i := range names {
		names[i] = fmt.Sprintf("v%d", i)
	}
	many := strings.Join(names, ", ")
	deep := strings.Repeat("{", maxNesting+30) + strings.Repeat("}", maxNesting+30)
	return map[string]string{
		"an unknown parameter":               "params.typo",
		"a field of an unknown parameter":    "params.typo.x",
		"an unknown global":                  "undefined",
		"a field of an unknown global":       "undefined.x.y",
		"a call of an unknown global":        "undefined(1)",
		"a library that is not there":        "io.open('a')",
		"a builtin that is not there":        "loadfile('a')",
		"an unknown function":                "kube.gets",
		"a call of an unknown function":      "kube.gets({}, 'a')",
		"a colon in place of a dot":          "kube:get({}, 'a')",
		"a wrong argument":                   "kube.get({}, 'a..b')",
		"a missing argument":                 "kube.get({})",
		"an unknown module":                  "require('lib.none')",
		"a module that is broken":            "require('lib.broken')",
		"a module that requires itself":      "require('lib.cycle')",
		"require of a computed name":         "require('a' .. 'b')",
		"require as a value":                 "require",
		"varargs outside a function":         "(function() return ... end)()",
		"varargs of a function without them": "f(function() return ... end)",
		"break outside a loop":               "f(function() break end)",
		"a global that is assigned":          "f(function() count = 1 end)",
		"a global function in a function":    "f(function() function G() end end)",
		"too many locals":                    "f(function() local " + many + " end)",
		"too many parameters":                "f(function(" + many + ") end)",
		"too many variables of a loop":       "f(function() for " + many + " in f do end end)",
		"too many locals with values":        "f(function() local " + many + " = " + many + " end)",
		"too deep":                           deep,
		"no expression":                      "1 +",
		"goto":                               "f(function() goto a end)",
	}
}

// positions are chunks in which an expression stands, each with %s in its place.
var positions = map[string]string{
	"the value of a local":           "local m = %s\nreturn m",
	"one of two values":              "local m, n = %s, f(1)\nreturn m, n",
	"the value of the second local":  "local m, n = f, %s\nreturn m, n",
	"the value behind all locals":    "local m = 1, %s\nreturn m",
	"an alias of an alias":           "local m = %s\nlocal n = m\nreturn n.x",
	"the value of an alias":          "local k = kube\nlocal m, g = %s, k.get\nreturn m, g",
	"an assignment":                  "local m\nm = %s\nreturn m",
	"one of two assignments":         "local m, n\nm, n = 1, %s\nreturn m, n",
	"the key of an assignment":       "local m = {}\nm[%s] = 1\nreturn m",
	"an argument":                    "return f(%s)",
	"an argument of a method":        "local s = ''\nreturn s:rep(%s)",
	"an argument of a library":       "return kube.get(%s, 'a')",
	"a statement of a call":          "f(%s)",
	"what is called":                 "return (%s)(1)",
	"the object of a field":          "return (%s).a.b",
	"a key":                          "return ({})[%s]",
	"a condition":                    "if %s then return 1 end",
	"the condition of an elseif":     "if f then return 1 elseif %s then return 2 end",
	"the condition of while":         "while %s do return 1 end",
	"the condition of repeat":        "repeat local m = 1 until %s",
	"a bound of a loop":              "for i = 1, %s do f(i) end",
	"the step of a loop":             "for i = 1, 2, %s do f(i) end",
	"the start of a loop":            "for i = %s, 2 do f(i) end",
	"the list of a loop":             "for k, v in pairs(%s) do f(k, v) end",
	"the iterator of a loop":         "for k, v in %s do f(k, v) end",
	"the body of a loop":             "for k, v in pairs({}) do local m = %s f(m) end",
	"a return":                       "return %s",
	"the second of a return":         "return 1, %s",
	"an item of a table":             "return {1, %s}",
	"the value of a key":             "return {a = %s}",
	"the key of a table":             "return {[%s] = 1}",
	"an operand of and":              "return f and %s",
	"an operand of or":               "return %s or f",
	"an operand of ..":               "return 'a' .. %s",
	"an operand of +":                "return 1 + %s",
	"an operand of ==":               "return %s == 1",
	"the operand of not":             "return not %s",
	"the operand of #":               "return #(%s)",
	"the operand of -":               "return -(%s)",
	"a function":                     "function F(a, b) local m = %s return m end",
	"a local function":               "local function g(a, b) local m = %s return m end\nreturn g",
	"a function in a function":       "function F(a) return function(b, c) local m, n = %s, b return m, a end end",
	"a block":                        "do local m = %s f(m) end",
	"a local before other functions": "local m = %s\nlocal function g(a) local n, o = m, a return n end\nfor i, v in pairs({}) do local x, y = i, v end\nfunction F(p, q) return g(p), q end",
}

// Before, the locals that stand behind a mistake were nil, and the value of one was written into it.
func TestEachMistakeInEachPositionIsAnErrorWithItsLine(t *testing.T) {
	modules := map[string]string{"broken": "return =", "cycle": "return require('lib.cycle')"}
	for mistake, expression := range mistaken() {
		for position, chunk := range positions {
			source := "local function f(...) return ... end\n" + strings.Replace(chunk, "%s", expression, 1)
			for form, src := range map[string]Script{
				"strict":    {Strict: true, Params: []string{"mode"}},
				"recorded":  {Strict: true, Params: []string{"mode"}, Recording: script.NewRecording(10), Coverage: script.NewCoverage()},
				"published": {Warn: func(*script.Error) {}},
			} {
				_, err := Compile(src.withModules(source, modules), script.Limits{})
				if err == nil {
					if form != "published" {
						t.Errorf("%s as %s, %s: no error", mistake, position, form)
					}
					continue
				}
				if e := scriptError(t, err); e.Code != script.Syntax || e.Position.Line == 0 {
					t.Errorf("%s as %s, %s: got %s %s: %s", mistake, position, form, e.Code, e.Position, e.Message)
				}
			}
		}
	}
}
