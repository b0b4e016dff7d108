// SPDX-License-Identifier: Apache-2.0

// Package pointer reads JSON pointers (RFC 6901) and the indices of lists in them. In goes
// text, out come tokens; it does not know what they point into.
package pointer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Pointer is a pointer as its tokens, without escapes. The empty one is the root.
type Pointer []string

// maxTokens bounds how deep a pointer goes.
const maxTokens = 1000

// Parse returns the tokens of a pointer such as /a~1b/0. The empty text is the root.
func Parse(text string) (Pointer, error) {
	if text == "" {
		return nil, nil
	}
	if text[0] != '/' {
		return nil, fmt.Errorf("pointer %q does not start with a slash", text)
	}
	tokens := strings.Split(text[1:], "/")
	if len(tokens) > maxTokens {
		return nil, fmt.Errorf("pointer with %d tokens; want at most %d", len(tokens), maxTokens)
	}
	for i, token := range tokens {
		read, err := unescape(token)
		if err != nil {
			return nil, fmt.Errorf("pointer %q: %w", text, err)
		}
		tokens[i] = read
	}
	return tokens, nil
}

// unescape replaces ~1 and ~0.
func unescape(token string) (string, error) {
	for i := range len(token) {
		if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
			return "", errors.New("a tilde is written as ~0 and a slash as ~1")
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), nil
}

// String returns the pointer as Parse reads it.
func (p Pointer) String() string {
	var b strings.Builder
	for _, token := range p {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// Join returns the pointer with more tokens. The pointer is not changed.
func (p Pointer) Join(tokens ...string) Pointer {
	return append(p[:len(p):len(p)], tokens...)
}

// Item returns the index of an item in a list of n items. A negative index counts from the
// end, -1 is the last.
func Item(token string, n int) (int, error) {
	if token == "-" {
		return 0, errors.New("index - is the place after the last item, which only add takes")
	}
	i, err := number(token)
	if err != nil {
		return 0, err
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return 0, fmt.Errorf("index %s is not in the list, which has %d items", token, n)
	}
	return i, nil
}

// Place returns the index at which an item is added to a list of n items, at most n. Both -
// and -1 are the end.
func Place(token string, n int) (int, error) {
	if token == "-" {
		return n, nil
	}
	i, err := number(token)
	if err != nil {
		return 0, err
	}
	if i < 0 {
		i += n + 1
	}
	if i < 0 || i > n {
		return 0, fmt.Errorf("index %s is beyond the end of the list, which has %d items", token, n)
	}
	return i, nil
}

// number reads an index: digits without a leading zero, with a minus or not.
func number(token string) (int, error) {
	digits := strings.TrimPrefix(token, "-")
	i, err := strconv.Atoi(digits)
	if err != nil || i < 0 || strconv.Itoa(i) != digits || token == "-0" {
		return 0, fmt.Errorf("%q is not an index of a list", token)
	}
	if digits != token {
		i = -i
	}
	return i, nil
}
