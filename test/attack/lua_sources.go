// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// sources are sources that are large, or take a compiler long.
func sources() []Attack {
	return []Attack{
		{"too many locals", repeated("local x = 1 ", 201), script.Syntax},
		{"locals in blocks", repeated("do local x = 1 end ", 1000), Harmless},
		{"source too large", "x = " + repeated("#", 1<<20) + "y", script.Syntax},
		{"brackets in strings", "return '" + repeated("(", 30000) + "', [[" + repeated("{", 20000) + "]] -- " + repeated("(", 5000), Harmless},
		{"brackets in comments", "--[==[" + repeated("((((", 10000) + "]==] return 1", Harmless},
		{"constants", "local t = {" + repeated("'k',", 15000) + "} return #t", Harmless},
		{"distinct constants", "local t = {" + constants(8000) + "} return #t", Harmless},
		{"names", repeated("x=1 ", 15000), Harmless},
		{"statements", repeated(";", 60000), Harmless},
		{"arguments", "return select('#'" + repeated(",1", 30000) + ")", Harmless},
		{"parameters", "function f(" + repeated("a,", 300) + "b) end", script.Syntax},
		{"targets", repeated("a,", 20000) + "b = 1", Harmless},
		{"open string", "x = '" + repeated("x", 60000), script.Syntax},
		{"escapes", "return '" + repeated("\\255", 15000) + "'", Harmless},
		{"zero bytes", "return '\x00' .. '" + repeated("\x00", 100) + "'", Harmless},
		{"binary", repeated("\xff\xfe\x1bLua", 1000), script.Syntax},
		{"labels", "while true do goto a ::a:: end", script.Syntax},
		{"many labels", "::a" + repeated("x", 100) + ":: " + repeated("goto a ", 5000), script.Syntax},
		{"functions side by side", repeated("function f() end ", 3800), Harmless},
		{"local functions side by side", repeated("local function f() end ", 201), script.Syntax},
		{"a long name", "local " + repeated("a", 60000) + " = 1", Harmless},
		{"a long number", "return " + repeated("9", 60000), script.Syntax},
		{"a long hexadecimal number", "return 0x" + repeated("f", 60000), script.Syntax},
		{"a long fraction", "return 0." + repeated("0", 60000) + "1e60000", script.Syntax},
		{"empty lines", repeated("\n", 65000) + "error('x')", script.User},
		{"returns of both kinds", repeated("\n\r", 30000) + "error('x')", script.User},
		{"a long line that fails", "local a = '" + repeated("x", 60000) + "' error('x')", script.User},
		{"functions that capture", captures(150, 90), Limited},
		{"long strings", "return [" + repeated("=", 30000) + "[x]" + repeated("=", 30000) + "]", Harmless},
		{"an open long string", "return [" + repeated("=", 30000) + "[x", script.Syntax},
		{"escapes out of range", "return '\\999\\256\\x'", Harmless},
		{"control characters", "error('\x1b[31m\x07\x00')", script.User},
		{"a byte order mark", "\ufeffreturn 1", script.Syntax},
		{"a first line for a shell", "#!/bin/sh\nreturn 1", script.Syntax},
		{"bytecode", "\x1bLua\x51\x00\x01\x04\x08\x04\x08\x00", script.Syntax},
		{"constants by the ten thousand", "x = {" + distinct(60000) + "}", script.Syntax},
		{"constants in small space", "local t = {" + distinct(9000) + "} return #t", Harmless},
	}
}

// constants returns a list of n short constants, of which many are equal.
func constants(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("'" + strings.Repeat("k", i%3) + string(rune('a'+i%26)) + "',")
	}
	return b.String()
}

// distinct returns n constants, each another one.
func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "'%x',", i)
	}
	return b.String()
}

// captures returns functions that each capture all of the locals.
func captures(locals, functions int) string {
	var declared, read strings.Builder
	for i := range locals {
		fmt.Fprintf(&declared, "local v%d = %d ", i, i)
		fmt.Fprintf(&read, "v%d,", i)
	}
	return declared.String() + "local t = {} for i = 1, 1e6 do t[i] = function() return {" + read.String() + "} end end " +
		strings.Repeat("do local f = function() return v0 end end ", functions)
}
