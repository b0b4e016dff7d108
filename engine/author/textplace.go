// SPDX-License-Identifier: Apache-2.0

package author

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// textPlaces knows where in a YAML file the characters of a text stand. YAML may fold lines
// of a text into one, and indents them.
type textPlaces struct {
	file string
	// line is that of the key.
	line int
	// starts are the offsets of the lines of the text.
	starts []int
	// segments are the parts of the text that stand on one line of the file, by offset.
	segments []segment
}

// segment is a part of a text that stands on one line of a file.
type segment struct{ offset, line, column int }

// blockScalar matches what stands before a text in block style.
var blockScalar = regexp.MustCompile(`:\s*(&\S+\s+)?[|>][-+0-9]*\s*(#.*)?$`)

// newTextPlaces finds a text that is the value of the key at a line, from 1, of a file of
// these lines. What it does not find stands at the key.
func newTextPlaces(file string, lines []string, line int, key, text string) *textPlaces {
	t := &textPlaces{file: file, line: line, starts: []int{0}}
	for i, c := range []byte(text) {
		if c == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	if line < 1 || line > len(lines) {
		return t
	}
	first := strings.TrimRight(lines[line-1], " \t\r")
	if blockScalar.MatchString(first) {
		t.align(lines, line+1, text)
		return t
	}
	after := strings.Index(first, key)
	if after < 0 {
		return t
	}
	if at := strings.Index(first[after:], strings.TrimSpace(text)); at >= 0 {
		t.segments = []segment{{len(text) - len(strings.TrimLeft(text, " \t\n")), line, after + at + 1}}
	}
	return t
}

// align finds the words of a text in block style from a line of the file on: they stand
// there in their order, with other space between them.
func (t *textPlaces) align(lines []string, line int, text string) {
	at := 0
	for ; line <= len(lines) && at < len(text); line++ {
		raw := strings.TrimRight(lines[line-1], " \t\r")
		words := strings.TrimLeft(raw, " \t")
		if words == "" {
			continue
		}
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\n"))
		if !strings.HasPrefix(text[at:], words) {
			return
		}
		t.segments = append(t.segments, segment{at, line, len(raw) - len(words) + 1})
		at += len(words)
	}
}

// place returns the place in the file of a place in the text.
func (t *textPlaces) place(at script.Position) script.Position {
	placed := script.Position{File: t.file, Line: t.line}
	if at.Line < 1 || at.Line > len(t.starts) {
		return placed
	}
	offset := t.starts[at.Line-1] + max(at.Column-1, 0)
	i, exact := slices.BinarySearchFunc(t.segments, offset, func(s segment, offset int) int { return s.offset - offset })
	switch {
	case exact || i == 0 && len(t.segments) > 0 || at.Column == 0 && i < len(t.segments) && t.sameLine(at.Line, t.segments[i].offset):
	case i == 0:
		return placed
	default:
		i--
	}
	s := t.segments[i]
	placed.Line = s.line
	if at.Column > 0 {
		placed.Column = max(s.column+offset-s.offset, 1)
	}
	return placed
}

// sameLine reports whether an offset is on a line of the text.
func (t *textPlaces) sameLine(line, offset int) bool {
	return line == len(t.starts) || offset < t.starts[line]
}
