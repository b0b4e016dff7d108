// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// class returns a single character class of a pattern.
func (g generator) class() string {
	switch g.IntN(4) {
	case 0:
		return g.pick("a", "b", "l", "x", "o", " ", "=", ",", "1", "-", "%.", "%%", "%-", "%(", ".")
	case 1:
		return "%" + g.pick("a", "d", "l", "s", "u", "w", "x", "p", "c", "A", "D", "S", "W", "U", "z", "P")
	case 2:
		return "[" + g.pick("", "^") + g.pick("abc", "a-z", "0-9", "%w_", "%a%d", "^a", "]a", "a-", "-a", "%]", "A-Z0-9", ",;", "%s", "a-cx-z", ".%-") + "]"
	}
	return g.pick("e", "c", "h", "0", ".", "%w", "%a")
}

// pattern returns a pattern, a few of them malformed.
func (g generator) pattern() string {
	var b strings.Builder
	b.WriteString(g.pick("", "", "", "^"))
	open := 0
	for range 1 + g.IntN(4) {
		switch g.IntN(10) {
		case 0:
			b.WriteString("(")
			open++
		case 1:
			b.WriteString(g.pick("()", "%b()", "%b[]", "%f[%w]", "%f[%a]", "%bxx"))
			continue
		case 2:
			b.WriteString(g.pick("%1", "%2", "[a", "%", "%f", "%b", "(", ")", "[]", "[^]"))
			continue
		}
		b.WriteString(g.class() + g.pick("", "", "", "*", "+", "-", "?"))
		if open > 0 && g.IntN(2) == 0 {
			b.WriteString(")")
			open--
		}
	}
	b.WriteString(strings.Repeat(")", open))
	b.WriteString(g.pick("", "", "", "$"))
	return b.String()
}

// search returns a call that looks for a pattern.
func (g generator) search() string {
	text, pattern := `"`+g.word()+g.word()+`"`, `"`+g.pattern()+`"`
	from := g.numberOf(-5, 12)
	switch g.IntN(8) {
	case 0:
		return "string.find(" + text + ", " + pattern + ")"
	case 1:
		return "string.find(" + text + ", " + pattern + ", " + from + ")"
	case 2:
		return "string.find(" + text + `, "` + g.word() + `", ` + from + ", true)"
	case 3, 4:
		return "string.match(" + text + ", " + pattern + ")"
	case 5:
		return "string.match(" + text + ", " + pattern + ", " + from + ")"
	}
	return "(function() local t = {} for a, b in string.gmatch(" + text + ", " + pattern + ") do t[#t + 1] = tostring(a) .. '|' .. tostring(b) if #t > 20 then break end end return t end)()"
}

// substitution returns a gsub with all kinds of replacement.
func (g generator) substitution() string {
	replacement := g.pick(`"x"`, `"<%0>"`, `"%1%1"`, `"%2"`, `"%%"`, `""`, `"%"`, `"a%"`, `5`, `1.5`,
		`{a = "A", l = 1, [" "] = false, x = true}`, `{["1"] = "one", b = "B"}`, `function(a, b) return b end`,
		`function(a) return a and tostring(a):upper() end`, `function() return false end`, `function() end`, `function() return {} end`,
		`string.upper`, `function(a) return #tostring(a) end`, `function(...) return select("#", ...) end`, "nil", "true")
	most := g.pick("", "", ", 0", ", 1", ", 2", ", -1", ", 100")
	return fmt.Sprintf(`return string.gsub("%s", "%s", %s%s)`, g.word()+g.word(), g.pattern(), replacement, most)
}

// format returns a call of string.format.
func (g generator) format() string {
	var format strings.Builder
	var arguments []string
	for range 1 + g.IntN(3) {
		format.WriteString(g.pick("", "a", " ", "%%"))
		flags := g.pick("", "", "", "-", "+", " ", "#", "0", "-+", "0+", "+ ", "-0")
		width := g.pick("", "", "5", "12", "1")
		precision := g.pick("", "", ".0", ".1", ".3", ".", ".10", ".20")
		verb := g.pick("d", "i", "u", "x", "X", "o", "c", "e", "E", "f", "g", "G", "s", "s", "d", "g", "q")
		switch verb {
		case "q":
			format.WriteString("%q")
		case "c":
			format.WriteString("%" + width + "c")
		case "s":
			format.WriteString("%" + strings.Trim(flags, "+ #0") + width + precision + "s")
		default:
			format.WriteString("%" + flags + width + precision + verb)
		}
		switch verb {
		case "s", "q":
			arguments = append(arguments, g.text(1))
		case "c":
			arguments = append(arguments, g.small(126))
		case "u", "x", "X", "o":
			arguments = append(arguments, g.pick("0", "1", "255", "4096", "65535", "123456", "8"))
		default:
			arguments = append(arguments, g.numeral())
		}
	}
	if g.IntN(20) == 0 {
		arguments = append(arguments[:0:0], arguments[1:]...)
	}
	if len(arguments) == 0 {
		return `string.format("` + format.String() + `")`
	}
	return `string.format("` + format.String() + `", ` + strings.Join(arguments, ", ") + ")"
}

// date returns a call of os.date or os.time with a fixed time.
func (g generator) date() string {
	var format strings.Builder
	for range 1 + g.IntN(4) {
		format.WriteString("%" + g.pick("a", "A", "b", "B", "c", "d", "H", "I", "j", "m", "M", "p", "S", "U", "w", "W", "x", "X", "y", "Y", "Z", "%",
			"D", "e", "F", "h", "n", "R", "r", "t", "T", "u", "V", "C", "G", "g", "k", "l", "P", "s", "z", "Ey", "Od", "Q"))
		format.WriteString(g.pick("", " ", "-", ":", "T"))
	}
	at := g.pick("0", "1", "86399", "1e9", "1234567890", "951782400", "1609459199", "1451606400", "-1", "4102444800", "1704067199", "68169600", "1.9")
	switch g.IntN(6) {
	case 0:
		return `os.date("!*t", ` + at + ")"
	case 1:
		return "os.time({year = " + g.numberOf(1971, 2037) + ", month = " + g.numberOf(-2, 15) + ", day = " + g.numberOf(-5, 40) +
			g.pick("", ", hour = "+g.numberOf(-3, 30), ", hour = 0, min = "+g.numberOf(-10, 90)+", sec = "+g.numberOf(-10, 90)) + "})"
	case 2:
		return "os.difftime(" + at + ", " + at + ")"
	}
	return `os.date("` + g.pick("!", "!", "") + format.String() + `", ` + at + ")"
}
