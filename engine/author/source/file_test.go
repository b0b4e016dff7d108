// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// TestADocumentThatDoesNotParseHasNothingElse finds the documents around one that is broken.
func TestADocumentThatDoesNotParseHasNothingElse(t *testing.T) {
	documents, err := Read("f.yaml", []byte(objectText+"---\napiVersion: v1\nkind: Secret\nkind: Secret\n---\n\n---\na: 1\n")).Documents()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range documents {
		found, err := d.Objects()
		got = append(got, fmt.Sprintf("line %d, object %t, value %t, error %v; %d objects, %v", d.Line(), d.Object != nil, d.Node.Value != nil, d.Err, len(found), err))
	}
	want := []string{
		"line 1, object true, value true, error <nil>; 1 objects, <nil>",
		`line 4, object false, value false, error f.yaml:6: key "kind" already set in map; 0 objects, f.yaml:6: key "kind" already set in map`,
		"line 10, object false, value true, error <nil>; 0 objects, f.yaml:10: want a Kubernetes object with apiVersion and kind",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want -, got +:\n%s", d)
	}
	var lenient map[string]any
	if err := documents[1].Decode(&lenient); err != nil || lenient["kind"] != "Secret" {
		t.Errorf("kubectl reads %v, %v", lenient, err)
	}
	if all, err := Documents("f.yaml", []byte(objectText+"---\na: [\n")); err == nil || all != nil {
		t.Errorf("of a file that does not parse there is %v, %v", all, err)
	}
	if documents, err := Read("f.yaml", []byte("\xff")).Documents(); err == nil || documents != nil {
		t.Errorf("of what is no text there is %v, %v", documents, err)
	}
}

func TestHoldsObjects(t *testing.T) {
	home := &Home{}
	for text, want := range map[string][2]bool{
		objectText:                        {true, true},
		objectText + "---\nname: a\n":     {true, false},
		objectText + "---\nname: [\n":     {true, false},
		"name: a\n":                       {false, false},
		"":                                {false, false},
		"kind: [\n":                       {false, false},
		"apiVersion: v1\nkind:\n":         {false, false},
		objectText + "---\n" + objectText: {true, true},
	} {
		f := Read("f.yaml", []byte(text))
		if got := [2]bool{f.HoldsObjects(nil), f.HoldsObjects(home)}; got != want {
			t.Errorf("HoldsObjects of %q = %v outside of and in a home; want %v", text, got, want)
		}
	}
}

func TestProblemOf(t *testing.T) {
	p, placed := ProblemOf(fmt.Errorf("read: %w", &yamldoc.Error{File: "f.yaml", Line: 2, Message: "wrong"}))
	if d := cmp.Diff("f.yaml:2: wrong", p.String()); !placed || d != "" {
		t.Errorf("want -, got +:\n%s", d)
	}
	if p, placed := ProblemOf(errors.New("away")); placed || p.Message != "away" {
		t.Errorf("an error without a place is %v, %t", p, placed)
	}
}

// FuzzTree has a text of a user in the place of each file that a tree looks at.
func FuzzTree(f *testing.F) {
	for _, text := range []string{manifestText, customizationText, objectText, "name: [\n", "kind: Bundle\n---\n...\n- {apiVersion: v1}\n", "\ufeff--- {kind: List, apiVersion: v1, items: [{}]}\n"} {
		for _, name := range []string{"a/bundle.yaml", "a/customizations.yaml", "a/.dragomanignore", "a/b.json", "a/testdata/../c.lua", "/"} {
			f.Add(name, text)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		tree := treeOf(map[string]string{"a/testdata/cases.yaml": text}).With(map[string]string{name: text})
		p := tree.Look(name)
		if p.Home != nil && p.Home.Kind != Manifest && p.Home.Kind != Customizations && p.Home.Kind != PlacementRules {
			t.Errorf("the home of %q is %v", name, p.Home.Kind)
		}
		_ = p.Kind.String()
		_, _ = tree.Stray(name), tree.StraysAbove(name)
		if p.Home != nil {
			_ = tree.Untested(p.Home)
		}
		file := Read(name, []byte(text))
		file.HoldsObjects(p.Home)
		documents, err := file.Documents()
		lines := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text), "\n") + 1
		for _, err := range append(errsOf(documents), err) {
			if failure, is := errors.AsType[*yamldoc.Error](err); err != nil && (!is || failure.File != name || failure.Line > lines || failure.Message == "") {
				t.Errorf("the error %v of %d lines", err, lines)
			}
		}
		for _, d := range documents {
			if d.Err != nil && (d.Object != nil || d.Node.Value != nil) {
				t.Errorf("something is made of a document that does not parse: %v", d.Err)
			}
		}
	})
}

// errsOf returns what is wrong with documents, as such and as objects.
func errsOf(documents []Document) []error {
	var errs []error
	for _, d := range documents {
		_, err := d.Objects()
		errs = append(errs, d.Err, err)
	}
	return errs
}
