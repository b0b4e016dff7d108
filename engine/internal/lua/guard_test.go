// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestGuard(t *testing.T) {
	deep := func(open, inner, close string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(close, n)
	}
	tests := map[string]struct {
		source, want string
	}{
		"brackets at the bound":      {"x = " + deep("(", "1", ")", maxNesting), ""},
		"brackets above it":          {"x = " + deep("(", "1", ")", maxNesting+1), "blocks and brackets nest deeper than 200"},
		"brackets side by side":      {strings.Repeat("f(a[1], {2}) ", 1000), ""},
		"brackets in a string":       {"x = '" + strings.Repeat("(", 1000) + "'", ""},
		"brackets after an escape":   {`x = '\'` + strings.Repeat("(", 1000) + "'", ""},
		"brackets after a backslash": {`x = '\\' y = ` + strings.Repeat("(", 1000), "blocks and brackets nest deeper than 200"},
		"brackets in a long string":  {"x = [=[" + strings.Repeat("(", 1000) + "]]" + strings.Repeat("(", 1000) + "]=]", ""},
		"brackets in a comment":      {"-- " + strings.Repeat("(", 1000) + "\nx = 1", ""},
		"brackets in a long comment": {"--[[" + strings.Repeat("(", 1000) + "\n" + strings.Repeat("(", 1000) + "]]", ""},
		"brackets after a comment":   {"-- x\r" + strings.Repeat("(", 1000), "blocks and brackets nest deeper than 200"},
		"blocks":                     {deep("do ", "", "end ", maxNesting+1), "blocks and brackets nest deeper than 200"},
		"blocks side by side":        {strings.Repeat("do end while x do end repeat until x if x then else end ", 300), ""},
		"loops count once":           {deep("while x do ", "", "end ", maxNesting), ""},
		"chain at the bound":         {"x = a" + strings.Repeat(" .. a", maxChain), ""},
		"chain above it":             {"x = a" + strings.Repeat(" .. a", maxChain+1), "an expression has more than 1000 operators"},
		"chains side by side":        {strings.Repeat("x = a .. b + c; ", 1000), ""},
		"calls side by side":         {strings.Repeat("f() ", 5000), ""},
		"method calls side by side":  {strings.Repeat("a.b:c()\n", 2000), ""},
		"items side by side":         {"x = {" + strings.Repeat("-1, ", 5000) + "}", ""},
		"fields side by side":        {"x = {" + strings.Repeat("a = -1; ", 5000) + "}", ""},
		"unary":                      {"x = " + strings.Repeat("- ", maxChain+1) + "1", "an expression has more than 1000 operators"},
		"calls in a chain":           {"x = a" + strings.Repeat("()", maxChain+1), "an expression has more than 1000 operators"},
		"tables in a chain":          {"x = a" + strings.Repeat("{}", maxChain+1), "an expression has more than 1000 operators"},
		"string that is not closed":  {"x = \"abc\ny = 1", "unterminated string"},
		"comment that is not closed": {"x = 1 --[==[ abc ]=]", "unterminated long string or comment"},
		"closers alone":              {strings.Repeat(") ] } end ", 1000), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := guard(test.source).problem; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSourcesThatPeopleWrite(t *testing.T) {
	condition := strings.Repeat(` or state == "X"`, 300)
	tests := map[string]string{
		"many elseifs":          "local x = 5 if x == 0 then return 0 " + strings.Repeat("elseif x == 1 then return 1 ", 500) + "else return 2 end",
		"many else ifs by hand": "local x if x then return 1 else if x then return 2 else if x then return 3 else return 4 end end end",
		"many ors":              `local state return state == "A"` + condition,
		"many concatenations":   "local s = 'x' return s" + strings.Repeat(" .. s", 400),
		"many branches":         strings.Repeat("if params.x == 1 then params.y = 2 end\n", 500),
		"a large table":         "return {" + strings.Repeat("{a = 1, b = {1, 2}},\n", 500) + "}",
	}
	for name, source := range tests {
		t.Run(name, func(t *testing.T) {
			p := compiled(t, source)
			if a := perform(p, script.Call{}); a.err != nil {
				t.Error(a.err)
			}
		})
	}
}
