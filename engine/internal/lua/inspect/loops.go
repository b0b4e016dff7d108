// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// loops finds loops that nothing ends: whose condition is constant, or has only variables that
// the loop does not assign, and that neither break nor return nor raise an error. The limit of
// gas ends them, and the answer is an error.
func loops(f *file) {
	lua.WalkStatements(f.Statements, func(s ast.Stmt) {
		var (
			body      []ast.Stmt
			condition ast.Expr
		)
		switch s := s.(type) {
		case *ast.WhileStmt:
			body, condition = s.Stmts, s.Condition
		case *ast.RepeatStmt:
			body, condition = s.Stmts, s.Condition
		default:
			return
		}
		if leaves(body) || stopsAtOnce(s, condition) || f.changes(condition, s, body) {
			return
		}
		f.report(lint.UnboundedLoop, f.Of(s), "nothing in this loop ends it: it does not change its condition, and has no break or return")
	})
}

// stopsAtOnce reports whether a loop with a constant condition runs once or not at all.
func stopsAtOnce(s ast.Stmt, condition ast.Expr) bool {
	_, isWhile := s.(*ast.WhileStmt)
	switch condition.(type) {
	case *ast.FalseExpr, *ast.NilExpr:
		return isWhile
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return !isWhile
	}
	return false
}

// leaves reports whether statements can leave the loop around them: by break, return, or a call
// of error or assert. A break in a loop among them leaves that alone.
func leaves(body []ast.Stmt) bool {
	return slices.ContainsFunc(body, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.BreakStmt, *ast.ReturnStmt:
			return true
		case *ast.FuncCallStmt:
			return raises(s)
		case *ast.DoBlockStmt:
			return leaves(s.Stmts)
		case *ast.IfStmt:
			return leaves(s.Then) || leaves(s.Else)
		case *ast.WhileStmt:
			return returns(s.Stmts)
		case *ast.RepeatStmt:
			return returns(s.Stmts)
		case *ast.NumberForStmt:
			return returns(s.Stmts)
		case *ast.GenericForStmt:
			return returns(s.Stmts)
		}
		return false
	})
}

// returns reports whether a statement among statements, also in loops and functions, returns or
// raises an error.
func returns(body []ast.Stmt) bool {
	found := false
	lua.WalkStatements(body, func(s ast.Stmt) {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			found = true
		case *ast.FuncCallStmt:
			found = found || raises(s)
		}
	})
	return found
}

// raises reports whether a statement is a call of error or assert.
func raises(s *ast.FuncCallStmt) bool {
	call, ok := s.Expr.(*ast.FuncCallExpr)
	if !ok {
		return false
	}
	name, ok := call.Func.(*ast.IdentExpr)
	return ok && (name.Value == "error" || name.Value == "assert")
}

// changes reports whether a loop may change its condition: that has a call or a field, a
// global, or a variable that is declared or assigned in the loop or, through a function,
// assigned anywhere.
func (f *file) changes(condition ast.Expr, s ast.Stmt, body []ast.Stmt) bool {
	variables := map[*variable]bool{}
	if !f.only(condition, variables) {
		return true
	}
	start := f.Of(s)
	for v := range variables {
		if v.at.Line > start.Line || v.at.Line == start.Line && v.at.Column > start.Column {
			return true
		}
	}
	changed := false
	lua.WalkStatements(body, func(s ast.Stmt) {
		if a, ok := s.(*ast.AssignStmt); ok {
			for _, target := range a.Lhs {
				if name, isName := target.(*ast.IdentExpr); isName && variables[f.names.uses[name]] {
					changed = true
				}
			}
		}
	})
	return changed || callsAnything(body) && f.assignedInFunctions(variables)
}

// only reports whether an expression has constants, operators and local variables alone, and
// collects these.
func (f *file) only(e ast.Expr, variables map[*variable]bool) bool {
	switch e := e.(type) {
	case *ast.IdentExpr:
		v := f.names.uses[e]
		if v != nil {
			variables[v] = true
		}
		return v != nil
	case *ast.AttrGetExpr, *ast.FuncCallExpr, *ast.TableExpr, *ast.FunctionExpr, *ast.Comma3Expr, *ast.UnaryLenOpExpr:
		return false
	}
	for _, o := range lua.Operands(e) {
		if !f.only(o, variables) {
			return false
		}
	}
	return true
}

// callsAnything reports whether statements call a function.
func callsAnything(body []ast.Stmt) bool {
	found := false
	lua.WalkExpressions(body, func(e ast.Expr) {
		if _, ok := e.(*ast.FuncCallExpr); ok {
			found = true
		}
	})
	return found
}

// assignedInFunctions reports whether a function assigns one of the variables of those around
// it.
func (f *file) assignedInFunctions(variables map[*variable]bool) bool {
	found := false
	lua.WalkExpressions(f.Statements, func(e ast.Expr) {
		function, ok := e.(*ast.FunctionExpr)
		if !ok {
			return
		}
		lua.WalkStatements(function.Stmts, func(s ast.Stmt) {
			if a, isAssign := s.(*ast.AssignStmt); isAssign {
				for _, target := range a.Lhs {
					if name, isName := target.(*ast.IdentExpr); isName && variables[f.names.uses[name]] {
						found = true
					}
				}
			}
		})
	})
	return found
}
