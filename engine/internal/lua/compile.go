// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// compiler is the second pass: it makes closures of a resolved tree.
type compiler struct {
	*resolver
	// nodes counts the nodes of the block that is compiled, without those of
	// the blocks and functions inside it.
	nodes int64
	// tables are the tables of functions that the chunk declares.
	tables map[*variable]*exports
	// presets are the globals that a chunk which only declares sets, and last is the
	// return at its end, of which answer is the value.
	presets []preset
	last    *ast.ReturnStmt
	answer  expression
	// idles is how many statements of such a chunk leave nothing behind.
	idles int
	// functions is how many functions are being compiled, the chunk among them; title names
	// the innermost.
	functions int
	title     string
}

// function compiles the body of a function.
func (c *compiler) function(f *ast.FunctionExpr, name string) *proto {
	s := c.shapes[f]
	p := &proto{source: c.source, name: name, line: f.Line(), params: len(s.params), slots: s.slots, variadic: s.variadic, captures: s.captures}
	for _, v := range s.params {
		if v.boxed() {
			p.boxed = append(p.boxed, v.slot)
		}
	}
	outer := c.title
	c.functions, c.title = c.functions+1, name
	p.body = c.block(f.Stmts, f.Line())
	c.entered(p, s.params)
	c.functions, c.title = c.functions-1, outer
	return p
}

// block compiles statements that are entered together.
func (c *compiler) block(list []ast.Stmt, line int) block {
	outer := c.nodes
	c.nodes = 1
	b := block{line: line, steps: make([]statement, 0, len(list))}
	if len(list) > 0 {
		b.line = list[0].Line()
	}
	var shares []share
	for _, s := range list {
		before := c.nodes
		c.nodes++
		if run := c.recorded(s, c.covered(s.Line(), c.statement(s))); run != nil {
			b.steps = append(b.steps, statement{run, s.Line()})
		}
		shares = c.shares(shares, s.Line(), c.nodes-before)
	}
	if shares != nil {
		b.steps = append([]statement{{c.shared(shares), b.line}}, b.steps...)
	}
	b.cost = c.nodes
	c.nodes = outer
	return b
}

// cost runs compilation f and returns the number of nodes in it, which are then
// not part of the block around.
func (c *compiler) cost(f func()) int64 {
	outer := c.nodes
	c.nodes = 0
	f()
	n := c.nodes
	c.nodes = outer
	return n
}

// statement compiles one statement; it returns nil where there is nothing to do.
func (c *compiler) statement(s ast.Stmt) step {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		return c.localAssign(s)
	case *ast.AssignStmt:
		return c.assign(s)
	case *ast.FuncCallStmt:
		return c.callStatement(s)
	case *ast.FuncDefStmt:
		return c.functionDefinition(s)
	case *ast.ReturnStmt:
		return c.returns(s)
	case *ast.BreakStmt:
		return func(*frame) control { return broken }
	case *ast.DoBlockStmt:
		b := c.block(s.Stmts, s.Line())
		return b.run
	case *ast.IfStmt:
		return c.branch(s)
	case *ast.WhileStmt:
		return c.while(s)
	case *ast.RepeatStmt:
		return c.repeat(s)
	case *ast.NumberForStmt:
		return c.numericFor(s)
	case *ast.GenericForStmt:
		return c.genericFor(s)
	}
	c.fail(s.Line(), "unknown statement")
	return nil
}

// branch compiles an if statement.
func (c *compiler) branch(s *ast.IfStmt) step {
	list := branches(s)
	when, then := c.tested(list[0].when), c.block(list[0].then, list[0].line)
	if len(list) == 1 {
		return func(f *frame) control {
			if when(f) {
				return then.run(f)
			}
			return following
		}
	}
	if len(list) == 2 && list[1].when == nil {
		otherwise := c.block(list[1].then, list[1].line)
		return func(f *frame) control {
			if when(f) {
				return then.run(f)
			}
			return otherwise.run(f)
		}
	}
	rest := c.branches(list[1:])
	return func(f *frame) control {
		if when(f) {
			return then.run(f)
		}
		for i := range rest {
			if r := &rest[i]; r.taken(f) {
				return r.then.run(f)
			}
		}
		return following
	}
}

