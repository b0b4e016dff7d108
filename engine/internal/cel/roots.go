// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// Roots returns the fields of a variable that an expression names, sorted, and whether it takes the
// variable as a whole, or a field by a name that is computed. An expression that does not parse has none.
func (c *Compiler) Roots(source, variable string) (fields []string, whole bool) {
	tree, err := c.parser.Parse(source)
	if err != nil {
		return nil, false
	}
	names := map[string]bool{}
	// named are the nodes of the variable that a field is taken of; a parent is visited first.
	named := map[int64]bool{}
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if operand, name := fieldOf(e); operand != nil && operand.Kind() == ast.IdentKind && operand.AsIdent() == variable {
			names[name], named[operand.ID()] = true, true
		}
		if e.Kind() == ast.IdentKind && e.AsIdent() == variable && !named[e.ID()] {
			whole = true
		}
	}))
	return slices.Sorted(maps.Keys(names)), whole
}

// fieldOf returns what an expression takes a field of by a constant name, and the name; nil where it does
// not.
func fieldOf(e ast.Expr) (operand ast.Expr, name string) {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().Operand(), e.AsSelect().FieldName()
	case ast.CallKind:
		switch e.AsCall().FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			args := e.AsCall().Args()
			if key, constant := constantText(args[1]); constant {
				return args[0], key
			}
		}
	}
	return nil, ""
}
