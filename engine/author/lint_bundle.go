// SPDX-License-Identifier: Apache-2.0

package author

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// bundle checks the scripts and modules of a bundle, and whether cases ask them.
func (l *linter) bundle(f *Findings, b checkedBundle) {
	byFile := map[string][]lint.Finding{}
	tests, unasked := l.cases(b)
	for _, found := range unasked {
		byFile[found.File] = append(byFile[found.File], found)
	}
	for _, s := range b.linted() {
		for _, found := range l.script(s, byFile[s.file]...) {
			f.addLint(b, found)
		}
		delete(byFile, s.file)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) { // of functions, which the manifest names
		tests = append(tests, byFile[file]...)
	}
	for _, found := range tests {
		if !slices.Contains(l.disabled, found.Rule) {
			f.addLint(b, found)
		}
	}
}

// addLint adds a finding about a bundle, by the severity of its rule.
func (f *Findings) addLint(b checkedBundle, found lint.Finding) {
	p := source.Problem{
		File: found.File, Line: found.Line, Column: found.Column, Kind: "Bundle", Name: b.bundle.Name,
		Field: found.Field, Rule: found.Rule, Message: found.Message,
	}
	if r, _ := lint.Find(found.Rule); r.Severity == lint.Error {
		f.Problems = append(f.Problems, p)
		return
	}
	f.Warnings = append(f.Warnings, p)
}

// linted returns the scripts and modules of a bundle, each once with all that it answers.
func (b checkedBundle) linted() []linted {
	var (
		all   []linted
		known = map[string]int{}
	)
	for _, op := range engine.Operations() {
		for _, kind := range b.bundle.Kinds {
			for _, s := range b.scripts(kind.Kind, op) {
				i, found := known[s.file]
				if !found {
					text, err := fs.ReadFile(b.files, s.file)
					if err != nil {
						continue // the other language answers, or nothing does
					}
					i = len(all)
					known[s.file] = i
					all = append(all, linted{file: s.file, text: string(text), module: s.module, expression: s.entry == "", strict: true})
				}
				all[i].add(answer{op: op, entry: s.entry}, kind)
			}
		}
	}
	entries, _ := fs.ReadDir(b.files, path.Join(b.bundle.Dir, libraryDir)) // a bundle may have no modules
	for _, e := range entries {
		file := path.Join(b.bundle.Dir, libraryDir, e.Name())
		name, isLua := strings.CutSuffix(e.Name(), ".lua")
		if _, found := known[file]; found || !isLua || e.IsDir() {
			continue
		}
		if text, err := fs.ReadFile(b.files, file); err == nil {
			all = append(all, linted{file: file, text: string(text), module: libraryDir + "." + name, strict: true})
		}
	}
	slices.SortStableFunc(all, func(a, b linted) int { return strings.Compare(a.file, b.file) })
	return all
}

// libraryDir is the folder of a bundle with what its scripts share.
const libraryDir = "lib"

// add adds a kind to what a script answers.
func (s *linted) add(a answer, kind schema.GroupVersionKind) {
	for i := range s.answers {
		if s.answers[i].op.Name == a.op.Name && s.answers[i].entry == a.entry {
			s.answers[i].kinds = append(s.answers[i].kinds, kind)
			return
		}
	}
	a.kinds = append(a.kinds, kind)
	s.answers = append(s.answers, a)
}

// scriptPlace is a script that may answer an operation; the entry of an expression is "".
type scriptPlace struct{ file, module, entry string }

// scripts are where an operation of a kind is answered: one of them is there.
func (b checkedBundle) scripts(kind string, op engine.Operation) []scriptPlace {
	for _, m := range b.bundle.Mappings {
		for _, fn := range m.Functions {
			if fn.Operation.Name == op.Name && slices.Contains(m.Kinds, kind) {
				return []scriptPlace{{path.Join(b.bundle.Dir, strings.ReplaceAll(fn.Module, ".", "/")+".lua"), fn.Module, fn.Name}}
			}
		}
	}
	file := path.Join(b.bundle.Dir, kind, op.File)
	return []scriptPlace{{file: file + ".lua", entry: op.Entry}, {file: file + ".cel"}}
}
