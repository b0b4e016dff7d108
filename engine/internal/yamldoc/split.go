// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Document is the text of one document of a file.
type Document struct {
	// Line is the line of the file with the first content of the document: neither
	// empty nor a comment. It starts at 1.
	Line int
	Text []byte

	// file is the name of the file, offset the number of its lines before Text.
	file   string
	offset int
	// budget is what the document is taken from; of is what the documents of the file
	// took so far.
	budget *Budget
	of     *Limits
	paid   bool
}

// Split returns the documents of a file, without those that hold nothing. It cuts at
// the marks of YAML: "---" and "...", alone or before a comment, and "---" before
// content. A byte order mark at the start of the file is dropped. The documents are not
// parsed, so one that is no YAML does not hide the others; together they must be within
// FileLimits. The error is an *Error: there is too much text, or it is not UTF-8.
func Split(file string, data []byte) ([]*Document, error) {
	return fileBudget().Split(file, data)
}

// Split returns the documents of a file, which are taken from the budget when they are
// read; see the function Split.
func (b *Budget) Split(file string, data []byte) ([]*Document, error) {
	all, err := b.split(file, data)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, (*Document).isEmpty), nil
}

// split returns all documents of a file, empty ones too.
func (b *Budget) split(file string, data []byte) ([]*Document, error) {
	if err := b.text(file, data); err != nil {
		return nil, err
	}
	left, s := b.smaller(b.file.Documents, b.total.Documents, b.spent.Documents, 0)
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	of := &Limits{}
	var all []*Document
	now := &Document{file: file, budget: b, of: of}
	begin, line := 0, 0
	end := func(at int) error {
		if len(all) == left {
			message := fmt.Sprintf("too many documents: at most %d are read of a %s; split it", s.most, s.of)
			return &Error{File: file, Line: now.offset + 1, Message: message}
		}
		now.Text = slices.Concat(now.Text, text[begin:at])
		now.Line = now.firstLine()
		all = append(all, now)
		return nil
	}
	for at := 0; at < len(text); line++ {
		next := at + lineLength(text[at:])
		if rest, marked := mark(text[at:next]); marked {
			if err := end(at); err != nil {
				return nil, err
			}
			now = &Document{file: file, offset: line, Text: rest, budget: b, of: of}
			begin = next
		}
		at = next
	}
	if err := end(len(text)); err != nil {
		return nil, err
	}
	b.spent.Documents += len(all)
	return all, nil
}

// lineLength returns the length of the first line of a text, with its end, as the parser
// counts lines: YAML knows five line breaks.
func lineLength(text []byte) int {
	for i, c := range text {
		switch {
		case c > '\r' && c < utf8.RuneSelf:
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
			return i + 2
		case endsLine(text[:i+1]):
			return i + 1
		}
	}
	return len(text)
}

// lineBreaks are the characters of the line breaks.
const lineBreaks = "\r\n\u0085\u2028\u2029"

// cutLine returns the first line of a text without its end, and the rest. There is more
// where the line has an end.
func cutLine(text []byte) (line, rest []byte, more bool) {
	n := lineLength(text)
	line = bytes.TrimRight(text[:n], lineBreaks)
	return line, text[n:], len(line) < n
}

// limits returns what the document may take.
func (d *Document) limits() measured {
	b := d.budget
	l := measured{depth: b.file.Depth}
	l.values, l.ofValues = b.smaller(b.file.Values, b.total.Values, b.spent.Values, d.of.Values)
	l.bytes, l.ofBytes = b.smaller(b.file.Bytes, b.total.Bytes, b.spent.Bytes, d.of.Bytes)
	return l
}

// pay takes the document from the budget, once.
func (d *Document) pay(values, bytes int) {
	if d.paid {
		return
	}
	d.paid = true
	for _, spent := range []*Limits{&d.budget.spent, d.of} {
		spent.Values += values
		spent.Bytes += bytes
	}
}

// mark reports whether a line ends a document, and returns what of the line belongs to
// the next one.
func mark(line []byte) (rest []byte, marked bool) {
	if len(line) < 3 || line[0] != '-' && line[0] != '.' {
		return nil, false
	}
	text := strings.TrimRight(string(line), " \t"+lineBreaks)
	if after, ends := strings.CutPrefix(text, "..."); ends && isComment(after) {
		return []byte("\n"), true
	}
	after, begins := strings.CutPrefix(text, "---")
	switch {
	case !begins:
		return nil, false
	case isComment(after):
		return []byte("\n"), true
	case isBlank(after[0]):
		return line, true
	}
	return nil, false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isComment reports whether the rest of a line is empty, or a comment after a blank.
func isComment(rest string) bool {
	text := strings.TrimLeft(rest, " \t")
	return text == "" || text != rest && text[0] == '#'
}

// firstLine returns the line of the file with the first content, or the one after the
// document where it has none.
func (d *Document) firstLine() int {
	line := d.offset + 1
	for text := d.Text; ; line++ {
		l, rest, more := cutLine(text)
		l = bytes.TrimSpace(l)
		if len(l) > 0 && l[0] != '#' {
			return line
		}
		if !more {
			return line + 1
		}
		text = rest
	}
}

// isEmpty reports whether the document has no value, or null.
func (d *Document) isEmpty() bool {
	value := ""
	for text := d.Text; len(text) > 0; {
		l, rest, _ := cutLine(text)
		text = rest
		if after, begins := bytes.CutPrefix(l, []byte("---")); begins && len(after) > 0 && isBlank(after[0]) {
			l = after
		}
		l = bytes.TrimSpace(l)
		switch {
		case len(l) == 0 || l[0] == '#':
			continue
		case value != "" || len(l) > len("null"):
			return false
		}
		value = string(l)
	}
	return slices.Contains([]string{"", "~", "null", "Null", "NULL"}, value)
}
