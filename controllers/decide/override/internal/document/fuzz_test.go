// SPDX-License-Identifier: Apache-2.0

package document

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

var operators = []Operator{Add, Remove, Replace}

// retyped matches strings that a document may hold as number or boolean instead, where they
// replace one.
var retyped = regexp.MustCompile(`"!!(int|float|bool|str) ([^"]*)"`)

// FuzzEditYAML checks that what comes out means what RFC 6902 makes of what goes in, and
// that an error is never a panic.
func FuzzEditYAML(f *testing.F) {
	for _, text := range []string{
		config, "a: 1\n", "- a: 1\n  b: 2\n- - x\n  - y\n", "a: {b: [1, 2], c: }\n", "a: &x\n  b: *y\n", "base: &b {p: 1}\nx:\n  <<: *b\n  q: *b\n",
		"a: |+\n  x\n\nb: >-\n  y\n  z\n", "? a\n: b\n", "a: 'x''y'\nb: \"\\\"\"\n", "a:\nb: ~\n", "\"a/b\": 1\n~: 2\n", "a: !t x\nb: !!str 1\n", "%YAML 1.1\n---\na: 1\n...\n",
		"a: 1\r\nb: 2\r\n", "\ufeffa: 1\n", "é: [ü, {ö: 1}]\n", "a: # c\n  # d\n  b: 1 # e\n# f\n",
	} {
		for i, path := range []string{"/a", "/a/b", "/0", "/-", "", "/x/p", "/app/hosts/1"} {
			f.Add(text, uint8(i), path, `"3306"`)
			f.Add(text, uint8(i+1), path, `{"k":["v",1.50,null,{"x":"l1\nl2"}]}`)
		}
	}
	f.Fuzz(func(t *testing.T, text string, operator uint8, path, value string) {
		if len(text) > 10000 || len(value) > 1000 || !json.Valid([]byte(value)) {
			return
		}
		o := Operation{operators[int(operator)%len(operators)], path, []byte(value)}
		got, err := EditYAML(budget.New(), text, []Operation{o})
		if err != nil {
			return
		}
		before, ok := plain(t, text)
		if !ok || strings.Contains(path, "//") {
			return
		}
		o.Value = plainValueOf(t, o.Value)
		want, err := patched(before, o)
		if err != nil {
			t.Fatalf("%s %q of\n%s\nis\n%s\nand should fail: %v", o.Operator, path, text, got, err)
		}
		after, _ := plain(t, got)
		if loose(after) != loose(want) {
			t.Fatalf("%s %q of\n%s\nis\n%s\nas JSON %s, want %s", o.Operator, path, text, got, after, want)
		}
	})
}

// loose returns canonical JSON in which numbers, booleans and strings of one text are equal.
func loose(data []byte) string {
	return retyped.ReplaceAllString(canonical(data), `"!!any $2"`)
}

// FuzzEditJSON checks that what comes out is what the library of the published control plane
// makes of what goes in.
func FuzzEditJSON(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":[1,2,{"c":null}]}`, "{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  }\n}\n", `[]`, ` {"a" : "<\u003c" , "é":{}} `, `{"a":{}}`, `[[],[1.50,1e3]]`,
	} {
		for i, path := range []string{"/a", "/a/b", "/b/0", "/b/-", "/-1", "", "/é/x", "/a/b/0"} {
			f.Add(text, uint8(i), path, `"3306"`)
			f.Add(text, uint8(i+1), path, `{"k": ["<v>", 1.50, {"x":"\u003c"}]}`)
		}
	}
	f.Fuzz(func(t *testing.T, text string, operator uint8, path, value string) {
		if len(text) > 10000 || !json.Valid([]byte(value)) {
			return
		}
		o := Operation{operators[int(operator)%len(operators)], path, []byte(value)}
		got, err := EditJSON(budget.New(), text, []Operation{o})
		if err != nil {
			return
		}
		if !json.Valid([]byte(got)) {
			t.Fatalf("%s %q of\n%s\nis not JSON:\n%s", o.Operator, path, text, got)
		}
		// The library does nothing at a second empty key, and reports no error.
		if canonicalHasTwins(text) || strings.Contains(path, "//") {
			return
		}
		want, err := patched([]byte(strings.TrimLeft(text, " \t\r\n")), o)
		if err != nil {
			t.Fatalf("%s %q of\n%s\nis\n%s\nand should fail: %v", o.Operator, path, text, got, err)
		}
		if !sameJSON([]byte(got), want) {
			t.Fatalf("%s %q %s of\n%s\nis\n%s\nwant\n%s", o.Operator, path, value, text, got, want)
		}
	})
}

// canonicalHasTwins reports whether a document has a key twice in one map, which JSON leaves
// open.
func canonicalHasTwins(text string) bool {
	root, err := parseJSON(text)
	return err == nil && root.hasTwins()
}

func (n *jsonNode) hasTwins() bool {
	seen := map[string]bool{}
	for _, k := range n.keys {
		if seen[k] {
			return true
		}
		seen[k] = true
	}
	for _, c := range n.children {
		if c.hasTwins() {
			return true
		}
	}
	return false
}
