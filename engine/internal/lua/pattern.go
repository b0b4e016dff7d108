// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// matcher is the pattern matcher of Lua 5.1 (lstrlib.c). It pays a unit of gas
// for each step, so that no pattern outlives the budget, and bounds its depth.
type matcher struct {
	vm      *machine
	text    string
	pattern string
	depth   int
	count   int
	// captures are those that are open or done.
	captures [maxCaptures]capturing
}

// capturing is one pair of brackets of a pattern.
type capturing struct{ start, length int }

const (
	maxCaptures     = 32
	maxPatternDepth = 200
	// open and position are lengths of a capture that is not done, and of "()".
	open     = -1
	position = -2
	// none is the end of a match that failed.
	none = -1
)

// begin prepares the matcher for another attempt.
func (m *matcher) begin() { m.count, m.depth = 0, 0 }

// fail ends the run, or the pcall around it, because of the pattern.
func (m *matcher) fail(format string, args ...any) {
	panic(&failure{code: script.Type, line: m.vm.frame.line(), message: "malformed pattern (" + fmt.Sprintf(format, args...) + ")"})
}

// match matches the pattern from p on at s, and returns the end of the match or
// none.
func (m *matcher) match(s, p int) int {
	m.depth++
	if m.depth > maxPatternDepth {
		panic(&failure{code: script.Depth, line: m.vm.frame.line(), message: fmt.Sprintf("a pattern nests deeper than %d steps", maxPatternDepth)})
	}
	end := m.steps(s, p)
	m.depth--
	return end
}

// steps is match for one level of depth.
func (m *matcher) steps(s, p int) int {
	for {
		m.vm.charge(1)
		if p >= len(m.pattern) {
			return s
		}
		switch m.pattern[p] {
		case '(':
			if strings.HasPrefix(m.pattern[p+1:], ")") {
				return m.start(s, p+2, position)
			}
			return m.start(s, p+1, open)
		case ')':
			return m.finish(s, p+1)
		case '$':
			if p+1 == len(m.pattern) {
				if s == len(m.text) {
					return s
				}
				return none
			}
		case '%':
			if strings.HasPrefix(m.pattern[p+1:], "f") {
				if p = m.frontier(s, p+2); p == none {
					return none
				}
				continue
			}
			next, ok := m.special(s, p)
			if !ok {
				break
			}
			if next == none {
				return none
			}
			s = next
			p += 2
			if m.pattern[p-1] == 'b' {
				p += 2
			}
			continue
		}
		after := m.classEnd(p)
		if after < len(m.pattern) {
			switch m.pattern[after] {
			case '?':
				if m.single(s, p, after) {
					if end := m.match(s+1, after+1); end != none {
						return end
					}
				}
				p = after + 1
				continue
			case '+', '*':
				return m.most(s, p, after)
			case '-':
				return m.least(s, p, after)
			}
		}
		if !m.single(s, p, after) {
			return none
		}
		s++
		p = after
	}
}

// special matches %b and a back reference. It is not ok where p is neither.
func (m *matcher) special(s, p int) (end int, ok bool) {
	if p+1 >= len(m.pattern) {
		return none, false
	}
	switch c := m.pattern[p+1]; {
	case c == 'b':
		return m.balance(s, p+2), true
	case isDigit(c):
		return m.back(s, c), true
	}
	return none, false
}

// frontier matches %f[set] at s: where the character before s is not in the set and the
// one at s is. The ends of the text count as \0. It returns the rest of the pattern, or
// none.
func (m *matcher) frontier(s, p int) int {
	if !strings.HasPrefix(m.pattern[p:], "[") {
		m.fail("missing '[' after '%%f'")
	}
	after := m.classEnd(p)
	var before, at byte
	if s > 0 {
		before = m.text[s-1]
	}
	if s < len(m.text) {
		at = m.text[s]
	}
	if m.inSet(before, p+1, after-1) || !m.inSet(at, p+1, after-1) {
		return none
	}
	return after
}

// balance matches %bxy at s.
func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pattern) {
		m.fail("missing arguments to '%%b'")
	}
	opening, closing := m.pattern[p], m.pattern[p+1]
	if s >= len(m.text) || m.text[s] != opening {
		return none
	}
	nested := 1
	for i := s + 1; i < len(m.text); i++ {
		m.vm.charge(1)
		switch m.text[i] {
		case closing:
			nested--
			if nested == 0 {
				return i + 1
			}
		case opening:
			nested++
		}
	}
	return none
}

// back matches what capture digit matched.
func (m *matcher) back(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= m.count || m.captures[i].length < 0 {
		m.fail("invalid capture index %%%c", digit)
	}
	c := m.captures[i]
	m.vm.handle(c.length)
	if !strings.HasPrefix(m.text[s:], m.text[c.start:c.start+c.length]) {
		return none
	}
	return s + c.length
}

// start opens a capture at s and matches the rest.
func (m *matcher) start(s, p, length int) int {
	if m.count == maxCaptures {
		m.fail("too many captures")
	}
	m.captures[m.count] = capturing{s, length}
	m.count++
	end := m.match(s, p)
	if end == none {
		m.count--
	}
	return end
}

// finish closes the innermost open capture at s and matches the rest.
func (m *matcher) finish(s, p int) int {
	i := m.count - 1
	for i >= 0 && m.captures[i].length != open {
		i--
	}
	if i < 0 {
		m.fail("invalid pattern capture")
	}
	m.captures[i].length = s - m.captures[i].start
	end := m.match(s, p)
	if end == none {
		m.captures[i].length = open
	}
	return end
}

// most matches as many of a class as leave the rest a match.
func (m *matcher) most(s, p, after int) int {
	least := 0
	if m.pattern[after] == '+' {
		least = 1
	}
	n, cost := 0, 1+m.setGas(p, after)
	for m.single(s+n, p, after) {
		n++
		if n%8 == 0 {
			m.vm.charge(cost)
		}
	}
	for ; n >= least; n-- {
		if end := m.match(s+n, after+1); end != none {
			return end
		}
	}
	return none
}

// least matches as few of a class as leave the rest a match.
func (m *matcher) least(s, p, after int) int {
	for {
		if end := m.match(s, after+1); end != none {
			return end
		}
		if !m.single(s, p, after) {
			return none
		}
		s++
	}
}

// captured returns the captures of a match from start to end, or the whole match
// where the pattern has none. They are added to values.
func (m *matcher) captured(values []any, start, end int) []any {
	if m.count == 0 {
		m.vm.allocate(textBytes)
		return append(values, m.text[start:end])
	}
	for i := range m.count {
		values = append(values, m.capture(i))
	}
	return values
}

// capture returns capture i, from 0.
func (m *matcher) capture(i int) any {
	m.vm.allocate(textBytes)
	c := m.captures[i]
	switch c.length {
	case position:
		return int64(c.start + 1)
	case open:
		m.fail("unfinished capture")
	}
	return m.text[c.start : c.start+c.length]
}
