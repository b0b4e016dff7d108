// SPDX-License-Identifier: Apache-2.0

// Package diag holds what the diagnostics of both languages share: how a message is cut,
// and how a line of a source is shown with a caret. It knows no language.
package diag

import (
	"strings"
	"unicode/utf8"
)

const (
	// MaxMessage is the maximum length of a message in bytes, before "...".
	MaxMessage = 512
	// MaxSnippet is how many characters of a source line a message shows at most.
	MaxSnippet = 120
	// lead is the number of characters before the caret in a line that was cut.
	lead = 20
)

// Clip returns a message cut to MaxMessage bytes, between two characters.
func Clip(message string) string {
	if len(message) <= MaxMessage {
		return message
	}
	cut := MaxMessage
	for cut > 0 && !utf8.RuneStart(message[cut]) {
		cut--
	}
	return message[:cut] + "..."
}

// Snippet returns a source line with a caret below a column, counted in characters from
// 1. It is "" if the line is blank or has no such column; the position right after its
// end counts as a column. A tab is shown as one space.
func Snippet(line string, column int) string {
	text := []rune(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", " "))
	if column < 1 || column > len(text)+1 || strings.TrimSpace(string(text)) == "" {
		return ""
	}
	if column > MaxSnippet-lead {
		cut := column - lead
		text, column = text[cut:], lead
	}
	if len(text) > MaxSnippet {
		text = text[:MaxSnippet]
	}
	return string(text) + "\n" + strings.Repeat(" ", column-1) + "^"
}
