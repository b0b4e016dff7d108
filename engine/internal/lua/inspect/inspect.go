// SPDX-License-Identifier: Apache-2.0

// Package inspect finds what is probably not meant in a Lua chunk: names that are written,
// hidden or never used, loops that do not end, patterns and comparisons that do not do what
// they seem to. In goes a chunk and what the engine calls of it, out come findings with their
// lines and columns. It runs nothing and knows no schema. What does not compile in a bundle is
// found by package lua.
//
// Each rule is one function in a file of its own, and reports what is so whatever the chunk is
// given: one that cannot be sure is silent.
package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// Source is a chunk and what is asked of it.
type Source struct {
	*lua.Chunk
	// Asked are the functions that the engine calls: globals, or for a module those that it
	// returns.
	Asked []string
	// Entries are the names of the functions that operations call, with what they answer.
	Entries map[string]string
	// Stored reports whether an answer is kept, so that one that depends on the time changes
	// without end.
	Stored bool
}

// file is a chunk while it is inspected.
type file struct {
	Source
	names    *names
	findings []lint.Finding
}

// Inspect returns what the rules find, by line and column.
func Inspect(s Source) []lint.Finding {
	f := &file{Source: s, names: resolve(s.Chunk)}
	for _, rule := range []func(*file){globals, unused, shadowed, loops, patterns, comparisons, clock} {
		rule(f)
	}
	slices.SortStableFunc(f.findings, func(a, b lint.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f.findings
}

// report adds a finding at a place.
func (f *file) report(rule string, at lua.Place, format string, args ...any) {
	p := at.Position()
	p.File = f.Chunk.Source.File
	f.findings = append(f.findings, lint.Finding{Rule: rule, Position: p, Message: fmt.Sprintf(format, args...)})
}
