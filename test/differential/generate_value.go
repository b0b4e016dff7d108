// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// number returns an expression that is a number, mostly.
func (g generator) number(depth int) string {
	if depth <= 0 || g.IntN(4) == 0 {
		return g.numeral()
	}
	return g.form(g.pick(
		"(& + &)", "(& - &)", "(& * &)", "(& / &)", "(& % &)", "(& ^ &)", "(- &)", "(& + &)", "(& * &)",
		"math.floor(&)", "math.ceil(&)", "math.abs(&)", "math.max(&, &)", "math.min(&, &, &)",
		"math.fmod(&, &)", "math.sqrt(&)", "(math.modf(&))", "select(2, math.modf(&))", "math.ldexp(&, 3)",
		"(math.frexp(&))", "math.pow(&, 2)", "tonumber($)", "string.len($)", "string.byte($)",
		"(? and & or &)", "tonumber(tostring(&))", "($ + &)", "select('#', @, @)", "math.huge", "(& - math.huge)",
	), depth)
}

// numeral returns a number of the source.
func (g generator) numeral() string {
	switch g.IntN(6) {
	case 0:
		return g.pick("0", "1", "2", "3", "7", "10", "16", "100", "255", "-1", "-7")
	case 1:
		return g.pick("0.5", "0.1", "1.5", "2.25", "-0.5", "3.14159", "1e-3", "-2.75", "99.99")
	case 2:
		return g.pick("1e14", "1e15", "1e16", "123456789012345", "2^31", "2^53", "1e300", "1e308", "5e-324", "0x10", "0xff", "0xFFFFFFFF", "4294967296", "1e100", "-1e15")
	}
	return fmt.Sprint(g.IntN(200) - 100)
}

// boolean returns an expression that is true or false, mostly.
func (g generator) boolean(depth int) string {
	if depth <= 0 {
		return g.pick("true", "false", "nil")
	}
	return g.form(g.pick(
		"(& < &)", "(& <= &)", "(& > &)", "(& >= &)", "(& == &)", "(& ~= &)", "($ < $)", "($ <= $)", "($ == $)", "($ ~= $)",
		"(not ?)", "(? and ?)", "(? or ?)", "(@ == @)", "(@ ~= @)", "($ == &)", "($ < &)", "(& < nil)", "not @",
	), depth)
}

// word returns a short text without quotes.
func (g generator) word() string {
	return g.pick("", "a", "abc", "hello world", "key=value", "a,b,,c", "  x  ", "10", "0x1F", "3.5", "THE (quick) fox", "aaa",
		"a.b.c", "%d", "2020-01-02T03:04:05Z", "foo_bar-1", "[x]", "500m", "1Gi", "äö", `\\n`, `a\0b`, "line\\nline", "x=1;y=2", "ABC", "-7", "1e2", "  12  ")
}

// text returns an expression that is a text, mostly.
func (g generator) text(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		return `"` + g.word() + `"`
	}
	return g.form(g.pick(
		"($ .. $)", "($ .. &)", "string.sub($, &, &)", "string.sub($, "+g.numberOf(-5, 6)+")", "string.rep($, "+g.small(4)+")", "string.upper($)", "string.lower($)",
		"string.reverse($)", "tostring(&)", "tostring(?)", "string.format('%d', "+g.small(99)+")", "string.char("+g.small(120)+", 65)",
		"table.concat({$, $, &}, $)", "($):sub("+g.numberOf(-4, 4)+", "+g.numberOf(-4, 8)+")", "type(@)", "(string.gsub($, '%a', '%0%0'))", "(? and $ or $)",
		"string.rep($, 2, $)",
	), depth)
}

// numberOf returns a whole number from least to most.
func (g generator) numberOf(least, most int) string { return fmt.Sprint(least + g.IntN(most-least+1)) }

// value returns any expression.
func (g generator) value(depth int) string {
	if depth <= 0 {
		return g.pick("nil", "true", "1", `"x"`, "{}", "0.5")
	}
	switch g.IntN(5) {
	case 0:
		return g.number(depth)
	case 1:
		return g.text(depth)
	case 2:
		return g.boolean(depth)
	case 3:
		return g.form(g.pick("{&, $}", "{a = &, b = $}", "{[&] = @}", "{@, @, n = &}", "{[$] = @, @}", "{{@}, {@}}", "{}", "{f = function() return @ end}"), depth)
	}
	return g.form(g.pick("({&, &, &})[&]", "({a = @}).a", "(? or @)", "(? and @)", "(function(...) return select('#', ...) end)(@, @)", "(function(a, b) return b, a end)(@, @)", "#{@, @}", "($):len()"), depth)
}

// conversion returns calls of tostring and tonumber, and of what reads texts as numbers.
func (g generator) conversion() string {
	number := g.pick("0x10", " 5 ", "5 5", "1e5", "1e", ".5", "5.", "0x", "-0x1f", "+3", "--3", "1_000", "abc", "", " ", "1e400", "1e-400",
		"0xffffffffffffffff", "9223372036854775807", "9223372036854775808", "18446744073709551616", "123456789012345678", "1e15", "1.5e+3", "0b1", "1 ", "\\t7\\n", "007", "-0", "inf", "nan", "0x1p4", "0x.8", "1e+", "١")
	base := g.pick("2", "8", "10", "16", "36", "7")
	return g.form(g.pick(
		`tonumber("`+number+`")`, `tonumber("`+number+`", `+base+`)`, `"`+number+`" + 1`, `"`+number+`" * "2"`, `tostring(&)`, `& .. ""`, `tostring(@)`,
		`tonumber(`+g.pick(`"zz"`, `"ff"`, `"1010"`, `"-77"`, `"0xfF"`, `" 11 "`, `"9"`, `"1.5"`, `11`, `"7fffffffffffffff"`)+`, `+base+`)`, "tostring(& * 2^40)", "& .. & .. &", "- $",
		"tostring("+g.numeral()+")", "tostring(1e15 + &)", "tostring(& / 3)", "tonumber(&)", "tonumber(nil)", "tonumber({})", "tonumber()", "tostring()",
	), 2)
}
