// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Span returns the part of a line to be marked for what is wrong at a column, in UTF-16 code
// units from 0, as editors count. column counts bytes from 1. The part is the expression, if it
// stands there, or else a word or a character; where the line has no such column, as 0, it is all
// of the line but the space around it.
func Span(line string, column int, expression string) (start, end int) {
	line = strings.TrimRight(line, "\r\n")
	from, to := len(line)-len(strings.TrimLeftFunc(line, unicode.IsSpace)), len(strings.TrimRightFunc(line, unicode.IsSpace))
	if column > 0 && column <= len(line) {
		from = column - 1
		to = from + width(line[from:], expression)
	}
	start = Units(line[:from])
	return start, start + Units(line[from:max(from, to)])
}

// width returns how many bytes at the beginning of a line, which is not empty, are an expression
// if it stands there, or else a word or a character.
func width(line, expression string) int {
	if expression != "" && strings.HasPrefix(line, expression) {
		return len(expression)
	}
	word := strings.IndexFunc(line, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if word < 0 {
		return len(line)
	}
	_, first := utf8.DecodeRuneInString(line)
	return max(word, first)
}

// Units returns the length of a text in UTF-16 code units. A byte that is no UTF-8 is one.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
