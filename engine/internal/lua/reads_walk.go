// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/reads"
	"github.com/dragoman-io/dragoman/engine/script"
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
		f.assign(s, scope)
	case *ast.FuncCallStmt:
		f.expression(s.Expr, scope)
	case *ast.DoBlockStmt:
		f.block(s.Stmts, scope)
	case *ast.WhileStmt:
		f.condition(s.Condition, scope)
		f.block(s.Stmts, scope)
	case *ast.RepeatStmt:
		f.block(s.Stmts, scope)
		f.condition(s.Condition, scope)
	case *ast.IfStmt:
		f.condition(s.Condition, scope)
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
		f.add(script.Accessed, f.path(e, scope), e)
		f.inner(e, scope)
	case *ast.FuncCallExpr:
		f.call(e, scope)
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
	default:
		f.operation(e, scope)
	}
}

// operation reads the operands of an operator, and notes what it does with them.
func (f *fieldReads) operation(e ast.Expr, scope *reads.Scope) {
	switch e := e.(type) {
	case *ast.LogicalOpExpr:
		f.conditions([]ast.Expr{e.Lhs, e.Rhs}, scope)
	case *ast.RelationalOpExpr:
		f.conditions([]ast.Expr{e.Lhs, e.Rhs}, scope)
		f.compared(e.Lhs, e.Rhs, scope)
		f.compared(e.Rhs, e.Lhs, scope)
	case *ast.ArithmeticOpExpr:
		f.expressions([]ast.Expr{e.Lhs, e.Rhs}, scope)
		f.computed(e.Lhs, scope)
		f.computed(e.Rhs, scope)
	case *ast.StringConcatOpExpr:
		f.expressions([]ast.Expr{e.Lhs, e.Rhs}, scope)
	case *ast.UnaryMinusOpExpr:
		f.expression(e.Expr, scope)
		f.computed(e.Expr, scope)
	case *ast.UnaryNotOpExpr:
		f.condition(e.Expr, scope)
	case *ast.UnaryLenOpExpr:
		f.expression(e.Expr, scope)
	}
}

// inner reads what stands in a chain of fields without being one: keys that are computed, and
// the call that it begins with.
func (f *fieldReads) inner(e *ast.AttrGetExpr, scope *reads.Scope) {
	f.index(e.Object, scope)
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
	name := kubeName(e)
	f.kube(e, name, scope)
	f.conditions(e.Args, scope)
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
	if called.Value == "tonumber" && len(e.Args) > 0 {
		f.computed(e.Args[0], scope)
	}
	f.follow(called.Value, e.Args, scope)
}

// kube notes the path that a function of kube reads, and that it takes what is absent there.
func (f *fieldReads) kube(e *ast.FuncCallExpr, name string, scope *reads.Scope) {
	if len(e.Args) == 0 {
		return
	}
	of := f.result(e, scope)
	switch {
	case name == "conditionTrue":
		f.holds(f.path(e.Args[0], scope))
	case of != nil && (name == "get" || name == "condition"):
		f.add(script.Accessed, of, e.Args[min(1, len(e.Args)-1)])
		f.reached(of, name == "get" && len(e.Args) > 2)
	}
}

// follow reads a local function with the arguments of a call.
func (f *fieldReads) follow(name string, args []ast.Expr, scope *reads.Scope) {
	function := f.functions[name]
	if function == nil || f.depth == maxInlined || f.assigned[name] {
		return
	}
	inner, known := &reads.Scope{}, false
	for i, parameter := range function.ParList.Names {
		var p *reads.Path
		if i < len(args) {
			p = f.path(args[i], scope)
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
	texts := constantTexts(argument)
	if text, ok := argument.(*ast.StringExpr); ok {
		texts = []*ast.StringExpr{text}
	} else if name == "latest" || name == "earliest" {
		f.add(script.Accessed, of.Below(constantSteps(argument)...), argument)
		return
	}
	for _, text := range texts {
		f.add(script.Accessed, of.Below(reads.Steps(text.Value)...), text)
	}
}

// patch notes the keys of a constructor that is merged into what stands at a path.
func (f *fieldReads) patch(e ast.Expr, of *reads.Path) {
	t, ok := e.(*ast.TableExpr)
	if !ok {
		return
	}
	for _, field := range t.Fields {
		key, ok := field.Key.(*ast.StringExpr)
		if !ok {
			continue
		}
		at := of.Below(key.Value)
		below, isTable := field.Value.(*ast.TableExpr)
		if isTable && len(below.Fields) > 0 {
			f.patch(below, at)
			continue
		}
		f.add(script.Accessed, at, key)
		f.add(script.Written, at, key)
		if isTable {
			f.add(script.SetEmpty, at, key)
		}
	}
}
