// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documents are files, the lines on which their documents begin, and their values. Split
// and Read must agree about them.
var documents = map[string]struct {
	text   string
	lines  []int
	values []any
}{
	"one without a mark":             {"a: 1\n", []int{1}, []any{value("a")}},
	"an empty file":                  {"", nil, nil},
	"comments alone":                 {"# a\n---\n# b\n", nil, nil},
	"null":                           {"--- null\n---\n~\n", nil, nil},
	"two":                            {"a: 1\n---\nb: 1\n", []int{1, 3}, []any{value("a"), value("b")}},
	"comments before the content":    {"# a\n\na: 1\n---\n\n# b\nb: 1\n", []int{3, 7}, []any{value("a"), value("b")}},
	"a byte order mark":              {"\ufeffa: 1\n", []int{1}, []any{value("a")}},
	"a byte order mark and a mark":   {"\ufeff---\na: 1\n", []int{2}, []any{value("a")}},
	"a comment on the mark":          {"--- # one\na: 1\n---\t# two\nb: 1\n", []int{2, 4}, []any{value("a"), value("b")}},
	"blanks after the mark":          {"a: 1\n---  \t\nb: 1\n", []int{1, 3}, []any{value("a"), value("b")}},
	"content on the mark":            {"--- {a: 1}\n---\t{b: 1}\n", []int{1, 2}, []any{value("a"), value("b")}},
	"an end mark":                    {"a: 1\n...\nb: 1\n... # end\n---\nc: 1\n", []int{1, 3, 6}, []any{value("a"), value("b"), value("c")}},
	"carriage returns":               {"a: 1\r\n---\r\nb: 1\r\n", []int{1, 3}, []any{value("a"), value("b")}},
	"carriage returns alone":         {"# a\ra: 1\r---\rb: 1\r", []int{2, 4}, []any{value("a"), value("b")}},
	"the line breaks of Unicode":     {"a: 1\u0085---\u2028b: 1\u2029---\u0085c: 1", []int{1, 3, 5}, []any{value("a"), value("b"), value("c")}},
	"dashes that are no mark":        {"a: |\n  ---\nb: ---x\n", []int{1}, []any{map[string]any{"a": "---\n", "b": "---x"}}},
	"dashes that are no mark at all": {"---#\n", []int{1}, []any{"---#"}},
	"no newline at the end":          {"a: 1\n---\nb: 1", []int{1, 3}, []any{value("a"), value("b")}},
}

func value(key string) any { return map[string]any{key: int64(1)} }

func TestSplitFindsTheLinesOfDocuments(t *testing.T) {
	for name, c := range documents {
		t.Run(name, func(t *testing.T) {
			var lines []int
			for _, d := range split(t, c.text) {
				lines = append(lines, d.Line)
			}
			if d := cmp.Diff(c.lines, lines); d != "" {
				t.Errorf("lines of %q: want -, got +:\n%s", c.text, d)
			}
		})
	}
}

func TestSplitKeepsTheTextOfDocuments(t *testing.T) {
	const text = "# a\n\na: 1\n--- # b\n---\n\n# c\nc: 1\n...\n---\td\n---e\n"
	var got []string
	for _, d := range split(t, text) {
		got = append(got, fmt.Sprintf("%d %q", d.Line, d.Text))
	}
	want := []string{`3 "# a\n\na: 1\n"`, `8 "\n\n# c\nc: 1\n"`, `10 "---\td\n---e\n"`}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want -, got +:\n%s", d)
	}
}

func TestReadReadsTheDocumentsOfSplit(t *testing.T) {
	for name, c := range documents {
		t.Run(name, func(t *testing.T) {
			nodes, err := Read("f.yaml", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			var values []any
			var lines []int
			for _, n := range nodes {
				values, lines = append(values, n.Value), append(lines, n.Line)
			}
			if d := cmp.Diff(c.values, values); d != "" {
				t.Errorf("values of %q: want -, got +:\n%s", c.text, d)
			}
			if d := cmp.Diff(c.lines, lines); d != "" {
				t.Errorf("lines of %q: want -, got +:\n%s", c.text, d)
			}
		})
	}
}

func TestADocumentThatIsNoYAMLDoesNotHideTheOthers(t *testing.T) {
	all := split(t, "a: [1\n---\nb: 1\n")
	if len(all) != 2 || all[0].Line != 1 || all[1].Line != 3 {
		t.Fatalf("got %d documents; want those at lines 1 and 3", len(all))
	}
	if _, err := all[0].Parse(); err == nil || !strings.HasPrefix(err.Error(), "f.yaml:") {
		t.Errorf("got error %v; want one of f.yaml", err)
	}
	if n, err := all[1].Parse(); err != nil || n.Line != 3 {
		t.Errorf("got line %d, error %v; want line 3", n.Line, err)
	}
}

func split(t *testing.T, text string) []*Document {
	t.Helper()
	all, err := Split("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
