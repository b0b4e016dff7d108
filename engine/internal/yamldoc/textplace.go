// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"regexp"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/dragoman-io/dragoman/engine/script"
)

// TextPlaces knows where in a YAML file the characters of a text stand. YAML may fold lines
// of a text into one, and indents them.
type TextPlaces struct {
	// File is the file.
	File string
	// Line is that of the key, from 1.
	Line int
	// starts are the offsets of the lines of the text.
	starts []int
	// segments are the parts of the text that stand on one line of the file, by offset.
	segments []segment
}

// segment is a part of a text that stands on one line of a file.
type segment struct{ offset, line, column int }

// blockScalar matches what stands before a text in block style.
var blockScalar = regexp.MustCompile(`:\s*(&\S+\s+)?[|>][-+0-9]*\s*(#.*)?$`)

// NewTextPlaces finds a text that is the value of the key at a line, from 1, of a file of
// these lines. What it does not find stands at the key.
func NewTextPlaces(file string, lines []string, line int, key, text string) *TextPlaces {
	t := placesOf(file, line, text)
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

// placesOf returns the places of a text of which none is known but the line of the key.
func placesOf(file string, line int, text string) *TextPlaces {
	t := &TextPlaces{File: file, Line: line, starts: []int{0}}
	for i, c := range []byte(text) {
		if c == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// TextPlaces finds the text that a value is, in a file of these lines. What it does not find stands at the
// value: such as in a text that was made of the one in the file, or has escapes. It takes as long as the text is,
// however long its line is.
func (n Node) TextPlaces(lines *Lines) *TextPlaces {
	text, _ := n.Value.(string)
	t := placesOf(n.File, n.Line, text)
	if n.tree == nil || n.tree.Kind != yamlv3.ScalarNode || n.tree.Value != text {
		return t
	}
	line, column := n.offset+n.tree.Line, n.tree.Column
	if n.tree.Style&(yamlv3.LiteralStyle|yamlv3.FoldedStyle) != 0 {
		t.align(lines.text, line+1, text)
		return t
	}
	if n.tree.Style&(yamlv3.DoubleQuotedStyle|yamlv3.SingleQuotedStyle) != 0 {
		column++
	}
	if text != "" && strings.HasPrefix(lines.from(line, column), text) {
		t.segments = []segment{{0, line, column}}
	}
	return t
}

// align finds the words of a text in block style from a line of the file on: they stand
// there in their order, with other space between them.
func (t *TextPlaces) align(lines []string, line int, text string) {
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

// Place returns the place in the file of a place in the text.
func (t *TextPlaces) Place(at script.Position) script.Position {
	placed := script.Position{File: t.File, Line: t.Line}
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
func (t *TextPlaces) sameLine(line, offset int) bool {
	return line == len(t.starts) || offset < t.starts[line]
}
