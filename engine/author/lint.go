// SPDX-License-Identifier: Apache-2.0

package author

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/cel"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
	"github.com/dragoman-io/dragoman/engine/internal/lua/inspect"
	"github.com/dragoman-io/dragoman/engine/script"
)

// LintRule is a rule that Findings.Lint has, for documents and reports.
type LintRule struct {
	ID string
	// Severity is error or warning.
	Severity string
	// Summary is a sentence without a full stop.
	Summary string
}

// LintRules lists the rules by their ids.
func LintRules() []LintRule {
	var all []LintRule
	for _, r := range lint.Rules() {
		all = append(all, LintRule{r.ID, string(r.Severity), r.Summary})
	}
	return all
}

// CheckRule returns the error of a rule that does not exist, which names the one that was
// probably meant.
func CheckRule(id string) error {
	_, err := lint.Find(id)
	return err
}

// checkedBundle is a bundle that was checked, and where it was read from.
type checkedBundle struct {
	files  *source.Tree
	bundle *bundle.Bundle
}

// Lint adds what is probably not meant in the scripts of bundles and customizations that
// compile, and fields that they read or write and the CRD of their kind does not have, where the
// CRD was found beside them. The rules that are disabled, by their ids, find nothing. It is
// called once, after all files.
//
// Only paths that are constant are followed, and only through schemas that name all of their
// fields, so that what it warns of is not in the schema of any version that the script is for.
func (f *Findings) Lint(c *Checker, disabled []string) {
	l := &linter{Checker: c, schemas: schemasOf(f.definitions), disabled: disabled, entries: map[string]string{}}
	for _, op := range engine.Operations() {
		l.entries[op.Entry] = string(op.Name)
	}
	for _, b := range f.bundles {
		l.bundle(f, b)
	}
	for _, o := range f.objects {
		l.customization(f, o)
	}
}

// linter checks scripts by the rules.
type linter struct {
	*Checker
	schemas  schemas
	disabled []string
	// entries are the functions that operations call, with the name of the operation.
	entries map[string]string
	// expressions parses expressions; it is made when it is needed.
	expressions *cel.Compiler
}

// answer is an operation that a script answers.
type answer struct {
	op engine.Operation
	// entry is the function that is called; "" for an expression.
	entry string
	// kinds are those it is asked about, in each version.
	kinds []schema.GroupVersionKind
}

// linted is a script that is checked.
type linted struct {
	file, text string
	// module is its name where others require it, or "".
	module     string
	expression bool
	// strict reports whether it is of a bundle.
	strict  bool
	answers []answer
}

// script returns what the rules find in a script, by line and column. Comments of the script
// switch rules off, also for other findings about it.
func (l *linter) script(s linted, others ...lint.Finding) []lint.Finding {
	find, comments, mark := l.chunk, lua.Comments, "--"
	if s.expression {
		find, comments, mark = l.expression, cel.Comments, "//"
	}
	switches, wrong := lint.ReadSwitches(s.text, mark, comments(s.text))
	for i := range wrong {
		wrong[i].File = s.file
	}
	all := slices.DeleteFunc(slices.Concat(find(s), others, wrong), func(f lint.Finding) bool {
		return switches.Off(f.Rule, f.Line) || slices.Contains(l.disabled, f.Rule)
	})
	slices.SortStableFunc(all, func(a, b lint.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return all
}

// chunk returns what the rules find in a Lua script.
func (l *linter) chunk(s linted) []lint.Finding {
	chunk := lua.Parse(lua.Script{File: s.file, Text: s.text, Module: s.module, Strict: s.strict})
	if chunk == nil {
		return nil
	}
	source := inspect.Source{Chunk: chunk, Entries: l.entries, Stored: len(s.answers) > 0}
	for _, a := range s.answers {
		source.Asked = append(source.Asked, a.entry)
		source.Stored = source.Stored && isStored(a.op)
	}
	all := inspect.Inspect(source)
	for _, a := range s.answers {
		all = append(all, l.fields(s, a, chunk.Reads(a.entry))...)
	}
	return all
}

// isStored reports whether an answer is written into an object.
func isStored(op engine.Operation) bool {
	return !strings.HasPrefix(op.Results[0].Type, "boolean")
}

// expression returns what the rules find in an expression.
func (l *linter) expression(s linted) []lint.Finding {
	if l.expressions == nil {
		c, err := cel.New(nil)
		if err != nil {
			return nil
		}
		l.expressions = c
	}
	var all []lint.Finding
	for _, a := range s.answers {
		var names []string
		for _, p := range a.op.Params {
			names = append(names, p.Name)
		}
		all = append(all, l.fields(s, a, l.expressions.Reads(s.text, names))...)
		if at, found := l.expressions.UsesTime(s.text); found && isStored(a.op) {
			at.File = s.file
			all = append(all, lint.Finding{Rule: lint.Nondeterminism, Position: at, Message: "the answer is stored, and now makes it another one each time; take a time from the object"})
		}
	}
	return all
}

// fields returns what the rules find in the fields that a script reads as an operation, each
// once.
func (l *linter) fields(s linted, a answer, reads []script.Read) []lint.Finding {
	var all []lint.Finding
	for _, read := range reads {
		f := l.field(s, a, read)
		if f.Rule == "" || slices.ContainsFunc(all, func(other lint.Finding) bool {
			return other.Rule == f.Rule && other.Line == f.Line && other.Field == f.Field
		}) {
			continue
		}
		f.Position = script.Position{File: s.file, Line: read.Line, Column: read.Column}
		all = append(all, f)
	}
	return all
}
