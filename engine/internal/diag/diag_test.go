// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSnippet(t *testing.T) {
	long := strings.Repeat("a", 200) + "bad" + strings.Repeat("c", 200)
	cases := map[string]struct {
		line   string
		column int
		want   string
	}{
		"First":     {"bad()", 1, "bad()\n^"},
		"Tab":       {"\tbad()", 2, " bad()\n ^"},
		"Return":    {"bad()\r", 5, "bad()\n    ^"},
		"AfterEnd":  {"x =", 4, "x =\n   ^"},
		"Beyond":    {"x =", 5, ""},
		"NoColumn":  {"x =", 0, ""},
		"Blank":     {" \t ", 1, ""},
		"Umlaut":    {"größe = bad", 9, "größe = bad\n        ^"},
		"Long":      {long, 201, strings.Repeat("a", 19) + "bad" + strings.Repeat("c", 98) + "\n" + strings.Repeat(" ", 19) + "^"},
		"LongFront": {long, 3, strings.Repeat("a", 120) + "\n  ^"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Snippet(tc.line, tc.column); got != tc.want {
				t.Errorf("Snippet(%q, %d) = %q, want %q", tc.line, tc.column, got, tc.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	if got := Clip("short"); got != "short" {
		t.Errorf("Clip(short) = %q", got)
	}
	got := Clip(strings.Repeat("ä", MaxMessage))
	if !utf8.ValidString(got) || len(got) > MaxMessage+len("...") || !strings.HasSuffix(got, "ä...") {
		t.Errorf("Clip cuts between two characters: got %d bytes, %q at the end", len(got), got[len(got)-8:])
	}
}
