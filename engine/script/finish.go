// SPDX-License-Identifier: Apache-2.0

package script

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
)

// maxName is how many bytes an expression, the name of a function or a value that
// was raised has, before what is cut.
const maxName = 200

// Finish makes an error ready to leave the engine: its message is cut to a few
// hundred bytes, control characters are shown escaped, and nothing of it is memory of
// the values that the script read. An *Error that stands at no line gets the place at,
// where that has a line. Any other error is given as it is.
func Finish(err error, at Position) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Line == 0 && at.Line > 0 {
		e.Position = at
	}
	e.Message = printable(e.Message, diag.MaxMessage)
	e.Expression = printable(e.Expression, maxName)
	e.Value = printable(e.Value, maxName)
	e.Snippet = strings.Map(inLine, e.Snippet)
	for i := range e.Trace {
		e.Trace[i].Function = printable(e.Trace[i].Function, maxName)
	}
	return err
}

// printable returns a copy of a text that can be shown: what is neither printable, a
// newline nor a tab is escaped, and it is cut after that many bytes.
func printable(text string, most int) string {
	var b strings.Builder
	for i, r := range text {
		if b.Len() >= most {
			b.WriteString("...")
			break
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case isShown(r):
			b.WriteRune(r)
		default:
			quoted := fmt.Sprintf("%+q", r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

func isShown(r rune) bool { return unicode.IsPrint(r) || r == '\n' || r == '\t' }

// inLine returns a character of a snippet; one that is not shown must not move those
// behind it from the caret.
func inLine(r rune) rune {
	if isShown(r) && r != utf8.RuneError {
		return r
	}
	return '?'
}
