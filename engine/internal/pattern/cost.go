// SPDX-License-Identifier: Apache-2.0

package pattern

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What the parts of an expression cost, in units of 0.25 us.
const (
	byteCost = 4
	// tableCost is that of a class by name, such as \pL: it has up to 700 ranges.
	tableCost = 600
	// groupCost is that of a class such as \w or [:alpha:] whose characters are looked up.
	groupCost = 40
	// No character beyond these has another case.
	minFold, maxFold = 'A', 0x1e943
)

// Cost returns what it takes to compile an expression, in units of 0.25 us, which are
// gas. It reads the text alone, and may return more than is right for one that does not
// parse. The error refuses an expression that is too long or costs too much.
func Cost(source string) (int64, error) {
	if len(source) > MaxLength {
		return 0, errLong
	}
	cost := int64(16 + byteCost*len(source))
	cost += tableCost * int64(strings.Count(source, `\p`)+strings.Count(source, `\P`))
	if folds(source) {
		cost += folded(source) // a unit for each character of a range
		cost += groupCost * int64(strings.Count(source, `[:`)+strings.Count(source, `\w`)+strings.Count(source, `\W`))
	}
	if cost > MaxCost {
		return 0, errWide
	}
	return cost, nil
}

// folds reports whether a group of an expression may have the flag i.
func folds(source string) bool {
	for rest := source; ; {
		_, after, ok := strings.Cut(rest, "(?")
		if !ok {
			return false
		}
		for i := 0; i < len(after) && strings.IndexByte("imsU-", after[i]) >= 0; i++ {
			if after[i] == 'i' {
				return true
			}
		}
		rest = after
	}
}

// folded returns how many characters the ranges of an expression have that may have
// another case. Each minus between two characters counts as a range, within a class or
// not.
func folded(source string) int64 {
	total := int64(0)
	last := rune(0)
	for s := source; s != ""; {
		r, n := character(s)
		s = s[n:]
		if r == '-' && n == 1 && s != "" {
			to, _ := character(s)
			if from := max(last, minFold); min(to, maxFold) >= from {
				total += int64(min(to, maxFold) - from + 1)
			}
		}
		last = r
	}
	return total
}

// character returns the character at the beginning of s, and how long its form is. What
// no character stands for is the last character that there is.
func character(s string) (rune, int) {
	if s[0] != '\\' || len(s) == 1 {
		return utf8.DecodeRuneInString(s)
	}
	switch c := s[1]; {
	case strings.HasPrefix(s, `\x{`):
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return unicode.MaxRune, len(s)
		}
		return number(s[3:end], 16), end + 1
	case c == 'x' && len(s) >= 4:
		return number(s[2:4], 16), 4
	case '0' <= c && c <= '7':
		n := 2
		for n < len(s) && n < 4 && '0' <= s[n] && s[n] <= '7' {
			n++
		}
		return number(s[1:n], 8), n
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	return r, n + 1
}

// number returns the character of a number, the last one where it is none.
func number(s string, base int) rune {
	v, err := strconv.ParseUint(s, base, 21)
	if err != nil || v > unicode.MaxRune {
		return unicode.MaxRune
	}
	return rune(v)
}
