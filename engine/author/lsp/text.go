// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// lineStart returns the offset of a line, from 0, of a text, and whether there is such a line. A
// line ends with \n, \r\n or \r.
func lineStart(text string, line int) (offset int, found bool) {
	for ; line > 0; line-- {
		i := strings.IndexAny(text[offset:], "\r\n")
		if i < 0 {
			return len(text), false
		}
		offset += i + 1
		if text[offset-1] == '\r' && strings.HasPrefix(text[offset:], "\n") {
			offset++
		}
	}
	return offset, true
}

// offsetAt returns the offset in bytes of a position. One behind the end of a line or of the text
// is at that end, and one within a character is before it.
func offsetAt(text string, at position) int {
	offset, found := lineStart(text, at.Line)
	if !found {
		return len(text)
	}
	for units := at.Character; units > 0 && offset < len(text) && text[offset] != '\n' && text[offset] != '\r'; {
		r, size := utf8.DecodeRuneInString(text[offset:])
		if r > 0xffff {
			units--
		}
		if units--; units < 0 {
			break
		}
		offset += size
	}
	return offset
}

// positionAt returns the position of an offset in bytes.
func positionAt(text string, offset int) position {
	var at position
	for i, r := range text {
		switch {
		case i >= offset:
			return at
		case r == '\n', r == '\r' && !strings.HasPrefix(text[i+1:], "\n"):
			at = position{Line: at.Line + 1}
		case r == '\r': // a part of \r\n
		case r > 0xffff:
			at.Character += 2
		default:
			at.Character++
		}
	}
	return at
}

// applied returns a text with changes, each of which is about the text that those before it made.
// An error is about a range that is none; then the text is as it was.
func applied(text string, changes []change) (string, error) {
	after := text
	for _, c := range changes {
		if c.Range == nil {
			after = c.Text
			continue
		}
		if err := c.Range.check(); err != nil {
			return text, err
		}
		start, end := offsetAt(after, c.Range.Start), offsetAt(after, c.Range.End)
		after = after[:start] + c.Text + after[end:]
	}
	return after, nil
}

// check returns an error for a range that is none.
func (r textRange) check() error {
	for _, at := range []position{r.Start, r.End} {
		if at.Line < 0 || at.Character < 0 {
			return fmt.Errorf("the position %d:%d is negative", at.Line, at.Character)
		}
	}
	if r.Start.Line > r.End.Line || r.Start.Line == r.End.Line && r.Start.Character > r.End.Character {
		return fmt.Errorf("the range %d:%d-%d:%d ends before it starts", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
	}
	return nil
}
