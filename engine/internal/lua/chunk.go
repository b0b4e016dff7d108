// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Chunk is a source that was parsed, for tools that read it without running it.
type Chunk struct {
	Source     Script
	Statements []ast.Stmt
	*Places
}

// Parse parses a source of at most the default length. It returns nil for one that does not
// parse, which Compile has an error for.
func Parse(src Script) *Chunk {
	statements, _, failed := src.parse(script.DefaultLimits().Source)
	if failed != nil {
		return nil
	}
	return &Chunk{Source: src, Statements: statements, Places: placesOf(src.Text, statements)}
}

// Syntax returns a *script.Error for a source that does not parse, or is longer than the default
// length; nil for one that parses.
func Syntax(src Script) error {
	if _, _, failed := src.parse(script.DefaultLimits().Source); failed != nil {
		return script.Finish(failed, script.Position{})
	}
	return nil
}

// Comments returns the comments of a source, in order.
func Comments(text string) []lint.Comment {
	var all []lint.Comment
	s := scanner{text: text, line: 1}
	s.comment = func(t token) { all = append(all, lint.Comment{Line: t.line, Column: t.column, Text: t.text}) }
	for s.next().kind != tokenEnd {
	}
	return all
}
