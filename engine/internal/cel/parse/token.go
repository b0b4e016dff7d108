// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	end kind = iota
	// symbol is punctuation, an operator, or one of the words in, true, false, null.
	symbol
	identifier
	// escaped is an identifier in backquotes.
	escaped
	intNumber
	uintNumber
	floatNumber
	text
	bytes
)

// token is a token as it stands in the source.
type token struct {
	kind kind
	text string
	// at is where it begins, and length is how long it is, in characters.
	at, length int32
}

// is reports whether t is a symbol.
func (t token) is(s string) bool { return t.kind == symbol && t.text == s }

// scanner splits a source into tokens.
type scanner struct {
	source string
	// next is the first byte, and at the first character, that was not read.
	next int
	at   int32
	// comment takes each comment, at its first byte; nil passes over them.
	comment func(at int, text string)
}

// scan returns the next token; end is the last, again and again.
func (s *scanner) scan() token {
	s.skip()
	rest := s.source[s.next:]
	if rest == "" {
		return token{kind: end, at: s.at}
	}
	k, n := s.measure(rest)
	t := token{kind: k, text: rest[:n], at: s.at}
	s.advance(n)
	t.length = s.at - t.at
	if k == identifier && isWord(t.text) {
		t.kind = symbol
	}
	return t
}

// advance takes n bytes.
func (s *scanner) advance(n int) {
	s.at += int32(utf8.RuneCountInString(s.source[s.next : s.next+n]))
	s.next += n
}

// skip takes white space and comments.
func (s *scanner) skip() {
	for s.next < len(s.source) {
		rest := s.source[s.next:]
		switch {
		case strings.IndexByte(" \t\r\n\f", rest[0]) >= 0:
			s.advance(1)
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			if s.comment != nil {
				s.comment(s.next, rest[:n])
			}
			s.advance(n)
		default:
			return
		}
	}
}

// isWord reports whether an identifier is a token of its own.
func isWord(s string) bool { return s == "in" || s == "true" || s == "false" || s == "null" }

// measure returns the kind and the length in bytes of the token that s begins with.
func (s *scanner) measure(rest string) (kind, int) {
	c := rest[0]
	switch {
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return number(rest)
	case c == '"' || c == '\'':
		return text, s.quoted(rest, 0)
	case isLetter(c):
		if n := prefix(rest); n > 0 {
			k := text
			if c == 'b' || c == 'B' {
				k = bytes
			}
			return k, s.quoted(rest, n)
		}
		return identifier, span(rest, isNamed)
	case c == '`':
		if n := 1 + span(rest[1:], isEscaped); n > 1 && n < len(rest) && rest[n] == '`' {
			return escaped, n + 1
		}
	case len(rest) > 1 && isPair(rest[:2]):
		return symbol, 2
	case strings.IndexByte("[]{}().,-!?:+*/%<>", c) >= 0:
		return symbol, 1
	}
	r, _ := utf8.DecodeRuneInString(rest)
	panic(&Error{Offset: s.at, Message: fmt.Sprintf("unexpected '%c'", r)})
}

// isPair reports whether two bytes are an operator.
func isPair(s string) bool {
	switch s {
	case "==", "!=", "<=", ">=", "&&", "||":
		return true
	}
	return false
}

// prefix returns the length of r, b and br in front of a quote, 0 where none stands there.
func prefix(s string) int {
	n := 0
	if n < len(s) && (s[n] == 'b' || s[n] == 'B') {
		n++
	}
	if n < len(s) && (s[n] == 'r' || s[n] == 'R') {
		n++
	}
	if n < len(s) && (s[n] == '"' || s[n] == '\'') {
		return n
	}
	return 0
}

// number measures a number.
func number(s string) (kind, int) {
	if strings.HasPrefix(s, "0x") {
		if n := span(s[2:], isHex); n > 0 {
			return unsigned(s, n+2)
		}
	}
	n := span(s, isDigit)
	whole := n
	if n < len(s) && s[n] == '.' {
		if digits := span(s[n+1:], isDigit); digits > 0 {
			n += 1 + digits
		}
	}
	if e := exponent(s[n:]); e > 0 {
		return floatNumber, n + e
	}
	if n > whole {
		return floatNumber, n
	}
	return unsigned(s, n)
}

// unsigned measures a whole number of n bytes and the u behind it.
func unsigned(s string, n int) (kind, int) {
	if n < len(s) && (s[n] == 'u' || s[n] == 'U') {
		return uintNumber, n + 1
	}
	return intNumber, n
}

// exponent measures e+10, 0 where s does not begin with an exponent.
func exponent(s string) int {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0
	}
	n := 1
	if n < len(s) && (s[n] == '+' || s[n] == '-') {
		n++
	}
	digits := span(s[n:], isDigit)
	if digits == 0 {
		return 0
	}
	return n + digits
}

// span returns how many bytes at the beginning of s are of a set.
func span(s string, in func(byte) bool) int {
	for i := range len(s) {
		if !in(s[i]) {
			return i
		}
	}
	return len(s)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isNamed(c byte) bool  { return isLetter(c) || isDigit(c) }

func isEscaped(c byte) bool {
	return isNamed(c) || c == '.' || c == '-' || c == '/' || c == ' '
}
