// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"bytes"
	"strings"

	"sigs.k8s.io/yaml"
)

// Document is the text of one YAML document of a file.
type Document struct {
	// Line is where its first line that is neither empty nor a comment stands in the
	// file.
	Line int
	Text []byte
}

// Documents cuts a file at its document marks, as kubectl does, and leaves out the
// documents that hold nothing. A document that does not parse is given as it is.
func Documents(data []byte) []Document {
	var (
		all   []Document
		now   []byte
		start = 1
	)
	end := func(next int) {
		if d, ok := newDocument(now, start); ok {
			all = append(all, d)
		}
		now, start = nil, next
	}
	for i, line := range bytes.SplitAfter(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n")) {
		switch rest, marked := mark(line); {
		case marked:
			end(i + 1)
			now = append(now, rest...)
		default:
			now = append(now, line...)
		}
	}
	end(0)
	return all
}

// mark reports whether a line ends a document, and returns what belongs to the next one.
func mark(line []byte) ([]byte, bool) {
	text := strings.TrimRight(string(line), " \t\r\n")
	after, begins := strings.CutPrefix(text, "---")
	switch trimmed := strings.TrimLeft(after, " \t"); {
	case text == "...", begins && (trimmed == "" || trimmed[0] == '#'):
		return []byte("\n"), true
	case begins && trimmed != after:
		return line, true
	}
	return nil, false
}

// newDocument returns a document that begins at a line of the file; false where it holds
// nothing.
func newDocument(text []byte, line int) (Document, bool) {
	var value any
	if yaml.Unmarshal(text, &value) == nil && value == nil {
		return Document{}, false
	}
	for _, l := range strings.Split(string(text), "\n") {
		l = strings.TrimSpace(l)
		if l != "" && l[0] != '#' {
			break
		}
		line++
	}
	return Document{Line: line, Text: text}, true
}
