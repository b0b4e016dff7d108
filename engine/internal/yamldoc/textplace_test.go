// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// TestTextPlaces finds places of texts in all styles of YAML.
func TestTextPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		// at is a place in the text, want that in the file.
		at   script.Position
		want string
	}{
		"literal":                {"a:\n  s: |\n    one\n      two\n", script.Position{Line: 2, Column: 3}, "f.yaml:4:7"},
		"literal without column": {"a:\n  s: |-\n    one\n\n    two\n", script.Position{Line: 3}, "f.yaml:5"},
		"folded, second line":    {"a:\n  s: >\n    one\n    two\n", script.Position{Line: 1, Column: 5}, "f.yaml:4:5"},
		"folded, deeper line":    {"a:\n  s: >-\n    one\n      two\n    three\n", script.Position{Line: 2, Column: 3}, "f.yaml:4:7"},
		"folded, no column":      {"a:\n  s: >\n    one\n    two\n", script.Position{Line: 1}, "f.yaml:3"},
		"plain":                  {"a:\n  s: one two\n", script.Position{Line: 1, Column: 5}, "f.yaml:2:10"},
		"quoted":                 {"a: {s: 'one two'}\n", script.Position{Line: 1, Column: 5}, "f.yaml:1:13"},
		"quoted with escapes":    {"a: {s: \"one\\ntwo\"}\n", script.Position{Line: 2, Column: 1}, "f.yaml:1"},
		"JSON":                   {"{\"a\": {\"s\": \"one two\"}}\n", script.Position{Line: 1, Column: 5}, "f.yaml:1:18"},
		"no line":                {"a:\n  s: |\n    one\n", script.Position{}, "f.yaml:2"},
		"beyond the text":        {"a:\n  s: |\n    one\n", script.Position{Line: 9, Column: 9}, "f.yaml:2"},
	} {
		nodes, err := Read("f.yaml", []byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := nodes[0].At("a.s")
		text, _ := n.Value.(string)
		places := NewTextPlaces("f.yaml", strings.Split(c.text, "\n"), n.Line, "s", text)
		if got := places.Place(c.at).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// TestTextPlacesOfItems finds places of texts that are items of a list.
func TestTextPlacesOfItems(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		at   script.Position
		want string
	}{
		"plain":               {"a:\n- x\n- one two\n", script.Position{Line: 1, Column: 5}, "f.yaml:3:7"},
		"quoted":              {"a:\n  - x\n  - 'one two'\n", script.Position{Line: 1, Column: 5}, "f.yaml:3:10"},
		"the same twice":      {"a: [one two, one two]\n", script.Position{Line: 1, Column: 5}, "f.yaml:1:18"},
		"literal":             {"a:\n- x\n- |\n  one\n  two\n", script.Position{Line: 2, Column: 2}, "f.yaml:5:4"},
		"folded":              {"a:\n- x\n- >-\n  one\n  two\n", script.Position{Line: 1, Column: 6}, "f.yaml:5:4"},
		"quoted with escapes": {"a:\n- x\n- \"one\\ttwo\"\n", script.Position{Line: 1, Column: 5}, "f.yaml:3"},
		"second document":     {"b: 1\n---\na:\n- x\n- one two\n", script.Position{Line: 1, Column: 1}, "f.yaml:5:3"},
	} {
		nodes, err := Read("f.yaml", []byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := nodes[len(nodes)-1].At("a[1]")
		if got := n.TextPlaces(NewLines([]byte(c.text))).Place(c.at).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
