// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"math"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/search"
)

// stringFind is string.find: the first and last position of the match, then the
// captures, or nil.
func stringFind(c call) []any {
	text, pattern, from := c.search()
	if truthy(c.arg(3)) || !c.isPattern(pattern) {
		c.vm.handle(2 * (len(text) - from + len(pattern)))
		i := search.Index(text[from:], pattern)
		if i < 0 {
			return c.results(nil)
		}
		first := from + i + 1
		return c.results(int64(first), int64(first+len(pattern)-1))
	}
	m := matcher{vm: c.vm, text: text}
	start, end := m.find(pattern, from)
	if end == none {
		return c.results(nil)
	}
	values := c.results(int64(start+1), int64(end))
	for i := range m.count {
		values = append(values, m.capture(i))
	}
	c.vm.results = values
	return values
}

// stringMatch is string.match: the captures of the match, or the match where
// the pattern has none, or nil.
func stringMatch(c call) []any {
	text, pattern, from := c.search()
	m := matcher{vm: c.vm, text: text}
	start, end := m.find(pattern, from)
	if end == none {
		return c.results(nil)
	}
	c.vm.results = m.captured(c.vm.results[:0], start, end)
	return c.vm.results
}

// isPattern reports whether a pattern has characters that do not stand for themselves.
func (c call) isPattern(pattern string) bool {
	c.vm.handle(len(pattern))
	return strings.ContainsAny(pattern, "^$*+?.([%-")
}

// search reads the arguments of find and match. A start behind the text is its end.
func (c call) search() (text, pattern string, from int) {
	text, pattern = c.text(0), c.text(1)
	i := c.integerOr(2, 1)
	if i < 0 {
		i += int64(len(text)) + 1
	}
	return text, pattern, int(min(max(i, 1), int64(len(text))+1) - 1)
}

// find returns the first match of pattern in the text, or none as its end.
func (m *matcher) find(pattern string, from int) (start, end int) {
	var anchored bool
	m.pattern, anchored = strings.CutPrefix(pattern, "^")
	for s := from; s <= len(m.text); s++ {
		m.begin()
		if end := m.match(s, 0); end != none {
			return s, end
		}
		if anchored {
			break
		}
	}
	return 0, none
}

// stringGmatch returns an iterator over the matches.
func stringGmatch(c call) any {
	m := &matcher{vm: c.vm, text: c.text(0), pattern: c.text(1)}
	at := 0
	c.vm.allocate(matcherBytes)
	return &native{name: "gmatch iterator", many: func(c call) []any {
		for at <= len(m.text) {
			m.begin()
			start := at
			end := m.match(start, 0)
			if end == none {
				at++
				continue
			}
			at = end
			if end == start {
				at++
			}
			c.vm.results = m.captured(c.vm.results[:0], start, end)
			return c.vm.results
		}
		return c.results(nil)
	}}
}

// matcherBytes is what a matcher costs that is not on Go's stack.
const matcherBytes = 640

// stringGsub is string.gsub: the text with the matches replaced, and how many.
func stringGsub(c call) []any {
	pattern, anchored := strings.CutPrefix(c.text(1), "^")
	c.vm.allocate(matcherBytes)
	m := &matcher{vm: c.vm, text: c.text(0), pattern: pattern}
	replace := c.replacement(2)
	most := c.integerOr(3, math.MaxInt32)
	out := c.vm.builder()
	at, n := 0, int64(0)
	for n < most {
		m.begin()
		end := m.match(at, 0)
		if end != none {
			n++
			replace(out, m, at, end)
		}
		switch {
		case end != none && end > at:
			at = end
		case at < len(m.text):
			out.writeByte(m.text[at])
			at++
		default:
			at++
		}
		if at > len(m.text) || anchored {
			break
		}
	}
	if at < len(m.text) {
		out.write(m.text[at:])
	}
	return c.results(out.string(), n)
}

// replacement returns what writes the replacement of a match: a template, a
// table or a function.
func (c call) replacement(i int) func(out *builder, m *matcher, start, end int) {
	switch r := c.arg(i).(type) {
	case string:
		return func(out *builder, m *matcher, start, end int) { c.expand(out, r, m, start, end) }
	case int64, float64:
		s := text(r)
		return func(out *builder, m *matcher, start, end int) { c.expand(out, s, m, start, end) }
	case *table:
		return func(out *builder, m *matcher, start, end int) {
			var few [1]any
			c.substitute(out, r.get(m.captured(few[:0], start, end)[0]), m.text[start:end])
		}
	case *function, *native:
		return func(out *builder, m *matcher, start, end int) {
			var few [4]any
			c.substitute(out, c.vm.back(r, m.captured(few[:0], start, end)...), m.text[start:end])
		}
	}
	c.expected(i, "string, function or table")
	return nil
}

// substitute writes the value for a match: the match itself for nil and false.
func (c call) substitute(out *builder, v any, match string) {
	switch v := v.(type) {
	case string:
		out.write(v)
	case int64, float64:
		out.write(text(v))
	default:
		if truthy(v) {
			c.fail("invalid replacement value (a %s)", typeName(v))
		}
		out.write(match)
	}
}

// expand writes a template: %0 is the match, %1 to %9 are captures.
func (c call) expand(out *builder, template string, m *matcher, start, end int) {
	c.vm.template(len(template))
	for {
		i := strings.IndexByte(template, '%')
		if i < 0 || i+1 == len(template) {
			out.write(template)
			return
		}
		out.write(template[:i])
		digit := template[i+1]
		template = template[i+2:]
		switch {
		case !isDigit(digit):
			out.writeByte(digit)
		case digit == '0' || digit == '1' && m.count == 0:
			out.write(m.text[start:end])
		case int(digit-'1') >= m.count:
			c.fail("invalid capture index %s", fmt.Sprintf("%%%c", digit))
		default:
			out.write(text(m.capture(int(digit - '1'))))
		}
	}
}
