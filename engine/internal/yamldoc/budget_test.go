// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	yamlv3 "go.yaml.in/yaml/v3"
)

// bomb is a document of levels lists of ten aliases, each of the list before.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i <= levels; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Join([]string{alias, alias, alias, alias, alias, alias, alias, alias, alias, alias}, ", "))
	}
	return b.String()
}

func TestTooMuchIsRefusedBeforeItIsCopied(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"aliases of aliases": {bomb(9), "f.yaml:6: too many values"},
		"aliases below the limit in each document, above it in all": {
			strings.Repeat("a: &a ["+strings.Repeat("[], ", 100)+"]\nb: ["+strings.Repeat("*a, ", 50)+"]\n---\n", 60), "too many values: a file may hold at most 250000",
		},
		"marks in a plain string":  {"a: b" + strings.Repeat(",", 1<<20), "too many values"},
		"merge keys":               {"a: &a {" + strings.Repeat("k: [], ", 1000) + "}\nb:\n" + strings.Repeat("- <<: *a\n", 1000), "too many values"},
		"merge keys in a list":     {"a: &a {k: " + "[" + strings.Repeat("[],", 1000) + "]}\nb: {<<: [" + strings.Repeat("*a, ", 1000) + "]}\n", "too many values"},
		"aliases of a long scalar": {"- &a " + strings.Repeat("x", 100_000) + "\n" + strings.Repeat("- *a\n", 1000), "f.yaml:168: too long values"},
		"aliases as keys":          {"- &a " + strings.Repeat("x", 100_000) + "\n" + strings.Repeat("- {*a : 1}\n", 1000), "f.yaml:168: too long values"},
		"values without aliases":   {"[" + strings.Repeat("[],", 300_000) + "]", "too many values"},
		"comments":                 {"[" + strings.Repeat("a,#\n", 300_000) + "]", "too many values"},
		"blank items":              {strings.Repeat("- ", 600_000), "too many values"},
		"separators of lines":      {strings.Repeat("-\u2028", 600_000), "too many values"},
		"depth":                    {strings.Repeat("[", 201) + strings.Repeat("]", 201), "f.yaml:1: values nest deeper than 200"},
		"depth behind aliases":     {"a: &a " + strings.Repeat("[", 150) + strings.Repeat("]", 150) + "\nb: " + strings.Repeat("[", 150) + "*a" + strings.Repeat("]", 150), "f.yaml:2: values nest deeper than 200"},
		"an anchor in itself":      {"a: &a [*a]", "f.yaml:1: the value of the anchor a contains itself"},
		"documents":                {strings.Repeat("---\n", 10_001), "f.yaml:10000: too many documents: at most 10000 are read of a file"},
		"text":                     {strings.Repeat("a", 8<<20+1), "too much text: at most 8388608 bytes"},
		"a directive":              {"# a\n\r%TAG !e! tag:a\r--- !e!a b", "directives are not read"},
		"a second byte order mark": {"\ufeff\ufeff%TAG !e! tag:a\r--- !e!a b", "directives are not read"},
		"UTF-16":                   {"a: b\n\xff\xfea\x00", "f.yaml:2: not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("f.yaml", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v; want one with %q", err, c.want)
			}
		})
	}
}

func TestStringsOfJSONAreNoValues(t *testing.T) {
	for name, text := range map[string]string{
		"marks":   `{"a": "` + strings.Repeat("#", 1<<20) + `"}`,
		"escapes": `{"a": "` + strings.Repeat(`\\\"`, 1<<10) + strings.Repeat(", ", 1<<20) + `", "b": [1]}`,
	} {
		if _, err := Read("f.json", []byte(text)); err != nil {
			t.Errorf("%s: got error %v; want none", name, err)
		}
	}
}

