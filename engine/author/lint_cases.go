// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// The rules about the cases of a bundle read their files by words and not as YAML, which takes
// ten times as long: dragoman test reads them in full, and says more. A word that is somewhere
// in the file counts, so that what is left is certain.

// cases finds the cases of a bundle that expect nothing, and the scripts that no case asks.
func (l *linter) cases(b checkedBundle) (tests, unasked []lint.Finding) {
	var texts [][]byte
	dirs := map[string]bool{}
	for _, kind := range b.bundle.Kinds {
		dir := path.Join(b.bundle.Dir, kind.Kind, bundle.CasesDir)
		if dirs[dir] {
			continue
		}
		dirs[dir] = true
		entries, _ := fs.ReadDir(b.files, dir) // a kind may have no cases
		for _, e := range entries {
			file := path.Join(dir, e.Name())
			if e.IsDir() || !cases.IsCaseFile(e.Name()) {
				continue
			}
			f, err := b.files.File(file)
			if err != nil {
				continue
			}
			texts = append(texts, f.Text)
			tests = append(tests, withoutExpectation(f)...)
		}
	}
	return tests, b.unasked(texts)
}

// asks finds the operations that cases ask.
var asks = regexp.MustCompile(`operation["']?[ \t]*:[ \t]*["']?(\w+)`)

// operationsIn returns the operations that a file of cases names, by their names in lower case.
func operationsIn(text []byte) map[string]bool {
	names := map[string]bool{}
	for _, m := range asks.FindAllSubmatch(text, -1) {
		names[strings.ToLower(string(m[1]))] = true
	}
	return names
}

// unasked finds the scripts that no case of some texts asks.
func (b checkedBundle) unasked(texts [][]byte) []lint.Finding {
	operations := make([]map[string]bool, len(texts))
	for i, text := range texts {
		operations[i] = operationsIn(text)
	}
	var all []lint.Finding
	seen := map[string]bool{}
	for _, kind := range b.bundle.Kinds {
		if kind == engine.AnyKind || kind.GroupKind() == bundle.ScalableKind.GroupKind() {
			continue // it is asked about kinds that the bundle does not name
		}
		for _, op := range engine.Operations() {
			key := kind.Kind + "/" + op.File
			if b.bundle.Source.Kinds[kind][op.Name] == nil || seen[key] {
				continue
			}
			seen[key] = true
			found := false
			for i, text := range texts {
				found = found || isNamed(operations[i], op) && bytes.Contains(text, []byte(kind.Kind))
			}
			if found {
				continue
			}
			at := b.bundle.Script(kind, op)
			at.Line = max(at.Line, 1)
			all = append(all, lint.Finding{Rule: lint.MissingTestForOp, Position: at, Message: fmt.Sprintf("no case asks %s of %s", op.Name, kind.Kind)})
		}
	}
	return all
}

// isNamed reports whether an operation is among names in lower case, by any of its own.
func isNamed(all map[string]bool, op engine.Operation) bool {
	return slices.ContainsFunc([]string{string(op.Name), op.File, op.Field, op.Entry}, func(name string) bool {
		return all[strings.ToLower(name)]
	})
}

// expectations are the words that begin what a case expects, as they are usually written.
var expectations = regexp.MustCompile(`(output|changes|assert)["']?[ \t]*:|expectSubset|expectError`)

// mayExpectNothing reports whether a document of a file of cases names an operation, and nothing that is
// expected of it.
func mayExpectNothing(text []byte) bool {
	return slices.ContainsFunc(bytes.Split(text, []byte("\n---")), func(document []byte) bool {
		return bytes.Contains(document, []byte("operation")) && !expectations.Match(document)
	})
}

// expectsSomething reports whether a case has a key for what it expects.
func expectsSomething(c map[string]any) bool {
	return slices.ContainsFunc([]string{"output", "changes", "expectSubset", "assert", "expectError"}, func(key string) bool {
		_, has := c[key]
		return has
	})
}

// withoutExpectation finds the cases of a file that expect nothing.
func withoutExpectation(f *source.File) []lint.Finding {
	if !mayExpectNothing(f.Text) {
		return nil
	}
	documents, _ := f.Documents()
	if slices.ContainsFunc(documents, func(d source.Document) bool { return d.Err != nil }) {
		return nil // a run of the cases reports it
	}
	var all []lint.Finding
	for _, d := range documents {
		n := d.Node
		value, _ := n.Value.(map[string]any)
		_, isCase := value["operation"].(string)
		if isCase && !expectsSomething(value) {
			all = append(all, lint.Finding{
				Rule: lint.TestWithoutAssert, Position: script.Position{File: f.Name, Line: n.Get("operation").Line, Column: 1},
				Message: fmt.Sprintf("the case %v expects nothing; give it output, changes, expectSubset, assert or expectError", value["name"]),
			})
		}
	}
	return all
}
