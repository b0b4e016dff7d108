// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/internal/reads"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Reads returns the fields that an expression reads below its variables, whose names are in the
// order of the parameters, where their path is constant: also through macros and the functions
// of kube that take a path. It returns nil where the source does not parse.
func (c *Compiler) Reads(source string, variables []string) []script.Read {
	tree, err := c.parser.Parse(source)
	if err != nil {
		return nil
	}
	r := &fieldReads{tree: tree, lines: strings.Split(source, "\n"), tested: map[string]bool{}}
	scope := &reads.Scope{}
	for i, name := range variables {
		scope.Define(name, &reads.Path{Param: i})
	}
	r.expression(tree.Expr(), scope)
	r.untested()
	return r.reads
}

// fieldReads collects what an expression reads.
type fieldReads struct {
	tree *ast.AST
	// lines are those of the source.
	lines []string
	reads []script.Read
	// tested are the keys of paths that the expression tests in some way, indexed the paths of
	// which fields are read.
	tested  map[string]bool
	indexed []indexedPath
}

func (r *fieldReads) add(use script.Use, p *reads.Path, e ast.Expr) {
	if p == nil || len(p.Steps) == 0 {
		return
	}
	at := r.at(e)
	r.reads = append(r.reads, script.Read{Param: p.Param, Path: p.Steps, Line: at.Line, Column: at.Column, Use: use})
}

// at returns where an expression stands: of a field its name.
func (r *fieldReads) at(e ast.Expr) script.Position {
	at := place(r.tree.SourceInfo().GetStartLocation(e.ID()))
	name := ""
	switch {
	case e.Kind() == ast.SelectKind:
		name = e.AsSelect().FieldName()
	case e.Kind() == ast.CallKind && len(e.AsCall().Args()) == 2:
		name, _ = constantText(e.AsCall().Args()[1])
	}
	if name == "" || at.Line < 1 || at.Line > len(r.lines) {
		return at
	}
	line := []rune(r.lines[at.Line-1])
	if at.Column < 1 || at.Column > len(line) {
		return at
	}
	if before, _, found := strings.Cut(string(line[at.Column-1:]), name); found {
		at.Column += utf8.RuneCountInString(before)
	}
	return at
}

// path returns the path of an expression, nil where it has none that is known.
func (r *fieldReads) path(e ast.Expr, scope *reads.Scope) *reads.Path {
	switch e.Kind() {
	case ast.IdentKind:
		return scope.Lookup(e.AsIdent())
	case ast.SelectKind:
		return r.path(e.AsSelect().Operand(), scope).Below(e.AsSelect().FieldName())
	case ast.CallKind:
		return r.result(e.AsCall(), scope)
	}
	return nil
}

// result returns the path of what a call returns: of an index, and of functions of kube.
func (r *fieldReads) result(call ast.CallExpr, scope *reads.Scope) *reads.Path {
	args := call.Args()
	if len(args) < 2 {
		return nil
	}
	of := r.path(args[0], scope)
	if of == nil {
		return nil
	}
	switch calledName(call) {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		if key, isText := constantText(args[1]); isText {
			return of.Below(key)
		}
		return of.Below(script.AnyElement)
	case functionPrefix + "get":
		if steps := constantSteps(args[1]); steps != nil {
			return of.Below(steps...)
		}
	case functionPrefix + "condition":
		return of.Below("status", "conditions", script.AnyElement)
	}
	return nil
}

// calledName returns the name of a function. Before its types are checked, one of kube is a
// method of a variable kube.
func calledName(call ast.CallExpr) string {
	if !call.IsMemberFunction() {
		return call.FunctionName()
	}
	if target := call.Target(); target.Kind() == ast.IdentKind && target.AsIdent()+"." == functionPrefix {
		return functionPrefix + call.FunctionName()
	}
	return ""
}

// constantText returns a string that stands in the source.
func constantText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// constantSteps returns a path that is constant, as a string with dots or a list of keys.
func constantSteps(e ast.Expr) []string {
	if text, isText := constantText(e); isText {
		return reads.Steps(text)
	}
	if e.Kind() != ast.ListKind {
		return nil
	}
	var steps []string
	for _, item := range e.AsList().Elements() {
		text, isText := constantText(item)
		if !isText {
			return nil
		}
		steps = append(steps, text)
	}
	return steps
}

// expression notes the paths in an expression: of a chain of fields only the whole.
func (r *fieldReads) expression(e ast.Expr, scope *reads.Scope) {
	if p := r.path(e, scope); p != nil {
		r.add(script.Accessed, p, e)
		r.inner(e, scope)
		return
	}
	switch e.Kind() {
	case ast.SelectKind:
		r.expression(e.AsSelect().Operand(), scope)
	case ast.CallKind:
		if call := e.AsCall(); call.IsMemberFunction() {
			r.expression(call.Target(), scope)
		}
		r.expressions(e.AsCall().Args(), scope)
		r.operation(e.AsCall(), scope)
	case ast.ListKind:
		r.expressions(e.AsList().Elements(), scope)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			r.expressions([]ast.Expr{entry.AsMapEntry().Key(), entry.AsMapEntry().Value()}, scope)
		}
	case ast.ComprehensionKind:
		r.comprehension(e.AsComprehension(), scope)
	}
}

func (r *fieldReads) expressions(all []ast.Expr, scope *reads.Scope) {
	for _, e := range all {
		r.expression(e, scope)
	}
}

// inner reads the keys in a chain that are computed.
func (r *fieldReads) inner(e ast.Expr, scope *reads.Scope) {
	r.index(e, scope)
	switch e.Kind() {
	case ast.SelectKind:
		r.inner(e.AsSelect().Operand(), scope)
	case ast.CallKind: // one that has a path has arguments
		args := e.AsCall().Args()
		r.inner(args[0], scope)
		r.expressions(args[1:], scope)
	}
}

// comprehension reads a macro: its variable is an element of what it goes over, and that of
// cel.bind is what is bound.
func (r *fieldReads) comprehension(c ast.ComprehensionExpr, scope *reads.Scope) {
	r.expression(c.IterRange(), scope)
	r.expression(c.AccuInit(), scope)
	element := r.path(c.IterRange(), scope).Below(script.AnyElement)
	inner := scope.Inner()
	inner.Define(c.AccuVar(), nil)
	if c.HasIterVar2() {
		inner.Define(c.IterVar(), nil)
		inner.Define(c.IterVar2(), element)
	} else {
		inner.Define(c.IterVar(), element)
	}
	if c.IterRange().Kind() == ast.ListKind && c.IterRange().AsList().Size() == 0 {
		inner.Define(c.AccuVar(), r.path(c.AccuInit(), scope))
	}
	r.expressions([]ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()}, inner)
}
