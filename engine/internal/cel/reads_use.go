// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/internal/reads"
	"github.com/dragoman-io/dragoman/engine/script"
)

// What an expression does with the fields that it reads. A test anywhere in the expression
// counts for all of it, so that what is left is read without any.

// indexedPath is a path of which a field is read, and where.
type indexedPath struct {
	path *reads.Path
	at   ast.Expr
}

// index notes that a field of what e reads a field of is read, or tested.
func (r *fieldReads) index(e ast.Expr, scope *reads.Scope) {
	switch {
	case e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly():
		r.test(r.path(e, scope))
		r.indexes(e.AsSelect().Operand(), scope)
	case e.Kind() == ast.SelectKind:
		r.indexes(e.AsSelect().Operand(), scope)
	case e.Kind() == ast.CallKind && calledName(e.AsCall()) == operators.Index:
		r.indexes(e.AsCall().Args()[0], scope)
	case e.Kind() == ast.CallKind:
		r.reached(r.path(e, scope))
	}
}

func (r *fieldReads) indexes(e ast.Expr, scope *reads.Scope) {
	if p := r.path(e, scope); p != nil && len(p.Steps) > 0 {
		r.indexed = append(r.indexed, indexedPath{p, e})
	}
}

func (r *fieldReads) test(p *reads.Path) {
	if p != nil {
		r.tested[p.Key()] = true
	}
}

// reached notes that a path is read in a way that takes what is absent.
func (r *fieldReads) reached(p *reads.Path) {
	if p == nil {
		return
	}
	for i := range len(p.Steps) + 1 {
		r.test(&reads.Path{Param: p.Param, Steps: p.Steps[:i]})
	}
}

// untested adds the paths of which fields are read and that nothing tests, each once.
func (r *fieldReads) untested() {
	for _, i := range r.indexed {
		if key := i.path.Key(); !r.tested[key] {
			r.tested[key] = true
			r.add(script.Indexed, i.path, i.at)
		}
	}
}

// operation notes what a function or an operator does with the fields that it takes.
func (r *fieldReads) operation(call ast.CallExpr, scope *reads.Scope) {
	args := call.Args()
	switch name := calledName(call); name {
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		r.compared(args[0], args[1], scope)
		r.compared(args[1], args[0], scope)
	case operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate, "int", "double":
		for _, a := range args {
			r.add(script.Computed, r.path(a, scope), a)
		}
	default:
		if strings.HasPrefix(name, functionPrefix) {
			for _, a := range args {
				r.test(r.path(a, scope))
			}
		}
	}
}

// compared notes that an expression is compared with another one.
func (r *fieldReads) compared(e, with ast.Expr, scope *reads.Scope) {
	p := r.path(e, scope)
	r.test(p)
	if p == nil || with.Kind() != ast.LiteralKind {
		return
	}
	switch with.AsLiteral().(type) {
	case types.String:
		r.add(script.ComparedText, p, e)
	case types.Int, types.Uint, types.Double:
		r.add(script.ComparedNumber, p, e)
	}
}

// UsesTime reports whether an expression reads the time, and where first.
func (c *Compiler) UsesTime(source string) (script.Position, bool) {
	tree, err := c.parser.Parse(source)
	if err != nil {
		return script.Position{}, false
	}
	at, found := script.Position{}, false
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if !found && e.Kind() == ast.IdentKind && e.AsIdent() == nowVariable {
			at, found = place(tree.SourceInfo().GetStartLocation(e.ID())), true
		}
	}))
	return at, found
}
