// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/reads"
)

// block reads statements in a scope of their own.
func (f *fieldReads) block(all []ast.Stmt, outer *reads.Scope) {
	scope := outer.Inner()
	for _, s := range all {
		f.statement(s, scope)
	}
}

func (f *fieldReads) statement(s ast.Stmt, scope *reads.Scope) {
	if f.left--; f.left < 0 {
		return
	}
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		f.declare(s, scope)
	case *ast.AssignStmt:
		f.expressions(s.Rhs, scope)
		f.expressions(s.Lhs, scope)
	case *ast.FuncCallStmt:
		f.expression(s.Expr, scope)
	case *ast.DoBlockStmt:
		f.block(s.Stmts, scope)
	case *ast.WhileStmt:
		f.expression(s.Condition, scope)
		f.block(s.Stmts, scope)
	case *ast.RepeatStmt:
		f.block(s.Stmts, scope)
		f.expression(s.Condition, scope)
	case *ast.IfStmt:
		f.expression(s.Condition, scope)
		f.block(s.Then, scope)
		f.block(s.Else, scope)
	case *ast.NumberForStmt:
		f.expressions([]ast.Expr{s.Init, s.Limit, s.Step}, scope)
		inner := scope.Inner()
		inner.Define(s.Name, nil)
		f.block(s.Stmts, inner)
	case *ast.GenericForStmt:
		f.loop(s, scope)
	case *ast.ReturnStmt:
		f.expressions(s.Exprs, scope)
	}
}

func (f *fieldReads) declare(s *ast.LocalAssignStmt, scope *reads.Scope) {
	f.expressions(s.Exprs, scope)
	paths := make([]*reads.Path, len(s.Names))
	for i := range s.Names {
		if i < len(s.Exprs) {
			paths[i] = f.path(s.Exprs[i], scope)
		}
	}
	for i, name := range s.Names {
		scope.Define(name, paths[i])
	}
}

// loop reads a loop over pairs or ipairs, whose second variable is an element.
func (f *fieldReads) loop(s *ast.GenericForStmt, scope *reads.Scope) {
	f.expressions(s.Exprs, scope)
	inner := scope.Inner()
	for _, name := range s.Names {
		inner.Define(name, nil)
	}
	if call, ok := s.Exprs[0].(*ast.FuncCallExpr); ok && len(s.Exprs) == 1 && len(s.Names) > 1 && len(call.Args) == 1 {
		if function, ok := call.Func.(*ast.IdentExpr); ok && (function.Value == "pairs" || function.Value == "ipairs") {
			if of := f.path(call.Args[0], scope); of != nil {
				inner.Define(s.Names[1], of.Below(anyElement))
			}
		}
	}
	f.block(s.Stmts, inner)
}

func (f *fieldReads) expressions(all []ast.Expr, scope *reads.Scope) {
	for _, e := range all {
		f.expression(e, scope)
	}
}

// expression notes the paths in an expression: of a chain of fields only the whole.
func (f *fieldReads) expression(e ast.Expr, scope *reads.Scope) {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		f.add(f.path(e, scope), e.Line())
		f.inner(e, scope)
	case *ast.FuncCallExpr:
		f.call(e, scope)
	case *ast.LogicalOpExpr:
		f.expressions([]ast.Expr{e.Lhs, e.Rhs}, scope)
	case *ast.RelationalOpExpr:
		f.expressions([]ast.Expr{e.Lhs, e.Rhs}, scope)
	case *ast.ArithmeticOpExpr:
		f.expressions([]ast.Expr{e.Lhs, e.Rhs}, scope)
	case *ast.StringConcatOpExpr:
		f.expressions([]ast.Expr{e.Lhs, e.Rhs}, scope)
	case *ast.UnaryMinusOpExpr:
		f.expression(e.Expr, scope)
	case *ast.UnaryNotOpExpr:
		f.expression(e.Expr, scope)
	case *ast.UnaryLenOpExpr:
		f.expression(e.Expr, scope)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			f.expressions([]ast.Expr{field.Key, field.Value}, scope)
		}
	case *ast.FunctionExpr:
		inner := scope.Inner()
		for _, name := range e.ParList.Names {
			inner.Define(name, nil)
		}
		f.block(e.Stmts, inner)
	}
}

// inner reads what stands in a chain of fields without being one: keys that are computed, and
// the call that it begins with.
func (f *fieldReads) inner(e *ast.AttrGetExpr, scope *reads.Scope) {
	if _, isConstant := e.Key.(*ast.StringExpr); !isConstant {
		f.expression(e.Key, scope)
	}
	switch object := e.Object.(type) {
	case *ast.AttrGetExpr:
		f.inner(object, scope)
	case *ast.IdentExpr:
	default:
		f.expression(object, scope)
	}
}

