// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadGivesValuesAsKubectlReadsThem(t *testing.T) {
	nodes, err := Read("f.yaml", []byte(`
# a comment alone is no document
---
count: 9007199254740993
share: 1.5
on: yes
text: "1"
none:
empty: {}
list: [1, two]
--- {inline: true}
...
---
base: &base {a: 1}
merged:
  <<: *base
  b: 2
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, n := range nodes {
		got = append(got, n.Value)
	}
	want := []any{
		map[string]any{
			"count": int64(9007199254740993), "share": 1.5, "true": true, "text": "1", "none": nil,
			"empty": map[string]any{}, "list": []any{int64(1), "two"},
		},
		map[string]any{"inline": true},
		map[string]any{"base": map[string]any{"a": int64(1)}, "merged": map[string]any{"a": int64(1), "b": int64(2)}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want -, got +:\n%s", d)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	read := func(n Node) error {
		var s string
		var n64 int64
		var list []string
		return n.Fields(Fields{
			"name":  String(&s),
			"count": Int(&n64),
			"names": Strings(&list),
			"below": func(n Node) error { return n.Fields(Fields{"name": String(&s)}, "name") },
		}, "name")
	}
	for name, c := range map[string]struct{ text, want string }{
		"an unknown key":        {"name: a\n\nnmae: b\n", `f.yaml:3: there is no key "nmae"; did you mean name?`},
		"one further down":      {"name: a\nbelow:\n  # here\n  name: b\n  other: c\n", `f.yaml:5: below: there is no key "other"; known are name`},
		"a key that is missing": {"count: 1\n", "f.yaml:1: name is missing"},
		"a wrong type":          {"name: 5\n", "f.yaml:1: name: want a string, got a number"},
		"a wrong item":          {"name: a\nnames:\n  - a\n  - [b]\n", "f.yaml:4: names[1]: want a string, got a list"},
		"a negative number":     {"name: a\ncount: -1", "f.yaml:2: count: -1 is negative"},
		"no map":                {"name: a\nbelow: text\n", "f.yaml:2: below: want a map, got a string"},
		"the second document":   {"name: a\n---\nname: b\n---\n# c\nname: c\nx: d\n", "f.yaml:7: there is no key"},
		"a key that stands twice": {
			"name: a\n---\ncount: 1\nname: a\nname: b\n", `f.yaml:5: key "name" already set in map`,
		},
		"no YAML":     {"name: a\n---\nname: [a\n", "f.yaml:"},
		"several":     {"name: 1\ncount: x\n", "f.yaml:1: name: want a string, got a number\nf.yaml:2: count: want a whole number, got a string"},
		"merged keys": {"below: &b {name: a, x: 1}\nname: a\n", `f.yaml:1: below: there is no key "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			nodes, err := Read("f.yaml", []byte(c.text))
			for _, n := range nodes {
				if e := read(n); e != nil {
					err = e
				}
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got error %v; want %s", err, c.want)
			}
		})
	}
}

// breaks makes newlines of the other line breaks of YAML.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func FuzzRead(f *testing.F) {
	f.Add("a: 1\n---\nb: [1, {c: d}]\n")
	f.Add("a: &x {b: 1}\nc: *x\nd: {<<: *x}\n")
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := Read("f.yaml", []byte(text))
		for _, n := range nodes {
			lines := strings.Count(breaks.Replace(text), "\n") + 1
			_ = n.each(func(_ string, v Node) {
				if v.Line < 1 || v.Line > lines {
					t.Errorf("line %d of %d", v.Line, lines)
				}
			})
		}
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml") {
			t.Errorf("error without a file: %v", err)
		}
	})
}
