// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted returns the length of a quoted text behind a prefix such as br.
func (s *scanner) quoted(rest string, prefix int) int {
	body := rest[prefix:]
	raw := prefix > 0 && rest[prefix-1]|0x20 == 'r'
	quote := body[:1]
	if strings.HasPrefix(body, strings.Repeat(quote, 3)) {
		if n := s.closed(body, strings.Repeat(quote, 3), raw); n > 0 {
			return prefix + n
		}
		return prefix + 2
	}
	if n := s.closed(body, quote, raw); n > 0 {
		return prefix + n
	}
	panic(&Error{Offset: s.at, Message: "the text has no closing " + quote})
}

// closed returns the length of a text between two quotes, 0 where the second is missing.
func (s *scanner) closed(body, quote string, raw bool) int {
	for i := len(quote); i < len(body); i++ {
		switch c := body[i]; {
		case strings.HasPrefix(body[i:], quote):
			return i + len(quote)
		case c == '\\' && !raw:
			i++
		case len(quote) == 1 && (c == '\n' || c == '\r'):
			return 0
		}
	}
	return 0
}

// newlines makes every end of a line the same.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// unquote returns what a quoted text stands for.
func unquote(t token) string {
	n := prefix(t.text)
	raw := n > 0 && t.text[n-1]|0x20 == 'r'
	s := t.text[n:]
	quotes := 1
	if len(s) >= 6 && s[1] == s[0] && s[2] == s[0] {
		quotes = 3
	}
	s = newlines.Replace(s[quotes : len(s)-quotes])
	if raw || !strings.Contains(s, `\`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for s != "" {
		if s[0] != '\\' {
			b = append(b, s[0])
			s = s[1:]
			continue
		}
		var n int
		if b, n = unescape(b, s, t.kind == bytes); n == 0 {
			panic(&Error{Offset: t.at, Message: fmt.Sprintf("the text has an invalid escape sequence at %s", clip(s))})
		}
		s = s[n:]
	}
	return string(b)
}

// clip returns the beginning of an escape sequence.
func clip(s string) string {
	end := 0
	for range 3 {
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	return s[:end]
}

// escapes are the sequences of one letter.
var escapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
	'\\': '\\', '\'': '\'', '"': '"', '`': '`', '?': '?',
}

// unescape adds what the sequence at the beginning of s stands for to b, and returns the
// length of the sequence, 0 where it is none. In bytes, \x and octal sequences are bytes,
// in a text characters.
func unescape(b []byte, s string, isBytes bool) ([]byte, int) {
	if len(s) < 2 {
		return b, 0
	}
	if c, ok := escapes[s[1]]; ok {
		return append(b, c), 2
	}
	first, length, base := 2, 0, 16
	switch s[1] {
	case 'x', 'X':
		length = 2
	case 'u':
		length = 4
	case 'U':
		length = 8
	case '0', '1', '2', '3':
		first, length, base = 1, 3, 8
	}
	isByte := isBytes && length < 4
	if length == 0 || isBytes && !isByte || len(s) < first+length {
		return b, 0
	}
	v, err := strconv.ParseUint(s[first:first+length], base, 32)
	switch {
	case err != nil:
		return b, 0
	case isByte:
		return append(b, byte(v)), first + length
	case v > utf8.MaxRune || !utf8.ValidRune(rune(v)):
		return b, 0
	}
	return utf8.AppendRune(b, rune(v)), first + length
}
