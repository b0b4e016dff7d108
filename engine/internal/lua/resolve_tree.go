// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// block resolves statements in a block of their own.
func (r *resolver) block(list []ast.Stmt) {
	r.begin()
	r.statements(list)
	r.end()
}

// statements resolves the statements of the innermost block.
func (r *resolver) statements(list []ast.Stmt) {
	for _, s := range list {
		if r.deeper(s.Line()) {
			r.measureStatement(s)
			r.statement(s)
			r.observe(s)
		}
		r.depth--
	}
}

func (r *resolver) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		r.localAssign(s)
	case *ast.AssignStmt:
		r.assignment(s)
	case *ast.FuncCallStmt:
		r.expression(s.Expr)
	case *ast.FuncDefStmt:
		r.functionDefinition(s)
	case *ast.ReturnStmt:
		r.expressions(s.Exprs)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.IfStmt:
		for _, b := range branches(s) {
			if b.when != nil {
				r.expression(b.when)
			}
			r.block(b.then)
		}
	case *ast.BreakStmt:
		if r.scope.loops == 0 {
			r.fail(s.Line(), "break stands outside a loop")
		}
	default:
		r.loop(s)
	}
}

// assignment resolves an assignment.
func (r *resolver) assignment(s *ast.AssignStmt) {
	for i, target := range s.Lhs {
		name, ok := target.(*ast.IdentExpr)
		if !ok {
			r.expression(target)
			continue
		}
		var value ast.Expr
		if i < len(s.Rhs) {
			value = s.Rhs[i]
		}
		r.assign(name, value)
	}
	r.expressions(s.Rhs)
}

// loop resolves the statements that repeat others.
func (r *resolver) loop(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.WhileStmt:
		r.scope.loops++
		r.expression(s.Condition)
		r.block(s.Stmts)
		r.scope.loops--
	case *ast.RepeatStmt:
		r.scope.loops++
		r.begin()
		r.statements(s.Stmts)
		r.expression(s.Condition)
		r.end()
		r.scope.loops--
	case *ast.NumberForStmt:
		r.expressions([]ast.Expr{s.Init, s.Limit})
		if s.Step != nil {
			r.expression(s.Step)
		}
		r.loopBody(s, []string{s.Name}, s.Stmts)
	case *ast.GenericForStmt:
		r.expressions(s.Exprs)
		r.loopBody(s, s.Names, s.Stmts)
	case *ast.GotoStmt, *ast.LabelStmt:
		r.fail(s.Line(), "goto is not part of Lua 5.1")
	default:
		r.fail(s.Line(), "unknown statement")
	}
}

// loopBody resolves the body of a for loop with its variables.
func (r *resolver) loopBody(s ast.Stmt, names []string, body []ast.Stmt) {
	r.scope.loops++
	r.begin()
	r.declarations[s] = r.declareAll(names, s.Line())
	r.statements(body)
	r.end()
	r.scope.loops--
}

// localAssign resolves local names with their values. A local function sees its
// own name; the value of any other local does not.
func (r *resolver) localAssign(s *ast.LocalAssignStmt) {
	if isLocalFunction(s) {
		r.declarations[s] = []*variable{r.declare(s.Names[0], s.Line())}
		r.expression(s.Exprs[0])
		return
	}
	r.expressions(s.Exprs)
	r.declarations[s] = r.declareAll(s.Names, s.Line())
	r.alias(r.declarations[s], s.Exprs)
}

// isLocalFunction distinguishes "local function f" from "local f = function": the
// parser sets a last line in the first alone.
func isLocalFunction(s *ast.LocalAssignStmt) bool {
	return len(s.Names) == 1 && len(s.Exprs) == 1 && s.LastLine() > 0
}

func (r *resolver) functionDefinition(s *ast.FuncDefStmt) {
	switch target := s.Name.Func.(type) {
	case *ast.IdentExpr:
		r.assign(target, s.Func)
	case nil:
		r.expression(s.Name.Receiver)
		s.Func.ParList.Names = append([]string{"self"}, s.Func.ParList.Names...)
	default:
		r.expression(target)
	}
	r.expression(s.Func)
}

// callee resolves what a call calls, and notes the calls of require.
func (r *resolver) callee(e *ast.FuncCallExpr) {
	if e.Func == nil {
		r.expression(e.Receiver)
		return
	}
	r.expression(e.Func)
	if name, ok := e.Func.(*ast.IdentExpr); ok && name.Value == "require" {
		r.requires = append(r.requires, e)
	}
}

// chain resolves the operands of a chain of operators, of which e is one.
func (r *resolver) chain(e ast.Expr, operands []ast.Expr) {
	for range operands[2:] {
		r.measure(e)
	}
	r.expressions(operands)
}

func (r *resolver) expressions(list []ast.Expr) {
	for _, e := range list {
		r.expression(e)
	}
}

// expression resolves the names of an expression.
func (r *resolver) expression(e ast.Expr) {
	defer func() { r.depth-- }()
	if !r.deeper(e.Line()) {
		return
	}
	r.measure(e)
	switch e := e.(type) {
	case *ast.IdentExpr:
		r.name(e, false)
	case *ast.AttrGetExpr:
		r.expression(e.Object)
		r.expression(e.Key)
		r.knowsParameter(e)
		if r.looks() {
			r.members = append(r.members, e)
		}
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				r.expression(f.Key)
			}
			r.expression(f.Value)
		}
	case *ast.FuncCallExpr:
		r.callee(e)
		r.expressions(e.Args)
		if r.looks() {
			r.calls = append(r.calls, e)
		}
	case *ast.LogicalOpExpr:
		r.chain(e, operands(e))
	case *ast.StringConcatOpExpr:
		r.chain(e, pieces(e))
	case *ast.RelationalOpExpr:
		r.expressions([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.ArithmeticOpExpr:
		r.expressions([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.UnaryMinusOpExpr:
		r.expression(e.Expr)
	case *ast.UnaryNotOpExpr:
		r.expression(e.Expr)
	case *ast.UnaryLenOpExpr:
		r.expression(e.Expr)
	case *ast.FunctionExpr:
		r.function(e)
	case *ast.Comma3Expr:
		if !r.scope.shape.variadic {
			r.fail(e.Line(), "'...' stands outside a function that takes it")
		}
	}
}
