// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// A function that ends without a return answers nil, which means "not known yet". Where it
// returns a value on another path, or returns nothing at all, a branch is missing, and
// nothing shows it. Loops that never end, calls of error, and branches of which each returns
// are no ends.

// MissingReturn returns where a function that a program offers ends without a return though
// it should have one: a global of a chunk, or a field of the table that a module returns. It
// is nil for all other functions, and for programs that are not of this package.
func MissingReturn(p script.Program, function string) *script.Error {
	lua, ok := p.(*program)
	if !ok {
		return nil
	}
	at, found := lua.code.ends[function]
	if !found {
		return nil
	}
	e := lua.sources[0].fail(at.Position(), fmt.Sprintf("%s can end here without a return; write return nil where the answer is not known yet", function))
	e.Rule = lint.MissingReturnPath
	return e
}

// endings finds the functions of a chunk that end without a return.
type endings struct {
	// raising are the functions local to the chunk that only raise errors.
	raising map[string]bool
	found   map[string]*ast.FunctionExpr
}

// endingsOf returns each function that should return and may not, by the name under which the
// chunk offers it.
func endingsOf(chunk []ast.Stmt) map[string]*ast.FunctionExpr {
	e := endings{raising: map[string]bool{}, found: map[string]*ast.FunctionExpr{}}
	functions := map[string]*ast.FunctionExpr{}
	for _, s := range chunk {
		switch s := s.(type) {
		case *ast.LocalAssignStmt:
			if f, ok := s.Exprs, len(s.Exprs) == 1 && len(s.Names) == 1; ok {
				if body, isFunction := f[0].(*ast.FunctionExpr); isFunction {
					functions[s.Names[0]] = body
					e.raising[s.Names[0]] = !e.falls(body.Stmts) && returnsOf(body.Stmts) == noReturn
				}
			}
		case *ast.FuncDefStmt:
			e.note(describe(s.Name.Func), s.Func)
		case *ast.AssignStmt:
			for i, target := range s.Lhs {
				if i < len(s.Rhs) {
					e.noteExpression(describe(target), s.Rhs[i], functions)
				}
			}
		case *ast.ReturnStmt:
			e.returned(s, functions)
		}
	}
	return e.found
}

// note notes a function that may end without a return.
func (e *endings) note(name string, f *ast.FunctionExpr) {
	delete(e.found, name)
	if name == "" || !e.falls(f.Stmts) || returnsOf(f.Stmts) == bareReturn {
		return
	}
	e.found[name] = f
}

func (e *endings) noteExpression(name string, value ast.Expr, functions map[string]*ast.FunctionExpr) {
	switch v := value.(type) {
	case *ast.FunctionExpr:
		e.note(name, v)
	case *ast.IdentExpr:
		if f := functions[v.Value]; f != nil {
			e.note(name, f)
		}
	}
}

// returned notes what a module returns: fields of a variable under their own names, or a
// constructor.
func (e *endings) returned(s *ast.ReturnStmt, functions map[string]*ast.FunctionExpr) {
	if len(s.Exprs) == 0 {
		return
	}
	switch v := s.Exprs[0].(type) {
	case *ast.IdentExpr:
		for name, f := range e.found {
			if field, ok := strings.CutPrefix(name, v.Value+"."); ok {
				e.found[field] = f
			}
		}
	case *ast.TableExpr:
		for _, f := range v.Fields {
			if key, ok := f.Key.(*ast.StringExpr); ok {
				e.noteExpression(key.Value, f.Value, functions)
			}
		}
	}
}

// endings returns where the functions of a chunk end that should return and may not: with the column
// where somebody asks for mistakes.
func (src *Script) endings(chunk []ast.Stmt) map[string]Place {
	found := endingsOf(chunk)
	var places *Places
	if len(found) > 0 && (src.Strict || src.Warn != nil) {
		places = endsOf(src.Text, chunk)
	}
	ends := make(map[string]Place, len(found))
	for name, f := range found {
		if ends[name] = (Place{Line: f.LastLine()}); places != nil && places.End(f).Line > 0 {
			ends[name] = places.End(f)
		}
	}
	return ends
}

// falls reports whether control can come to the end of statements.
func (e *endings) falls(list []ast.Stmt) bool {
	for _, s := range list {
		if e.stops(s) {
			return false
		}
	}
	return true
}

// stops reports whether control never comes to what follows a statement.
func (e *endings) stops(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BreakStmt:
		return true
	case *ast.FuncCallStmt:
		return e.raises(s.Expr)
	case *ast.DoBlockStmt:
		return !e.falls(s.Stmts)
	case *ast.WhileStmt:
		return isTrue(s.Condition) && !breaks(s.Stmts)
	case *ast.RepeatStmt:
		return !breaks(s.Stmts) && (isFalse(s.Condition) || !e.falls(s.Stmts))
	case *ast.IfStmt:
		for _, b := range branches(s) {
			if e.falls(b.then) {
				return false
			}
			if b.when == nil || isTrue(b.when) {
				return true
			}
		}
	}
	return false
}

// raises reports whether an expression is a call that only raises an error.
func (e *endings) raises(x ast.Expr) bool {
	call, ok := x.(*ast.FuncCallExpr)
	if !ok {
		return false
	}
	name, ok := call.Func.(*ast.IdentExpr)
	if !ok {
		return false
	}
	return name.Value == "error" || e.raising[name.Value] ||
		name.Value == "assert" && len(call.Args) > 0 && isFalse(call.Args[0])
}

func isTrue(e ast.Expr) bool {
	switch e.(type) {
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return true
	}
	return false
}

func isFalse(e ast.Expr) bool {
	switch e.(type) {
	case *ast.FalseExpr, *ast.NilExpr:
		return true
	}
	return false
}

// breaks reports whether statements of a loop leave it by break.
func breaks(list []ast.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.BreakStmt:
			return true
		case *ast.DoBlockStmt:
			if breaks(s.Stmts) {
				return true
			}
		case *ast.IfStmt:
			for _, b := range branches(s) {
				if breaks(b.then) {
					return true
				}
			}
		}
	}
	return false
}

// What a function returns.
type returning int

const (
	noReturn returning = iota
	// bareReturn is a function whose returns have no value.
	bareReturn
	valueReturn
)

// returnsOf finds out what statements return, without those of the functions in them.
func returnsOf(list []ast.Stmt) returning {
	most := noReturn
	for _, s := range list {
		found := noReturn
		switch s := s.(type) {
		case *ast.ReturnStmt:
			found = bareReturn
			if len(s.Exprs) > 0 {
				found = valueReturn
			}
		case *ast.DoBlockStmt:
			found = returnsOf(s.Stmts)
		case *ast.WhileStmt:
			found = returnsOf(s.Stmts)
		case *ast.RepeatStmt:
			found = returnsOf(s.Stmts)
		case *ast.NumberForStmt:
			found = returnsOf(s.Stmts)
		case *ast.GenericForStmt:
			found = returnsOf(s.Stmts)
		case *ast.IfStmt:
			for _, b := range branches(s) {
				found = max(found, returnsOf(b.then))
			}
		}
		most = max(most, found)
	}
	return most
}
