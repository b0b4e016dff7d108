// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"path"
	"regexp"
	"strings"

	"github.com/dragoman-io/dragoman/engine/author/source"
)

// cursor is a place in an open document, as a person sees it: nothing has to parse.
type cursor struct {
	*document
	files *source.Tree
	// offset is that of the place in the text; start and end are those of its line.
	offset, start, end int
}

func newCursor(d *document, files *source.Tree, at position) cursor {
	c := cursor{document: d, files: files}
	c.start, _ = lineStart(d.text, at.Line)
	c.offset = offsetAt(d.text, at)
	c.start = min(c.start, c.offset)
	c.end = c.offset + len(d.text[c.offset:])
	if i := strings.IndexAny(d.text[c.offset:], "\r\n"); i >= 0 {
		c.end = c.offset + i
	}
	return c
}

// before returns the line up to the cursor.
func (c cursor) before() string { return c.text[c.start:c.offset] }

// within returns the range of a part of the text.
func (c cursor) within(from, to int) textRange {
	return textRange{positionAt(c.text, from), positionAt(c.text, to)}
}

// onWord returns the cursor at the end of the name that it is in or at, and where that begins.
// Without one, both are at the cursor.
func (c cursor) onWord() (at cursor, from int) {
	line := c.text[c.start:c.end]
	from, to := c.offset-c.start, c.offset-c.start
	for from > 0 && isNameByte(line[from-1]) {
		from--
	}
	for to < len(line) && isNameByte(line[to]) {
		to++
	}
	at = c
	at.offset = c.start + to
	return at, c.start + from
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// scriptKey matches the fields of a customization that begin a script.
var scriptKey = regexp.MustCompile(`(?m)^[ \t-]*(luaScript|celExpression|script|[A-Za-z]+)[ \t]*:`)

// script returns the language of the script that the cursor is in: that of the file, or of the
// nearest script above it in a customization.
func (c cursor) script() language {
	if c.language != yamlLanguage {
		return c.language
	}
	found := otherLanguage
	indent := 0
	for _, m := range scriptKey.FindAllStringSubmatchIndex(c.text[:c.offset], -1) {
		depth := m[2] - m[0]
		switch key := c.text[m[2]:m[3]]; {
		case key == "luaScript":
			found, indent = luaLanguage, depth
		case key == "celExpression":
			found, indent = celLanguage, depth
		case found != otherLanguage && depth <= indent:
			found = otherLanguage
		}
	}
	return found
}

// inBundle returns the path of the document within its bundle, "" where it is in none.
func (c cursor) inBundle() string {
	if c.unit.bundleDir() == "" {
		return ""
	}
	return strings.TrimPrefix(c.path, strings.TrimSuffix(c.unit.bundleDir(), "/")+"/")
}

// base returns the name of the document's file without its ending.
func (c cursor) base() string { return strings.TrimSuffix(path.Base(c.path), path.Ext(c.path)) }
