// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// deep are sources that nest.
func deep() []Attack {
	return []Attack{
		{"lengths", "x = " + repeated("#", 60000) + "y", script.Syntax},
		{"minuses", "x = " + repeated("- ", 30000) + "1", script.Syntax},
		{"nots", "x = " + repeated("not ", 15000) + "1", script.Syntax},
		{"brackets", "x = " + repeated("(", 30000) + "1" + repeated(")", 30000), script.Syntax},
		{"braces", "x = " + repeated("{", 30000) + repeated("}", 30000), script.Syntax},
		{"indexes", "x = a" + repeated("[a", 20000) + repeated("]", 20000), script.Syntax},
		{"functions", repeated("function f() ", 4000) + repeated(" end", 4000), script.Syntax},
		{"function expressions", "x = " + repeated("function() return ", 3000) + "1" + repeated(" end", 3000), script.Syntax},
		{"ifs", repeated("if x then ", 4000) + repeated(" end", 4000), script.Syntax},
		{"else ifs", repeated("if x then else ", 4000) + repeated(" end", 4000), script.Syntax},
		{"dos", repeated("do ", 10000) + repeated("end ", 10000), script.Syntax},
		{"repeats", repeated("repeat ", 3000) + repeated("until x ", 3000), script.Syntax},
		{"open brackets", repeated("(", 60000), script.Syntax},
		{"fields of fields", "x = a" + repeated(".b", 30000), script.Syntax},
		{"calls of calls", "x = a" + repeated("()", 30000), script.Syntax},
		{"calls with strings", "x = a" + repeated("'s'", 20000), script.Syntax},
		{"calls with tables", "x = a" + repeated("{}", 30000), script.Syntax},
		{"methods of methods", "x = a" + repeated(":b()", 15000), script.Syntax},
		{"concatenations", "x = a" + repeated("..a", 20000), script.Syntax},
		{"powers", "x = 1" + repeated("^1", 30000), script.Syntax},
		{"sums", "x = 1" + repeated("+1", 30000), script.Syntax},
		{"ands", "x = a" + repeated(" and a", 10000), script.Syntax},
		{"comparisons", "x = 1" + repeated("<1", 30000), script.Syntax},
		{"elseifs", "if x then " + repeated("elseif x then ", 4000) + "end", Harmless},
		{"a hundred concatenations", "local a = 'x' return a" + repeated("..a", 900), Harmless},
		{"a hundred ors", "local a return a" + repeated(" or a", 900), Harmless},
		{"functions in functions that capture", "local a, b = 1, 2 " + repeated("local function f() ", 150) + "return a, b" + repeated(" end", 150), script.Syntax},
		{"calls in arguments", "return " + repeated("type(", 190) + "1" + repeated(")", 190), Harmless},
		{"tables in tables", "return " + repeated("{", 190) + repeated("}", 190), script.Result},
		{"else ifs by the ten thousand", repeated("if x then else ", 50000) + repeated(" end", 50000), script.Syntax},
		{"minuses by the hundred thousand", "x = " + repeated("- ", 650000) + "1", script.Syntax},
		{"brackets by the hundred thousand", repeated("(", 1300000), script.Syntax},
	}
}
