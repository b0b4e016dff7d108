// SPDX-License-Identifier: Apache-2.0

package printable

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestText(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":                      {"", ""},
		"letters":                      {"naïve 世界 👩‍🚀 \ufffd \u00a0 \u00ad\n\tx", "naïve 世界 👩‍🚀 \ufffd \u00a0 \u00ad\n\tx"},
		"escape codes":                 {"\x1b[2J\x1b[1;32mall passed\x1b[0m", `\u001b[2J\u001b[1;32mall passed\u001b[0m`},
		"a title, ended by BEL":        {"\x1b]0;mine\a", `\u001b]0;mine\u0007`},
		"back to the line's begin":     {"FAIL\rok  \r\n", `FAIL\u000dok  \u000d` + "\n"},
		"backspace, delete and null":   {"a\b\x7f\x00", `a\u0008\u007f\u0000`},
		"C1 as UTF-8":                  {"\u009b2J\u0080\u009f\u00a0", `\u009b2J\u0080\u009f` + "\u00a0"},
		"C1 as bytes":                  {"\x9b2J \x85", `\x9b2J \x85`},
		"direction":                    {"\u202a\u202b\u202c\u202d\u202e \u2066\u2067\u2068\u2069 \u200e\u200f\u061c", `\u202a\u202b\u202c\u202d\u202e \u2066\u2067\u2068\u2069 \u200e\u200f\u061c`},
		"separators":                   {"a\u2028b\u2029c", `a\u2028b\u2029c`},
		"bytes that are no UTF-8":      {"\xff\xc3( \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x9b", `\xff\xc3( \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x9b`},
		"a character that ends early":  {"a\xe4\xb8", `a\xe4\xb8`},
		"what looks like an escape":    {`\u001b \x9b`, `\u001b \x9b`},
		"a backslash before an escape": {"\\\x1b", `\\u001b`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Text(test.text); got != test.want {
				t.Errorf("Text(%q) = %q; want %q", test.text, got, test.want)
			}
			for size := 1; size <= 5; size++ {
				if got := written(t, test.text, size); got != test.want {
					t.Errorf("written %d bytes at once: %q; want %q", size, got, test.want)
				}
			}
		})
	}
}

func TestLine(t *testing.T) {
	if got, want := Line("a\nok\tb\r\x1b"), `a\nok\tb\u000d\u001b`; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

// written returns what a writer makes of a text that is written in pieces of a size.
func written(t *testing.T, text string, size int) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out)
	for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
		piece := rest[:min(size, len(rest))]
		if n, err := w.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("wrote %d of %d bytes, error %v", n, len(piece), err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// full is a writer that has no room.
type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriterReturnsErrors(t *testing.T) {
	w := NewWriter(full{})
	if n, err := w.Write([]byte("a\xe4")); n != 0 || !errors.Is(err, errFull) {
		t.Errorf("wrote %d, error %v; want 0, %v", n, err, errFull)
	}
	if err := w.Flush(); !errors.Is(err, errFull) {
		t.Errorf("error %v; want %v", err, errFull)
	}
}

func TestYAML(t *testing.T) {
	plain := "# A comment.\na:   1\nb: [x,  'y']\n"
	if got := string(YAML([]byte(plain))); got != plain {
		t.Errorf("%q; want it as it is", got)
	}
	documents := "# first \u202e\na: x\u202ey\n---\n? \"k\u2066\"\n: - |\n    two\n    \u2069lines\n  - !!str \u200f1\n"
	want := "# first \\u202e\na: \"x\\u202ey\"\n---\n\"k\\u2066\":\n- \"two\\n\\u2069lines\\n\"\n- !!str \"\\u200f1\"\n"
	if got := string(YAML([]byte(documents))); got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if text := "a: [\u202e"; string(YAML([]byte(text))) != text {
		t.Errorf("what is no YAML was changed")
	}
}

// FuzzWriter writes texts in pieces: no character comes through that is obeyed, what was written once
// stays as it is, and a text without such characters stays byte by byte.
func FuzzWriter(f *testing.F) {
	for _, seed := range []string{"ok\n", "\x1b[2J", "\u009b", "\x9b\xe2\x80", "\u202eab\u2069", "a\u2028\r\n"} {
		f.Add(seed, 1)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(1, min(size, 64))
		got := written(t, text, size)
		for _, r := range got {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') {
				t.Fatalf("%q is written as %q, with %U", text, got, r)
			}
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q is written as %q, which is no UTF-8", text, got)
		}
		if got != Text(text) || Text(got) != got || written(t, got, size) != got {
			t.Fatalf("%q is written as %q, and again as %q; Text is %q", text, got, written(t, got, size), Text(text))
		}
		if utf8.ValidString(text) && !strings.ContainsFunc(text, isObeyed) && got != text {
			t.Fatalf("%q is written as %q", text, got)
		}
	})
}

// FuzzDocument writes JSON and YAML: a value stays what it is.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{"ok", "\x1b[2J\n", "\u009b: \u202e", "- \u2066\n  x\\", "#\u200f'\"\t\x7f", "a \u2028 b", "\r", "\u0085", "1\u2029\n"} {
		f.Add(seed, "key"+seed)
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		if !utf8.ValidString(text) || !utf8.ValidString(key) {
			return // neither form has other texts
		}
		value := map[string]any{key: []any{text, map[string]any{"a": text + " b"}}}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal([]byte(written(t, string(encoded), 7)), &got); err != nil || !cmp.Equal(got, any(value)) {
			t.Fatalf("JSON: %v, error %v; want %v", got, err, value)
		}
		document, err := MarshalYAML(value)
		if err != nil {
			return // YAML has no U+FFFE, and no U+FFFF
		}
		var after any
		shown := written(t, string(document), 7)
		if err := yaml.Unmarshal([]byte(shown), &after); err != nil || !cmp.Equal(any(value), after) {
			t.Fatalf("YAML %q, written as %q: %q, error %v; want %q", document, shown, after, err, value)
		}
	})
}