// branch is one elseif or else. Its condition pays when it is reached.
type branch struct {
	when condition
	cost int64
	then block
}

func (b *branch) taken(f *frame) bool {
	if b.when == nil {
		return true
	}
	f.vm.gas -= b.cost
	return b.when(f)
}

func (c *compiler) branches(list []branchNode) []branch {
	out := make([]branch, len(list))
	for i, n := range list {
		if n.when != nil {
			out[i].cost = c.cost(func() { out[i].when = c.tested(n.when) })
			out[i].when = c.paid(n.when, out[i].cost, out[i].when)
		}
		out[i].then = c.block(n.then, n.line)
	}
	return out
}

// callStatement compiles a call whose results are not used.
func (c *compiler) callStatement(s *ast.FuncCallStmt) step {
	e := c.call(s.Expr.(*ast.FuncCallExpr))
	return func(f *frame) control {
		e(f)
		return following
	}
}

// functionDefinition compiles "function a.b:c() end".
func (c *compiler) functionDefinition(s *ast.FuncDefStmt) step {
	name, target := "", s.Name.Func
	if target == nil {
		key := &ast.StringExpr{Value: s.Name.Method}
		key.SetLine(s.Line())
		field := &ast.AttrGetExpr{Object: s.Name.Receiver, Key: key}
		field.SetLine(s.Line())
		name, target = describe(s.Name.Receiver)+":"+s.Name.Method, field
	} else {
		name = describe(target)
	}
	if c.export(s, name) {
		return nil
	}
	value := c.closure(s.Func, name)
	if ident, ok := target.(*ast.IdentExpr); ok && c.isFixedFunction(s.Func) {
		if ref := c.settle(ident); ref.place == placeGlobal {
			c.preset(int(ref.index), value(nil))
		}
	}
	return c.assignOne(target, value)
}

// returns compiles a return statement.
func (c *compiler) returns(s *ast.ReturnStmt) step {
	switch {
	case len(s.Exprs) == 0:
		return func(f *frame) control {
			f.result, f.vm.count = nil, 0
			return returned
		}
	case len(s.Exprs) == 1 && !isMultiple(s.Exprs[0]):
		e := c.expression(s.Exprs[0])
		if s == c.last {
			c.answer = c.answerOf(s.Exprs[0], e)
		}
		return func(f *frame) control {
			f.result = e(f)
			f.vm.count = 1
			return returned
		}
	case len(s.Exprs) == 1:
		if call, ok := s.Exprs[0].(*ast.FuncCallExpr); ok {
			e := c.call(call)
			return func(f *frame) control {
				f.result = e(f)
				return returned
			}
		}
	}
	list := c.spread(s.Exprs, all)
	return func(f *frame) control {
		vm := f.vm
		base := vm.top
		list(f)
		vm.count = vm.top - base
		f.result = nil
		if vm.count > 0 {
			f.result = vm.stack[base]
		}
		vm.results = append(vm.results[:0], vm.stack[base:vm.top]...)
		vm.drop(base)
		return returned
	}
}

// closure compiles a function expression.
func (c *compiler) closure(e *ast.FunctionExpr, name string) expression {
	c.nodes++
	if name == "" {
		name = fmt.Sprintf("function of line %d", e.Line())
	}
	p := c.function(e, name)
	if len(p.captures) == 0 {
		fn := &function{proto: p}
		return func(*frame) any { return fn }
	}
	return func(f *frame) any {
		f.vm.allocate(closureBytes + int64(len(p.captures))*8)
		fn := &function{proto: p, cells: make([]*cell, len(p.captures))}
		for i, from := range p.captures {
			if from.fromSlot {
				fn.cells[i] = f.slots[from.index].(*cell)
			} else {
				fn.cells[i] = f.fn.cells[from.index]
			}
		}
		return fn
	}
}