func TestABudgetIsForAllFiles(t *testing.T) {
	file := Limits{Text: 1000, Documents: 10, Values: 10, Bytes: 100, Depth: 5}
	for name, c := range map[string]struct {
		total Limits
		want  string
	}{
		"text":      {Limits{Text: 20, Documents: 10, Values: 100, Bytes: 100}, "at most 20 bytes of YAML are read of a bundle"},
		"documents": {Limits{Text: 100, Documents: 1, Values: 100, Bytes: 100}, "too many documents: at most 1 are read of a bundle"},
		"values":    {Limits{Text: 100, Documents: 10, Values: 11, Bytes: 100}, "a bundle may hold at most 11"},
		"bytes":     {Limits{Text: 100, Documents: 10, Values: 100, Bytes: 13}, "those of a bundle may have at most 13 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBudget("bundle", file, c.total)
			read := func() error { return b.Each("f.yaml", []byte("a: [b, cd]\n"), func(Node) {}) }
			if err := read(); err != nil {
				t.Fatal(err)
			}
			err := errors.Join(read(), read(), read())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v; want one with %q", err, c.want)
			}
		})
	}
}

func TestADocumentIsPaidOnce(t *testing.T) {
	b := NewBudget("bundle", FileLimits(), Limits{Text: 100, Documents: 1, Values: 3, Bytes: 100})
	all, err := b.Split("f.yaml", []byte("a: b\n"))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	for range 3 {
		if err := all[0].Decode(&m); err != nil {
			t.Fatal(err)
		}
	}
	if b.spent.Values != 3 || b.spent.Bytes != 2 {
		t.Errorf("spent %+v; want 3 values, the map, the key and its value, and 2 bytes", b.spent)
	}
}

// Documents that are refused one by one cost no more than one.
func TestRefusedDocumentsArePaid(t *testing.T) {
	for name, text := range map[string]string{
		"too many values": "a: &a [" + strings.Repeat("x, ", 20) + "]\nb: [" + strings.Repeat("*a, ", 20) + "]\n",
		"no YAML":         "[" + strings.Repeat("x, ", 190),
	} {
		t.Run(name, func(t *testing.T) {
			limits := Limits{Text: 10_000, Documents: 10, Values: 100, Bytes: 1000, Depth: 10}
			all, err := NewBudget("file", limits, limits).Split("f.yaml", []byte(text+"\n---\n"+text+"\n---\n"+text))
			if err != nil || len(all) != 3 {
				t.Fatalf("got %d documents, error %v", len(all), err)
			}
			for i, d := range all {
				if _, err := d.Parse(); err == nil {
					t.Fatal("read a document that is too much")
				} else if i == 2 && !strings.Contains(err.Error(), "f.yaml:"+fmt.Sprint(d.Line)+": too many values: a file may hold at most 100") {
					t.Errorf("got error %v for the third document; want that there are too many values, which its text alone shows", err)
				}
			}
		})
	}
}

func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, text := range map[string]string{
		"a key twice":         "{" + strings.Repeat("a: 1, ", 10_000) + "}",
		"a map as a key":      "? {" + strings.Repeat("a: [b], ", 10_000) + "}\n: 1",
		"an alias to nothing": "a: *" + long,
		"an unknown key":      "? " + long + "\n: 1",
	} {
		t.Run(name, func(t *testing.T) {
			nodes, err := Read("f.yaml", []byte(text))
			if err == nil {
				err = nodes[0].Fields(Fields{"name": Ignore})
			}
			if err == nil || len(err.Error()) > 600 {
				t.Errorf("got an error of %d bytes; want one of at most 600", len(fmt.Sprint(err)))
			}
		})
	}
}

// A long key above many values made a path of its length for each of them.
func TestPathsAreShort(t *testing.T) {
	nodes, err := Read("f.yaml", []byte("? "+strings.Repeat("x", 1<<20)+"\n:\n"+strings.Repeat(" - y\n", 1000)))
	if err != nil {
		t.Fatal(err)
	}
	_ = nodes[0].Each(func(_ string, n Node) error {
		return n.Items(func(item Node) error {
			if len(item.Path) > maxPath+len("...") {
				t.Fatalf("a path has %d bytes; want at most %d", len(item.Path), maxPath)
			}
			return nil
		})
	})
}

