// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// The parser builds deep trees of long chains. Those that people do write (many
// elseif, many or, many ..) are made flat here, so that the bound on nesting
// does not meet them and the compiled form is a loop.

// branchNode is one condition of an if statement with its block; the condition
// of else is nil.
type branchNode struct {
	when ast.Expr
	then []ast.Stmt
	line int
}

// branches lists the branches of an if statement in order.
func branches(s *ast.IfStmt) []branchNode {
	var list []branchNode
	for {
		list = append(list, branchNode{s.Condition, s.Then, s.Line()})
		if len(s.Else) == 0 {
			return list
		}
		if next, ok := s.Else[0].(*ast.IfStmt); ok && len(s.Else) == 1 {
			s = next
			continue
		}
		return append(list, branchNode{nil, s.Else, s.Else[0].Line()})
	}
}

// operands lists the operands of a chain of one logical operator.
func operands(e *ast.LogicalOpExpr) []ast.Expr {
	list := []ast.Expr{e.Rhs}
	for {
		left, ok := e.Lhs.(*ast.LogicalOpExpr)
		if !ok || left.Operator != e.Operator {
			list = append(list, e.Lhs)
			slices.Reverse(list)
			return list
		}
		list = append(list, left.Rhs)
		e = left
	}
}

// pieces lists the operands of a chain of concatenations.
func pieces(e *ast.StringConcatOpExpr) []ast.Expr {
	var list []ast.Expr
	for {
		list = append(list, e.Lhs)
		right, ok := e.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			return append(list, e.Rhs)
		}
		e = right
	}
}
