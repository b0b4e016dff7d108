// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// measure counts what a document becomes when its aliases are replaced by copies. It
// visits each value of the text once.
type measure struct {
	file   string
	offset int
	limits measured
	values counter
	bytes  counter
	// anchors are the measures of values with an anchor; one that is being measured
	// still has none.
	anchors map[*yamlv3.Node]size
}

// measured are the limits of one document.
type measured struct {
	values, bytes int
	ofValues      scope
	ofBytes       scope
	depth         int
}

// size is what a value becomes; below is how deep values nest in it.
type size struct{ values, bytes, below int }

// counter adds up to its limit.
type counter struct{ n, most int }

// add reports whether the sum is within the limit.
func (c *counter) add(n int) bool {
	if n > c.most-c.n {
		c.n = c.most
		return false
	}
	c.n += n
	return true
}

func newMeasure(file string, offset int, limits measured) *measure {
	return &measure{
		file: file, offset: offset, limits: limits,
		values: counter{most: limits.values}, bytes: counter{most: limits.bytes},
		anchors: map[*yamlv3.Node]size{},
	}
}

// node adds a value at a depth, which is 1 for a document. The error is an *Error: the
// document is above a limit, or an anchor contains itself.
func (m *measure) node(n *yamlv3.Node, depth int) (deepest int, err error) {
	if depth > m.limits.depth {
		return depth, m.tooDeep(n)
	}
	if n.Kind == yamlv3.AliasNode {
		return m.alias(n, depth)
	}
	before := size{values: m.values.n, bytes: m.bytes.n}
	if err := m.add(n, size{values: 1, bytes: len(n.Value)}); err != nil {
		return depth, err
	}
	deepest = depth
	for _, child := range n.Content {
		below, err := m.node(child, depth+1)
		if err != nil {
			return depth, err
		}
		deepest = max(deepest, below)
	}
	if n.Anchor != "" {
		m.anchors[n] = size{values: m.values.n - before.values, bytes: m.bytes.n - before.bytes, below: deepest - depth}
	}
	return deepest, nil
}

// alias adds a copy of what stands behind an alias.
func (m *measure) alias(n *yamlv3.Node, depth int) (deepest int, err error) {
	behind, known := m.anchors[n.Alias]
	switch {
	case !known:
		return depth, m.errorf(n, "the value of the anchor %s contains itself", n.Value)
	case depth+behind.below > m.limits.depth:
		return depth, m.tooDeep(n)
	}
	return depth + behind.below, m.add(n, behind)
}

// add adds the size of a value.
func (m *measure) add(n *yamlv3.Node, s size) error {
	if !m.values.add(s.values) {
		return m.errorf(n, "%s", tooMany(m.limits.ofValues))
	}
	if !m.bytes.add(s.bytes) {
		return m.errorf(n, "%s", tooLong(m.limits.ofBytes))
	}
	return nil
}

func (m *measure) tooDeep(n *yamlv3.Node) error {
	return m.errorf(n, "values nest deeper than %d", m.limits.depth)
}

// remedy is what to do about a file above a limit.
const remedy = "split it, or use fewer aliases"

// tooMany is the message of a file with too many values.
func tooMany(s scope) string {
	return fmt.Sprintf("too many values: a %s may hold at most %d, those behind an alias counted each time; %s", s.of, s.most, remedy)
}

// tooLong is the message of a file with too long values.
func tooLong(s scope) string {
	return fmt.Sprintf("too long values: those of a %s may have at most %d bytes, those behind an alias counted each time; %s", s.of, s.most, remedy)
}

func (m *measure) errorf(n *yamlv3.Node, format string, args ...any) error {
	return Node{File: m.file, Line: m.offset + n.Line}.Errorf(format, args...)
}

// marksPerValue is how many marks a document may have for each value that it may hold:
// texts and descriptions have some, too.
const marksPerValue = 2

// commentMarks is what a comment counts for: the parser attaches it to a value.
const commentMarks = 4

// tooManyMarks reports whether a text has more marks than most. What stands in a string
// counts, but in JSON, where it is known what does.
func tooManyMarks(text []byte, most int) bool {
	if marks(text) <= most {
		return false
	}
	return !json.Valid(text) || marks(withoutStrings(text)) > most
}

// withoutStrings returns JSON with all strings empty.
func withoutStrings(text []byte) []byte {
	var left []byte
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			return append(left, text...)
		}
		left = append(left, text[:i]...)
		for i++; text[i] != '"'; i++ {
			if text[i] == '\\' {
				i++
			}
		}
		text = text[i+1:]
	}
}

// marks counts the bytes that can begin a value, so that a text with too many is not even
// parsed: each value but the first begins after one of them. A text has more marks than
// values where scalars hold some, which a limit must allow for.
func marks(text []byte) int {
	n := 0
	for i, c := range text {
		switch c {
		case ',', '[', '{', ':', '\n', '\r':
			n++
		case 0x85, 0xa8, 0xa9:
			if endsLine(text[:i+1]) {
				n++
			}
		case '#':
			n += commentMarks
		case '-', '?':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t') {
				n++
			}
		}
	}
	return n
}

// hasDirective reports whether a document begins with a directive, such as %TAG, which
// can make each tag of the document as long as it likes.
func hasDirective(text []byte) bool {
	comment := false
	for i, c := range text {
		switch {
		case endsLine(text[:i+1]):
			comment = false
		case comment || c == ' ' || c == '\t' || isLead(c):
		case c == '#':
			comment = true
		default:
			return c == '%'
		}
	}
	return false
}

// isLead reports whether a byte belongs to a byte order mark or to a line break of more
// than one byte.
func isLead(c byte) bool { return strings.IndexByte("\ufeff\u0085\u2028\u2029", c) >= 0 }

// endsLine reports whether a text ends with a line break, of which YAML knows five.
func endsLine(text []byte) bool {
	switch text[len(text)-1] {
	case '\n', '\r':
		return true
	case 0x85:
		return bytes.HasSuffix(text, []byte("\u0085"))
	case 0xa8, 0xa9:
		return bytes.HasSuffix(text, []byte("\u2028")) || bytes.HasSuffix(text, []byte("\u2029"))
	}
	return false
}
