// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Mistakes of people who know another language are answered with what Lua writes. What follows
// has nothing of them.
func TestSyntaxErrorsSayWhatLuaWrites(t *testing.T) {
	for source, want := range map[string]string{
		"if o.a != 1 then return 1 end":      "Lua writes ~= for not equal",
		"if !o.a then return 1 end":          "Lua writes not",
		"if o.a && o.b then return 1 end":    "Lua writes and",
		"if o.a || o.b then return 1 end":    "Lua writes or",
		"local a = 1 a += 1":                 "Lua has no +=; write a = a + b",
		"local a = 1 a++":                    "Lua has no ++; write a = a + 1",
		"for i = 1, 2 do continue end":       "Lua 5.1 has no continue",
		"local a = 5 // 2":                   "Lua 5.1 has no //",
		"// a comment":                       "Lua 5.1 has no //; write math.floor(a / b), and -- before a comment",
		"if o.a == 1 return true end":        "the block of if begins with then and ends with end",
		"if o.a == 1 { return true }":        "the block of if begins with then and ends with end",
		"while o.a return 1 end":             "the block of while begins with do and ends with end",
		"local x = o.a ? 1 : 2":              "Lua has no choice operator",
		"elif o.a then return 1 end":         "Lua writes elseif",
		"local t = [1, 2]":                   "a list is written {a, b}",
		"return [1, 2]":                      "a list is written {a, b}",
		"local t = {a: 1}":                   "a field of a table is written name = value",
		"local t = {b = 1, a: 1}":            "a field of a table is written name = value",
		"for k, v of pairs(o) do end":        "Lua writes in",
		"let a = 1":                          "Lua writes local",
		"if o.a then a() else if b then end": "else if opens a block of its own",
		"local a = 5 5":                      "",
		"return o.a..":                       "",
		"local local = 1":                    "",
	} {
		_, err := Compile(Script{File: "a.lua", Text: "function F(o)\n" + source + "\nend"}, script.Limits{})
		if err == nil {
			t.Errorf("%s: compiles", source)
			continue
		}
		_, got, _ := strings.Cut(err.Error(), "; ")
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q; want the hint %q", source, err, want)
		}
	}
}

func TestByteOrderMark(t *testing.T) {
	_, err := Compile(Script{File: "a.lua", Text: "\ufeffreturn 1"}, script.Limits{})
	if want := "a.lua:1: the file begins with a byte order mark; save it as UTF-8 without one"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v; want %s", err, want)
	}
}
