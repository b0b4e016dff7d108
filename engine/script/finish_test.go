// SPDX-License-Identifier: Apache-2.0

package script

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"a\n\tb":           "a\n\tb",
		"größer €":         "größer €",
		"\x1b[2J\r":        `\x1b[2J\r`,
		"\a\x00\x1b\x1b":   `\a\x00\x1b\x1b`,
		"\x1b\x1b\x1b\x1b": `\x1b\x1b\x1b...`,
		"\u009bm\u202eab":  `\u009bm\u202e...`,
		"a\xffb\uFFFD":     `a\xffb` + "\uFFFD",
		"12345678901":      "12345678901",
		"123456789012":     "12345678901...",
		"1234567890€":      "1234567890€",
		"1234567890€1":     "1234567890€...",
	} {
		if got := printable(text, 11); got != want {
			t.Errorf("Printable(%q, 11) = %q; want %q", text, got, want)
		}
	}
}

func TestFinishBoundsWhatAnErrorTells(t *testing.T) {
	long := strings.Repeat("\x1b", 1<<20)
	e := &Error{Message: long, Expression: long, Value: long, Snippet: "a\x1b\xffb\n   ^", Trace: []Frame{{Function: long}}}
	if err := Finish(fmt.Errorf("health: %w", e), Position{}); !errors.Is(err, e) {
		t.Errorf("got another error: %T", err)
	}
	for part, text := range map[string]string{"message": e.Message, "expression": e.Expression, "value": e.Value, "trace": e.Trace[0].Function} {
		if len(text) > diag.MaxMessage+20 || strings.ContainsRune(text, 0x1b) {
			t.Errorf("the %s has %d bytes: %.40q", part, len(text), text)
		}
	}
	if e.Snippet != "a??b\n   ^" {
		t.Errorf("snippet: got %q", e.Snippet)
	}
}

func TestFinishGivesAPlace(t *testing.T) {
	at := Position{File: "a.lua", Line: 3}
	for name, c := range map[string]struct{ was, at, want Position }{
		"none":           {Position{}, at, at},
		"a file":         {Position{File: "b.lua"}, at, at},
		"a line":         {Position{File: "b.lua", Line: 1}, at, Position{File: "b.lua", Line: 1}},
		"nothing better": {Position{File: "b.lua"}, Position{File: "a.lua"}, Position{File: "b.lua"}},
	} {
		e := &Error{Position: c.was}
		Finish(e, c.at)
		if e.Position != c.want {
			t.Errorf("%s: got %v, want %v", name, e.Position, c.want)
		}
	}
	other := errors.New("other")
	if err := Finish(other, at); err != other {
		t.Errorf("got %v", err)
	}
}
