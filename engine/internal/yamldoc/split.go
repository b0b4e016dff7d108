// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"bytes"
	"strings"

	"sigs.k8s.io/yaml"
)

// Document is the text of one document of a file.
type Document struct {
	// Line is the line of the file with the first content of the document: neither
	// empty nor a comment. It starts at 1.
	Line int
	Text []byte

	// offset is the number of lines of the file before Text.
	offset int
}

// Split returns the documents of a file, without those that hold nothing. It cuts at
// the marks of YAML: "---" and "...", alone or before a comment, and "---" before
// content. A byte order mark at the start of the file is dropped. The documents are not
// parsed, so one that is no YAML does not hide the others.
func Split(data []byte) []Document {
	var all []Document
	for _, d := range split(data) {
		if !d.isEmpty() {
			all = append(all, d)
		}
	}
	return all
}

// split returns all documents of a file, empty ones too.
func split(data []byte) []Document {
	var (
		all []Document
		now Document
	)
	end := func(next int) {
		now.Line = now.firstLine()
		all = append(all, now)
		now = Document{offset: next}
	}
	for i, line := range bytes.SplitAfter(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n")) {
		if rest, marked := mark(line); marked {
			end(i)
			line = rest
		}
		now.Text = append(now.Text, line...)
	}
	end(0)
	return all
}

// mark reports whether a line ends a document, and returns what of the line belongs to
// the next one.
func mark(line []byte) (rest []byte, marked bool) {
	text := strings.TrimRight(string(line), " \t\r\n")
	if after, ends := strings.CutPrefix(text, "..."); ends && isComment(after) {
		return []byte("\n"), true
	}
	after, begins := strings.CutPrefix(text, "---")
	switch {
	case !begins:
		return nil, false
	case isComment(after):
		return []byte("\n"), true
	case after[0] == ' ' || after[0] == '\t':
		return line, true
	}
	return nil, false
}

// isComment reports whether the rest of a line is empty, or a comment after a blank.
func isComment(rest string) bool {
	text := strings.TrimLeft(rest, " \t")
	return text == "" || text != rest && text[0] == '#'
}

// firstLine returns the line of the file with the first content, or the one after the
// document where it has none.
func (d Document) firstLine() int {
	line := d.offset + 1
	for _, l := range strings.Split(string(d.Text), "\n") {
		l = strings.TrimSpace(l)
		if l != "" && l[0] != '#' {
			break
		}
		line++
	}
	return line
}

// isEmpty reports whether the document has no value, or null.
func (d Document) isEmpty() bool {
	var value any
	return yaml.Unmarshal(d.Text, &value) == nil && value == nil
}
