// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// genericFor compiles "for k, v in ... do". A loop over pairs or ipairs walks
// the table itself.
func (c *compiler) genericFor(s *ast.GenericForStmt) step {
	l := &walking{line: s.Line(), site: &ast.FuncCallExpr{Func: s.Exprs[0]}}
	l.site.SetLine(s.Line())
	for _, v := range c.declarations[s] {
		l.declare = append(l.declare, declares(v))
	}
	for len(l.declare) < 2 {
		l.declare = append(l.declare, func(*frame, any) {})
	}
	last := len(l.declare) - 1
	l.declare[last] = c.turns(s, l.declare[last])
	if over, ok := c.walked(s.Exprs); ok {
		if over.Func.(*ast.IdentExpr).Value == "pairs" {
			return c.walk(s, l, over, l.pairs)
		}
		return c.walk(s, l, over, l.ipairs)
	}
	start := c.spread(s.Exprs, 3)
	l.body = c.loopBlock(s.Stmts, s.Line())
	return func(f *frame) control {
		vm := f.vm
		base := vm.top
		start(f)
		next, state, key := vm.stack[base], vm.stack[base+1], vm.stack[base+2]
		vm.drop(base)
		return l.generic(f, next, state, key)
	}
}

// loopBlock compiles the body of a loop with the cost of a turn.
func (c *compiler) loopBlock(list []ast.Stmt, line int) block {
	b := c.block(list, line)
	b.cost++
	return b
}

// walked returns the call of pairs or ipairs with one argument that a loop is
// over, where the script has no other use of that name.
func (c *compiler) walked(list []ast.Expr) (*ast.FuncCallExpr, bool) {
	if len(list) != 1 {
		return nil, false
	}
	call, ok := list[0].(*ast.FuncCallExpr)
	if !ok || call.Func == nil || len(call.Args) != 1 {
		return nil, false
	}
	name, ok := call.Func.(*ast.IdentExpr)
	if !ok || name.Value != "pairs" && name.Value != "ipairs" {
		return nil, false
	}
	return call, c.settle(name).place == placeConstant
}

// walk compiles a loop over the table that the call over names.
func (c *compiler) walk(s *ast.GenericForStmt, l *walking, over *ast.FuncCallExpr, loop func(*frame, *table) control) step {
	c.nodes += 3
	name := over.Func.(*ast.IdentExpr).Value
	object := c.expression(over.Args[0])
	l.body = c.loopBlock(s.Stmts, s.Line())
	return func(f *frame) control {
		v := object(f)
		t, ok := v.(*table)
		if !ok {
			f.fail(over.Args[0], "bad argument #1 to '%s': table expected, got %s%s", name, kindName(v), of(over.Args[0]))
		}
		return loop(f, t)
	}
}

// walking is a generic for loop.
type walking struct {
	declare []store
	body    block
	line    int
	// site stands for the call of the iterator.
	site *ast.FuncCallExpr
}

// turn runs the body for one key and value.
func (l *walking) turn(f *frame, key, value any) control {
	l.declare[0](f, key)
	l.declare[1](f, value)
	for _, d := range l.declare[2:] {
		d(f, nil)
	}
	return l.body.run(f)
}

func (l *walking) pairs(f *frame, t *table) control {
	c := cursor{table: t}
	for {
		key, value, ok := c.next()
		if !ok {
			return following
		}
		if r := l.turn(f, key, value); r != following {
			return leave(r)
		}
	}
}

func (l *walking) ipairs(f *frame, t *table) control {
	for i := int64(1); ; i++ {
		value := t.getItem(i)
		if value == nil {
			return following
		}
		if r := l.turn(f, i, value); r != following {
			return leave(r)
		}
	}
}

// generic calls an iterator function until it returns nil.
func (l *walking) generic(f *frame, next, state, key any) control {
	vm := f.vm
	for {
		f.at = l.line
		vm.charge(1)
		base := vm.top
		vm.push(state)
		vm.push(key)
		key = vm.invoke(next, base, 2, l.site)
		n := vm.count
		if key == nil || n == 0 {
			return following
		}
		l.declare[0](f, key)
		for i, d := range l.declare[1:] {
			if i+1 < n {
				d(f, vm.results[i+1])
			} else {
				d(f, nil)
			}
		}
		if r := l.body.run(f); r != following {
			return leave(r)
		}
	}
}