// fieldLists are functions of kube that take the fields of a status: at which argument, and what
// stands between their first argument and the field.
var fieldLists = map[string]struct {
	at    int
	below []string
}{
	"pick":          {1, nil},
	"reflectStatus": {1, []string{"status"}},
	"sumStatus":     {1, []string{anyElement, "status"}},
	"latest":        {1, []string{anyElement, "status"}},
	"earliest":      {1, []string{anyElement, "status"}},
}

// call notes what a call reads, and follows it into a local function.
func (f *fieldReads) call(e *ast.FuncCallExpr, scope *reads.Scope) {
	f.add(f.result(e, scope), e.Line())
	f.expressions(e.Args, scope)
	name := kubeName(e)
	switch {
	case name != "":
		f.fields(e, name, scope)
		return
	case e.Func == nil:
		f.expression(e.Receiver, scope)
		return
	}
	called, ok := e.Func.(*ast.IdentExpr)
	if !ok {
		f.expression(e.Func, scope)
		return
	}
	function := f.functions[called.Value]
	if function == nil || f.depth == maxInlined || f.assigned[called.Value] {
		return
	}
	inner, known := &reads.Scope{}, false
	for i, parameter := range function.ParList.Names {
		var p *reads.Path
		if i < len(e.Args) {
			p = f.path(e.Args[i], scope)
		}
		inner.Define(parameter, p)
		known = known || p != nil
	}
	if known {
		f.depth++
		f.block(function.Stmts, inner)
		f.depth--
	}
}

// fields notes the fields that a function of kube takes by name, and the keys of a patch.
func (f *fieldReads) fields(e *ast.FuncCallExpr, name string, scope *reads.Scope) {
	if len(e.Args) < 2 {
		return
	}
	of := f.path(e.Args[0], scope)
	if of == nil {
		return
	}
	if name == "merge" {
		f.patch(e.Args[1], of)
		return
	}
	list, found := fieldLists[name]
	if !found {
		return
	}
	of = of.Below(list.below...)
	argument := e.Args[list.at]
	if steps := constantSteps(argument); steps != nil && name != "latest" && name != "earliest" {
		for _, field := range steps {
			f.add(of.Below(constantSteps(&ast.StringExpr{Value: field})...), e.Line())
		}
	} else if text, ok := argument.(*ast.StringExpr); ok {
		f.add(of.Below(constantSteps(text)...), e.Line())
	}
}

// patch notes the keys of a constructor that is merged into what stands at a path.
func (f *fieldReads) patch(e ast.Expr, of *reads.Path) {
	t, ok := e.(*ast.TableExpr)
	if !ok {
		return
	}
	for _, field := range t.Fields {
		if key, ok := field.Key.(*ast.StringExpr); ok {
			at := of.Below(key.Value)
			if below, isTable := field.Value.(*ast.TableExpr); isTable && len(below.Fields) > 0 {
				f.patch(below, at)
			} else {
				f.add(at, t.Line())
			}
		}
	}
}

// walkStatements calls visit for all statements of blocks, those of functions in them included.
func walkStatements(all []ast.Stmt, visit func(ast.Stmt)) {
	for _, s := range all {
		visit(s)
		for _, below := range blocksOf(s) {
			walkStatements(below, visit)
		}
	}
}

// blocksOf returns the blocks in a statement.
func blocksOf(s ast.Stmt) [][]ast.Stmt {
	switch s := s.(type) {
	case *ast.DoBlockStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.WhileStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.RepeatStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.IfStmt:
		return [][]ast.Stmt{s.Then, s.Else}
	case *ast.NumberForStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.GenericForStmt:
		return [][]ast.Stmt{s.Stmts}
	case *ast.FuncDefStmt:
		return [][]ast.Stmt{s.Func.Stmts}
	case *ast.LocalAssignStmt:
		return functionBlocks(s.Exprs)
	case *ast.AssignStmt:
		return functionBlocks(s.Rhs)
	case *ast.ReturnStmt:
		return functionBlocks(s.Exprs)
	}
	return nil
}

// functionBlocks returns the blocks of functions among expressions.
func functionBlocks(all []ast.Expr) [][]ast.Stmt {
	var blocks [][]ast.Stmt
	for _, e := range all {
		if function, ok := e.(*ast.FunctionExpr); ok {
			blocks = append(blocks, function.Stmts)
		}
	}
	return blocks
}
