// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// splice replaces the bytes from start to end of a text.
type splice struct {
	start, end int
	text       string
}

func (s splice) apply(text string) string { return text[:s.start] + s.text + text[s.end:] }

// span is a part of a text.
type span struct{ start, end int }

// lineStart returns where the line of an offset starts.
func lineStart(text string, offset int) int { return strings.LastIndexByte(text[:offset], '\n') + 1 }

// lineEnd returns where the line of an offset ends, without its line break.
func lineEnd(text string, offset int) int {
	i := strings.IndexByte(text[offset:], '\n')
	if i < 0 {
		return len(text)
	}
	end := offset + i
	if end > offset && text[end-1] == '\r' {
		end--
	}
	return end
}

// breakOf returns the line break that a text uses.
func breakOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// isSpace reports whether a byte is white space or part of a line break.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// blank reports whether a text has nothing but white space.
func blank(text string) bool { return strings.Trim(text, " \t\r\n") == "" }

// gapBefore returns the white space before an offset, not before a lower bound.
func gapBefore(text string, from, offset int) string {
	i := offset
	for i > from && isSpace(text[i-1]) {
		i--
	}
	return text[i:offset]
}

// compact returns a JSON value without white space between its tokens. Escapes that only
// HTML needs are undone.
func compact(value []byte) ([]byte, error) {
	if len(value) == 0 {
		return nil, errors.New("there is no value")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return nil, fmt.Errorf("read value: %w", err)
	}
	return withoutHTML(b.Bytes()), nil
}

// htmlEscapes are what encoding/json writes for HTML.
var htmlEscapes = map[string]byte{"u003c": '<', "u003e": '>', "u0026": '&'}

// withoutHTML replaces the escapes of <, > and & in JSON by these bytes.
func withoutHTML(value []byte) []byte {
	out := value[:0:len(value)]
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' {
			out = append(out, value[i])
			continue
		}
		if i+5 < len(value) {
			if c, ok := htmlEscapes[strings.ToLower(string(value[i+1:i+6]))]; ok {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, value[i], value[i+1])
		i++
	}
	return out
}
