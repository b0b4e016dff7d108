// SPDX-License-Identifier: Apache-2.0

package lua

import "strings"

// token is a word, an operator, or a literal of a source. The scanner exists
// for the guard: it knows where strings and comments end, and no grammar.
type token struct {
	kind   tokenKind
	text   string
	line   int
	column int
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenKeyword
	tokenLiteral
	tokenOperator
)

// scanner cuts a source into tokens.
type scanner struct {
	text string
	at   int
	line int
	// start is where the line starts.
	start int
	// unclosed is the string or comment that has no end, if there is one.
	unclosed token
	// comment takes each comment; nil passes over them.
	comment func(token)
}

// next returns the next token; after the last one it always returns tokenEnd.
func (s *scanner) next() token {
	s.skip()
	t := s.here("")
	if s.at >= len(s.text) {
		return t
	}
	start := s.at
	switch c := s.text[s.at]; {
	case isNameByte(c) && !isDigit(c):
		for s.at < len(s.text) && isNameByte(s.text[s.at]) {
			s.at++
		}
		t.kind = tokenName
		if isKeyword(s.text[start:s.at]) {
			t.kind = tokenKeyword
		}
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		s.number()
		t.kind = tokenLiteral
	case c == '"' || c == '\'':
		s.quoted(c)
		t.kind = tokenLiteral
	case c == '[' && s.level() >= 0:
		s.long(s.level())
		t.kind = tokenLiteral
	default:
		s.at += operatorLength(s.text[s.at:])
		t.kind = tokenOperator
	}
	t.text = s.text[start:s.at]
	return t
}

// here returns a token at the current place.
func (s *scanner) here(text string) token {
	return token{text: text, line: s.line, column: s.at - s.start + 1}
}

// skip passes white space and comments.
func (s *scanner) skip() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\n' || c == '\r':
			s.newline()
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			s.at++
		case c == '-' && s.peek(1) == '-':
			s.remark()
		default:
			return
		}
	}
}

// remark passes a comment.
func (s *scanner) remark() {
	t, start := s.here(""), s.at
	s.at += 2
	if n := s.level(); n >= 0 {
		s.long(n)
	} else {
		for s.at < len(s.text) && s.text[s.at] != '\n' && s.text[s.at] != '\r' {
			s.at++
		}
	}
	if s.comment != nil {
		t.text = s.text[start:s.at]
		s.comment(t)
	}
}

// number passes a number, as the parser reads it: a word may follow at once.
func (s *scanner) number() {
	if s.text[s.at] == '0' && s.peek(1)|0x20 == 'x' {
		s.at += 2
		s.digits(func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' })
		return
	}
	s.digits(isDigit)
	if s.peek(0) == '.' {
		s.at++
		s.digits(isDigit)
	}
	if s.peek(0)|0x20 != 'e' {
		return
	}
	s.at++
	if c := s.peek(0); c == '+' || c == '-' {
		s.at++
	}
	s.digits(isDigit)
}

// digits passes the bytes that are digits.
func (s *scanner) digits(isDigit func(byte) bool) {
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
}

// newline passes one end of a line, of whatever form.
func (s *scanner) newline() {
	c := s.text[s.at]
	s.at++
	s.line++
	if n := s.peek(0); (n == '\n' || n == '\r') && n != c {
		s.at++
	}
	s.start = s.at
}

func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

// level returns the number of = in the long bracket that opens here, or -1.
func (s *scanner) level() int {
	if s.peek(0) != '[' {
		return -1
	}
	n := 1
	for s.peek(n) == '=' {
		n++
	}
	if s.peek(n) != '[' {
		return -1
	}
	return n - 1
}

// long passes a long bracket of the given level, or what is left.
func (s *scanner) long(level int) {
	end := "]" + strings.Repeat("=", level) + "]"
	body := s.text[s.at:]
	if i := strings.Index(body, end); i >= 0 {
		body = body[:i+len(end)]
	} else {
		s.unclosed = s.here("long string or comment")
	}
	for stop := s.at + len(body); s.at < stop; {
		if c := s.text[s.at]; c == '\n' || c == '\r' {
			s.newline()
			continue
		}
		s.at++
	}
}

// quoted passes a string in quotes; one that is not closed ends with its line.
func (s *scanner) quoted(quote byte) {
	start := s.here("string")
	s.at++
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case quote:
			s.at++
			return
		case '\n', '\r':
			s.unclosed = start
			return
		case '\\':
			s.at++
			if n := s.peek(0); n == '\n' || n == '\r' {
				s.newline()
				continue
			}
		}
		s.at++
	}
	s.at = len(s.text)
	s.unclosed = start
}

// operatorLength returns the length of the operator at the start of s.
func operatorLength(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch second := s[1]; s[0] {
	case '.':
		switch {
		case second != '.':
		case len(s) > 2 && s[2] == '.':
			return 3
		default:
			return 2
		}
	case '=', '~', '<', '>':
		if second == '=' {
			return 2
		}
	case ':':
		if second == ':' {
			return 2
		}
	}
	return 1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return c == '_' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func isKeyword(s string) bool {
	switch s {
	case "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
		"local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while":
		return true
	}
	return false
}
