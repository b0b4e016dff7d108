// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"strings"
	"unicode/utf8"
)

// Lines are the lines of a file, in which columns are found: YAML counts characters, and a text has bytes. It is for
// one goroutine at a time.
type Lines struct {
	text []string
	// marks are the offsets in bytes of each charactersPerMark-th character of a line, by line, made once: many
	// values may stand on one line.
	marks map[int][]int
	// steps counts the characters that were passed, for tests.
	steps int
}

// charactersPerMark is how far marks are from each other.
const charactersPerMark = 64

// NewLines returns the lines of a file.
func NewLines(data []byte) *Lines {
	return &Lines{text: strings.Split(string(data), "\n"), marks: map[int][]int{}}
}

// from returns a line from a column on, both from 1; "" where there is no such place.
func (l *Lines) from(line, column int) string {
	if line < 1 || line > len(l.text) || column < 1 {
		return ""
	}
	marks, known := l.marks[line]
	if !known {
		marks = l.marked(l.text[line-1])
		l.marks[line] = marks
	}
	mark := (column - 1) / charactersPerMark
	if mark >= len(marks) {
		return ""
	}
	rest := l.text[line-1][marks[mark]:]
	for range (column - 1) % charactersPerMark {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		l.steps++
	}
	return rest
}

func (l *Lines) marked(text string) []int {
	var marks []int
	characters := 0
	for at := range text {
		if characters%charactersPerMark == 0 {
			marks = append(marks, at)
		}
		characters++
	}
	l.steps += characters
	return marks
}