func TestProblemsKeepTheFirstAndCountTheOthers(t *testing.T) {
	var p Problems
	for i := range 10_000 {
		p.Add(errors.Join(nil, fmt.Errorf("problem %d %s", i, strings.Repeat("x", 1000))))
	}
	var all Problems
	all.Add(errors.Join(p.Err(), errors.New("the last")))
	text := all.Err().Error()
	if len(text) > maxText || !strings.HasPrefix(text, "problem 0 x") || !strings.HasSuffix(text, "...\nand 9994 more problems") {
		t.Errorf("got %d bytes: %s", len(text), text)
	}
	if n := len(all.Unwrap()); n != maxProblems+1 {
		t.Errorf("kept %d errors; want %d and the number of the others", n, maxProblems)
	}
}

func TestSummaryIsTheErrorWhereItIsShort(t *testing.T) {
	one := errors.New("one")
	if err := Summary(one); err != one {
		t.Errorf("got %v; want the error itself", err)
	}
	if err := Summary(nil); err != nil {
		t.Errorf("got %v; want nil", err)
	}
	long := Summary(fmt.Errorf("%s: %w", strings.Repeat("x", 10_000), one))
	if len(long.Error()) > maxText || !errors.Is(long, one) {
		t.Errorf("got %d bytes; want at most %d, and the error within", len(long.Error()), maxText)
	}
}

func TestReadFileDoesNotReadOn(t *testing.T) {
	fsys := fstest.MapFS{"f": {Data: []byte("abcd")}}
	if data, err := ReadAtMost(fsys, "f", 4); err != nil || string(data) != "abcd" {
		t.Errorf("got %q, error %v", data, err)
	}
	if _, err := ReadAtMost(fsys, "f", 3); err == nil || err.Error() != "f: too long: at most 3 bytes are read" {
		t.Errorf("got error %v", err)
	}
}

// Every file that is read is within its limits when its aliases are replaced by copies.
func FuzzBudget(f *testing.F) {
	for _, c := range documents {
		f.Add([]byte(c.text))
	}
	for _, text := range []string{bomb(2), "a: &a [b]\nc: {<<: [*a, *a], *a : 1}\n", "? [a]\n: b\n---\n!!binary aGk=\n", "- &a [&b {}, *b]\n- *a\n"} {
		f.Add([]byte(text))
	}
	limits := Limits{Text: 10_000, Documents: 10, Values: 100, Bytes: 1000, Depth: 10}
	f.Fuzz(func(t *testing.T, data []byte) {
		budget := NewBudget("file", limits, limits)
		all, err := budget.Split("f.yaml", data)
		if err != nil {
			return
		}
		for _, d := range all {
			n, err := d.Parse()
			if err == nil && (expanded(n.tree) > limits.Values || copied(n.Value) > limits.Values) {
				t.Errorf("read a document of %d values", expanded(n.tree))
			}
		}
		if s := budget.spent; s.Values > limits.Values || s.Bytes > limits.Bytes || s.Documents > limits.Documents {
			t.Errorf("spent %+v of %+v", s, limits)
		}
	})
}

// expanded counts the values of a tree with copies for aliases.
func expanded(n *yamlv3.Node) int {
	switch {
	case n == nil:
		return 0
	case n.Kind == yamlv3.AliasNode:
		return expanded(n.Alias)
	}
	sum := 1
	for _, child := range n.Content {
		sum += expanded(child)
	}
	return sum
}

// copied counts plain values and keys.
func copied(v any) int {
	sum := 1
	switch x := v.(type) {
	case map[string]any:
		for _, value := range x {
			sum += 1 + copied(value)
		}
	case []any:
		for _, value := range x {
			sum += copied(value)
		}
	}
	return sum
}

func TestAnErrorThatIsOnlyCountedIsNotMade(t *testing.T) {
	var p Problems
	made := 0
	for range 10_000 {
		p.AddFrom(func() error {
			made++
			return errors.New("x")
		})
	}
	if made != maxProblems || p.more != 10_000-maxProblems {
		t.Errorf("made %d errors and counted %d others; want %d and %d", made, p.more, maxProblems, 10_000-maxProblems)
	}
}
