// SPDX-License-Identifier: Apache-2.0

// Package printable makes visible what a terminal would obey in texts of others: of bundles,
// objects, files and servers. Texts go in, and come out with such characters as escapes; what else
// they mean it does not know.
package printable

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// isObeyed reports whether a terminal, or a reader of its text, is led by a character in place of
// seeing it: controls (C0 but for tab and line feed, DEL, C1), controls of the direction of text, and
// the separators of lines and paragraphs.
func isObeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < utf8.RuneSelf:
		return r < ' ' || r == '\x7f'
	}
	return r <= '\u009f' || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// Text returns a text with what a terminal would obey as \uXXXX, and bytes that are no UTF-8 as \xXX.
// Tabs and line feeds stay. A text without such characters is returned as it is, so that Text of
// what it returned changes nothing.
//
// The first form is that of JSON, and of YAML in double quotes: a document in which such characters
// are in strings of these forms alone keeps its values.
func Text(text string) string {
	if !strings.ContainsFunc(text, isObeyed) && utf8.ValidString(text) {
		return text
	}
	return string(appendVisible(nil, []byte(text)))
}

// Line is Text for what is to stay in one line, and in one column of it: tabs and line feeds are
// made visible too.
func Line(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Text(text))
}

// appendVisible appends what Text makes of a text.
func appendVisible(to, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			to = fmt.Appendf(to, `\x%02x`, text[0])
		case isObeyed(r):
			to = fmt.Appendf(to, `\u%04x`, r)
		default:
			to = append(to, text[:size]...)
		}
		text = text[size:]
	}
	return to
}

// Writer writes what Text makes of all that is written to it, wherever the writes part it. The zero
// value is of no use; see NewWriter. It is safe for use by many goroutines if it is the only one that
// writes to what is behind it.
type Writer struct {
	mu sync.Mutex
	to io.Writer
	// part are the bytes of a character whose others were not written yet.
	part []byte
}

// NewWriter returns a writer to another one.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes a text, but for the bytes of a character at its end that is not whole yet: they are
// kept for the next call, or for Flush. An error is that of the writer behind it.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := text
	if len(w.part) > 0 {
		whole = append(w.part, text...)
		w.part = nil
	}
	end := len(whole) - partOfRune(whole)
	w.part = append([]byte(nil), whole[end:]...)
	if err := w.write(whole[:end]); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Flush writes the bytes of a character that did not become whole. It is called once nothing more is
// written.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	part := w.part
	w.part = nil
	return w.write(part)
}

// write writes a text that ends with a whole character, at once.
func (w *Writer) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if strings.ContainsFunc(string(text), isObeyed) || !utf8.Valid(text) {
		text = appendVisible(make([]byte, 0, len(text)+16), text)
	}
	_, err := w.to.Write(text)
	return err
}

// partOfRune returns how many bytes at the end of a text begin a character that is not whole.
func partOfRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		last := text[len(text)-n:]
		if utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
