// SPDX-License-Identifier: Apache-2.0

package cel

import "strings"

// maxShort is the longest text that Go looks for in a time that is that of the text it
// looks in. Longer ones it compares wherever their hash occurs, and the hash is known.
const maxShort = 63

// finder finds a text in others, in a time that is that of their length.
type finder struct {
	sought string
	// borders holds for each prefix of sought the length of the longest that is also its
	// end (Knuth, Morris, Pratt); nil where sought is short.
	borders []int32
}

// find returns a finder of a text, and pays for it.
func (m *meter) find(sought string) finder {
	f := finder{sought: sought}
	if len(sought) <= maxShort {
		return f
	}
	m.charge(int64(len(sought)) / 16)
	m.allocate(4 * int64(len(sought)))
	f.borders = make([]int32, len(sought))
	n := int32(0)
	for i := 1; i < len(sought); i++ {
		n = f.step(n, sought[i])
		f.borders[i] = n
	}
	return f
}

// step returns how much of what is sought is found once c follows n bytes of it.
func (f finder) step(n int32, c byte) int32 {
	for n > 0 && f.sought[n] != c {
		n = f.borders[n-1]
	}
	if f.sought[n] == c {
		n++
	}
	return n
}

// in returns the first place of what is sought in s, -1 where it is not there.
func (f finder) in(s string) int {
	if f.borders == nil {
		return strings.Index(s, f.sought)
	}
	n := int32(0)
	for i := range len(s) {
		if n = f.step(n, s[i]); int(n) == len(f.sought) {
			return i + 1 - len(f.sought)
		}
	}
	return -1
}

// count returns how often what is sought stands in s without overlap, up to a number.
func (f finder) count(s string, most int) int {
	n := 0
	for n < most {
		at := f.in(s)
		if at < 0 {
			break
		}
		s = s[at+len(f.sought):]
		n++
	}
	return n
}
