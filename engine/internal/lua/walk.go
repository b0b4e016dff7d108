// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// IsLocalFunction distinguishes "local function f" from "local f = function".
func IsLocalFunction(s *ast.LocalAssignStmt) bool { return isLocalFunction(s) }

// Globals returns the names of the globals that every chunk has: libraries and functions.
func Globals() map[string]bool {
	names := map[string]bool{}
	for name, v := range published().globals {
		if _, gone := v.(*absent); !gone {
			names[name] = true
		}
	}
	return names
}

// Operands returns the expressions that an expression is made of, in the order of the source;
// of a function none. Absent ones are left out.
func Operands(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		return []ast.Expr{e.Object, e.Key}
	case *ast.TableExpr:
		var all []ast.Expr
		for _, f := range e.Fields {
			if f.Key != nil {
				all = append(all, f.Key)
			}
			all = append(all, f.Value)
		}
		return all
	case *ast.FuncCallExpr:
		if e.Func == nil {
			return append([]ast.Expr{e.Receiver}, e.Args...)
		}
		return append([]ast.Expr{e.Func}, e.Args...)
	case *ast.LogicalOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.RelationalOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.StringConcatOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.ArithmeticOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.UnaryMinusOpExpr:
		return []ast.Expr{e.Expr}
	case *ast.UnaryNotOpExpr:
		return []ast.Expr{e.Expr}
	case *ast.UnaryLenOpExpr:
		return []ast.Expr{e.Expr}
	}
	return nil
}

// WalkStatements calls visit for all statements of blocks, those of functions in them included.
func WalkStatements(list []ast.Stmt, visit func(ast.Stmt)) {
	walk{statement: visit}.statements(list)
}

// WalkExpressions calls visit for all expressions in statements, in the order of the source,
// those in functions included: an expression before its operands.
func WalkExpressions(list []ast.Stmt, visit func(ast.Expr)) {
	walk{expression: visit}.statements(list)
}

// walk goes through a tree.
type walk struct {
	statement  func(ast.Stmt)
	expression func(ast.Expr)
}

func (w walk) statements(list []ast.Stmt) {
	for _, s := range list {
		if w.statement != nil {
			w.statement(s)
		}
		w.inner(s)
	}
}

// inner goes through the parts of a statement.
func (w walk) inner(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		w.expressions(s.Exprs...)
	case *ast.AssignStmt:
		w.expressions(s.Lhs...)
		w.expressions(s.Rhs...)
	case *ast.FuncCallStmt:
		w.expressions(s.Expr)
	case *ast.FuncDefStmt:
		w.expressions(s.Func)
	case *ast.ReturnStmt:
		w.expressions(s.Exprs...)
	case *ast.DoBlockStmt:
		w.statements(s.Stmts)
	case *ast.IfStmt:
		w.expressions(s.Condition)
		w.statements(s.Then)
		w.statements(s.Else)
	case *ast.WhileStmt:
		w.expressions(s.Condition)
		w.statements(s.Stmts)
	case *ast.RepeatStmt:
		w.statements(s.Stmts)
		w.expressions(s.Condition)
	case *ast.NumberForStmt:
		w.expressions(s.Init, s.Limit, s.Step)
		w.statements(s.Stmts)
	case *ast.GenericForStmt:
		w.expressions(s.Exprs...)
		w.statements(s.Stmts)
	}
}

func (w walk) expressions(list ...ast.Expr) {
	for _, e := range list {
		if e == nil {
			continue
		}
		if w.expression != nil {
			w.expression(e)
		}
		if f, ok := e.(*ast.FunctionExpr); ok {
			w.statements(f.Stmts)
			continue
		}
		w.expressions(Operands(e)...)
	}
}
