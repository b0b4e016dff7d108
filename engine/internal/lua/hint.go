// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"regexp"
	"strings"
)

// A hint says how Lua writes what other languages write as it stands. It follows the message of
// the parser, which only names the token that it did not expect.

// operatorHints are by what the token and the text behind it begin with, the longest first.
var operatorHints = []struct{ text, hint string }{
	{"!=", "Lua writes ~= for not equal"},
	{"!", "Lua writes not"},
	{"&&", "Lua writes and"},
	{"||", "Lua writes or"},
	{"?", "Lua has no choice operator; write condition and a or b, or an if"},
	{"++", "Lua has no ++; write a = a + 1"},
	{"+=", "Lua has no +=; write a = a + b"},
	{"-=", "Lua has no -=; write a = a - b"},
	{"*=", "Lua has no *=; write a = a * b"},
	{"/=", "Lua has no /=; write a = a / b"},
	{"..=", "Lua has no ..=; write a = a .. b"},
	{"//", floorHint},
	{"<<", "Lua 5.1 has no operators on bits"},
	{">>", "Lua 5.1 has no operators on bits"},
}

const floorHint = "Lua 5.1 has no //; write math.floor(a / b), and -- before a comment"

// wordHints are by the word before the token, or by the token itself.
var wordHints = map[string]string{
	"elif":     "Lua writes elseif",
	"let":      "Lua writes local",
	"var":      "Lua writes local",
	"const":    "Lua writes local",
	"continue": "Lua 5.1 has no continue; put the rest of the loop into an if",
	"goto":     "Lua 5.1 has no goto",
	"try":      "Lua has no try; pcall(f) returns false and the error where f fails",
	"switch":   "Lua has no switch; use if and elseif, or a table by the value",
	"of":       "Lua writes in, as for key, value in pairs(t) do",
	"def":      "Lua writes function",
	"func":     "Lua writes function",
}

// hint returns what to write instead at a column (from 1) of a line where the parser stopped; ""
// where nothing is known.
func hint(line string, column int, token string) string {
	if column < 1 || column > len(line) {
		return ""
	}
	before, at := line[:column-1], line[column-1:]
	for _, o := range operatorHints {
		if strings.HasPrefix(at, o.text) {
			return o.hint
		}
	}
	for _, word := range []string{lastWord(before), token} {
		if h := wordHints[word]; h != "" {
			return h
		}
	}
	before = strings.TrimRight(before, " \t")
	switch {
	case strings.HasSuffix(before, "/") && at[0] == '/':
		return floorHint
	case fieldColon.MatchString(before):
		return "a field of a table is written name = value"
	case at[0] == '[' && listBefore.MatchString(before):
		return "a list is written {a, b}"
	}
	return blockHint(before)
}

var (
	lastName = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)\s*$`)
	// fieldColon ends in a name and a colon behind a brace or a comma.
	fieldColon = regexp.MustCompile(`[{,]\s*(?:[A-Za-z_][A-Za-z0-9_]*|"[^"]*")\s*:$`)
	// listBefore ends where a value begins.
	listBefore = regexp.MustCompile(`(?:[=(,{]|\breturn)$`)
	// opening is the statement that a line begins with, or that stands behind an else.
	opening = regexp.MustCompile(`^\s*(?:else\s+)?(if|elseif|while|for)\b(.*)$`)
)

func lastWord(text string) string {
	if m := lastName.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// blockHint returns what a line lacks that begins a block.
func blockHint(before string) string {
	m := opening.FindStringSubmatch(before)
	if m == nil {
		return ""
	}
	want := "do"
	if m[1] == "if" || m[1] == "elseif" {
		want = "then"
	}
	if regexp.MustCompile(`\b` + want + `\b`).MatchString(m[2]) {
		return ""
	}
	return "the block of " + m[1] + " begins with " + want + " and ends with end"
}

// endHint returns why an end may be missing.
func endHint(text string) string {
	if elseIf.MatchString(text) {
		return "; else if opens a block of its own, which needs an end too: Lua writes elseif"
	}
	return ""
}

var elseIf = regexp.MustCompile(`(?m)^\s*(?:.*\s)?else[ \t]+if\b`)

// byteOrderMark begins a file of some editors.
const byteOrderMark = "\ufeff"
