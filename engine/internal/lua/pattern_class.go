// SPDX-License-Identifier: Apache-2.0

package lua

// classEnd returns the index after the single character class at p.
func (m *matcher) classEnd(p int) int {
	c, start := m.pattern[p], p
	p++
	switch c {
	case '%':
		if p >= len(m.pattern) {
			m.fail("it ends with '%%'")
		}
		return p + 1
	case '[':
		if p < len(m.pattern) && m.pattern[p] == '^' {
			p++
		}
		for first := true; ; first = false {
			if p >= len(m.pattern) {
				m.fail("missing ']'")
			}
			c := m.pattern[p]
			p++
			if c == ']' && !first {
				m.vm.handle(p - start)
				return p
			}
			if c == '%' {
				p++
			}
		}
	}
	return p
}

// single reports whether the character at s is in the class from p to after.
func (m *matcher) single(s, p, after int) bool {
	if s >= len(m.text) {
		return false
	}
	c := m.text[s]
	switch m.pattern[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pattern[p+1])
	case '[':
		return m.inSet(c, p+1, after-1)
	}
	return m.pattern[p] == c
}

// setGas is what the work of eight characters on the class from p to after costs
// besides: each is compared with all of a set.
func (m *matcher) setGas(p, after int) int64 {
	if m.pattern[p] != '[' {
		return 0
	}
	return int64(after-p) / (gasBytes / 10)
}

// inSet reports whether c is in the set from p up to its bracket at end.
func (m *matcher) inSet(c byte, p, end int) bool {
	m.vm.handle(4 * (end - p)) // each of them is compared
	found := true
	if m.pattern[p] == '^' {
		found = false
		p++
	}
	for p < end {
		switch {
		case m.pattern[p] == '%' && p+1 < end:
			if inClass(c, m.pattern[p+1]) {
				return found
			}
			p += 2
		case p+2 < end && m.pattern[p+1] == '-':
			if m.pattern[p] <= c && c <= m.pattern[p+2] {
				return found
			}
			p += 3
		default:
			if m.pattern[p] == c {
				return found
			}
			p++
		}
	}
	return !found
}

// inClass reports whether c is in the class of a letter after %. Any other
// character stands for itself.
func inClass(c, class byte) bool {
	in, known := false, true
	switch class | 0x20 {
	case 'a':
		in = isLetter(c)
	case 'c':
		in = c < 32 || c == 127
	case 'd':
		in = isDigit(c)
	case 'l':
		in = c >= 'a' && c <= 'z'
	case 'p':
		in = c > 32 && c < 127 && !isLetter(c) && !isDigit(c)
	case 's':
		in = c == ' ' || c >= 9 && c <= 13
	case 'u':
		in = c >= 'A' && c <= 'Z'
	case 'w':
		in = isLetter(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		known = false
	}
	if !known || !isLetter(class) {
		return class == c
	}
	return in == (class >= 'a')
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
