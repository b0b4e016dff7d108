// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// Key is a key of a manifest or a case.
type Key struct {
	// Path is that from the root of the document, such as spec.kinds[].group.
	Path string
	// Type is a word, "" where it is not known, and Doc a sentence.
	Type, Doc string
}

var (
	keyAhead       = regexp.MustCompile(`^(\s*(?:- +)*)(\w*)$`)
	operationAhead = regexp.MustCompile(`^\s*operation:\s*(\w*)$`)
	keyForm        = regexp.MustCompile(`^(\s*(?:- +)*)["']?([\w.-]+)["']?\s*:\s*(.*)$`)
)

// keys returns the keys that a document can have: those of a manifest, or of cases.
func (s *Server) keys(c cursor) []Key {
	if path.Base(c.path) == bundle.ManifestFile {
		return s.Manifest
	}
	if path.Base(path.Dir(c.path)) == bundle.CasesDir {
		return s.Cases
	}
	return nil
}

// inYAML returns the completions in a manifest or a case: the keys below those that the cursor is
// in, and the names of operations.
func (s *Server) inYAML(c cursor) []completionItem {
	known := s.keys(c)
	if known == nil {
		return nil
	}
	if m := operationAhead.FindStringSubmatch(c.before()); m != nil {
		return c.operationItems(m[1])
	}
	m := keyAhead.FindStringSubmatch(c.before())
	if m == nil {
		return nil
	}
	above := c.above(len(m[1]))
	if above == "spec.operations[].functions" {
		return c.fileItems(m[2])
	}
	var items []completionItem
	for _, k := range below(known, above) {
		items = append(items, c.item(k.Path, propertyItem, k.Type, k.Doc, m[2]))
	}
	return items
}

// below returns the keys directly below a path, or below the root, by their names. Those of which
// only keys below them are known have neither type nor doc.
func below(known []Key, above string) []Key {
	var all []Key
	for _, k := range known {
		rest := k.Path
		if above != "" {
			var is bool
			if rest, is = strings.CutPrefix(rest, above+"."); !is {
				continue
			}
		}
		name, deeper, isDeeper := strings.Cut(rest, ".")
		name = strings.TrimSuffix(name, "[]")
		i := slices.IndexFunc(all, func(other Key) bool { return other.Path == name })
		switch {
		case i < 0 && isDeeper && deeper != "":
			all = append(all, Key{Path: name})
		case i < 0:
			all = append(all, Key{name, k.Type, k.Doc})
		case !isDeeper:
			all[i] = Key{name, k.Type, k.Doc}
		}
	}
	return all
}

// above returns the path of the key that holds those of an indent at the cursor.
func (c cursor) above(indent int) string {
	dash := strings.Index(c.before(), "- ")
	inList := dash >= 0
	if inList {
		indent = dash
	}
	var steps []string
	lines := strings.Split(c.text[:c.start], "\n")
	for i := len(lines) - 1; i >= 0 && (indent > 0 || inList); i-- {
		if strings.HasPrefix(lines[i], "---") {
			break
		}
		l := readYAMLLine(lines[i])
		switch {
		case l.isItem && l.depth < indent:
			inList, indent = true, l.depth // the keys are those of this item
		case l.key != "" && !l.isItem && (l.depth < indent || inList && l.depth == indent):
			if inList {
				l.key += "[]"
			}
			steps = append([]string{l.key}, steps...)
			inList, indent = false, l.depth
		}
	}
	return strings.Join(steps, ".")
}

// yamlLine is what a line of YAML begins.
type yamlLine struct {
	depth  int
	isItem bool
	// key is "" where the line has none.
	key string
}

func readYAMLLine(line string) yamlLine {
	text := strings.TrimLeft(strings.TrimRight(line, " \t\r"), " ")
	l := yamlLine{depth: strings.Index(line, text), isItem: strings.HasPrefix(text, "- ") || text == "-"}
	if m := keyForm.FindStringSubmatch(line); m != nil && !strings.HasPrefix(text, "#") {
		l.key = m[2]
	}
	return l
}

// operationItems returns the operations by their names.
func (c cursor) operationItems(typed string) []completionItem {
	var items []completionItem
	for _, op := range engine.Operations() {
		items = append(items, c.item(string(op.Name), valueItem, entryText(op), op.Doc, typed))
	}
	return items
}

// fileItems returns the operations by the names of their files.
func (c cursor) fileItems(typed string) []completionItem {
	var items []completionItem
	for _, op := range engine.Operations() {
		items = append(items, c.item(op.File, valueItem, entryText(op), op.Doc, typed))
	}
	return items
}
