// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// constant returns the value of an expression that has one at compile time.
func constant(e ast.Expr) (v any, ok bool) {
	switch e := e.(type) {
	case *ast.NilExpr:
		return nil, true
	case *ast.TrueExpr:
		return true, true
	case *ast.FalseExpr:
		return false, true
	case *ast.StringExpr:
		return e.Value, true
	case *ast.NumberExpr:
		return parseNumber(e.Value)
	case *ast.UnaryMinusOpExpr:
		if n, ok := e.Expr.(*ast.NumberExpr); ok {
			v, ok := parseNumber(n.Value)
			if ok {
				return negate(v), true
			}
		}
	}
	return nil, false
}

// expression compiles an expression that returns one value.
func (c *compiler) expression(e ast.Expr) expression {
	if v, ok := constant(e); ok {
		c.nodes++
		return func(*frame) any { return v }
	}
	switch e := e.(type) {
	case *ast.FunctionExpr:
		return c.closure(e, "")
	case *ast.LogicalOpExpr:
		return c.logical(e)
	case *ast.FuncCallExpr:
		return c.call(e)
	}
	c.nodes++
	switch e := e.(type) {
	case *ast.IdentExpr:
		return c.variable(e)
	case *ast.AttrGetExpr:
		return c.index(e)
	case *ast.TableExpr:
		return c.constructor(e)
	case *ast.Comma3Expr:
		return func(f *frame) any {
			if len(f.rest) > 0 {
				return f.rest[0]
			}
			return nil
		}
	case *ast.RelationalOpExpr:
		is := c.relation(e)
		return func(f *frame) any { return is(f) }
	case *ast.UnaryNotOpExpr:
		is := c.condition(e.Expr)
		return func(f *frame) any { return !is(f) }
	case *ast.StringConcatOpExpr:
		return c.concat(e)
	case *ast.ArithmeticOpExpr:
		return c.arithmetic(e)
	case *ast.UnaryMinusOpExpr:
		return c.minus(e)
	case *ast.UnaryLenOpExpr:
		return c.length(e)
	case *ast.NumberExpr:
		c.fail(e.Line(), "malformed number near '%s'", clip(e.Value))
	default:
		c.fail(e.Line(), "unknown expression")
	}
	return nil
}

// variable compiles reading a name.
func (c *compiler) variable(e *ast.IdentExpr) expression {
	ref := c.settle(e)
	i := int(ref.index)
	switch ref.place {
	case placeConstant:
		return c.fixed(e, c.environment.globals[e.Value])
	case placeUpvalue:
		return func(f *frame) any { return f.fn.cells[i].value }
	case placeGlobal:
		if v := ref.variable; v != nil && v.lazy != nil {
			return lazily(i, v.lazy)
		} else if v != nil && v.fixed != nil {
			return func(*frame) any { return v.fixed }
		}
		if _, ok := c.environment.globals[e.Value].(*absent); ok {
			return func(f *frame) any { return f.present(e, f.vm.globals[i]) }
		}
		return func(f *frame) any { return f.vm.globals[i] }
	}
	slot := ref.variable.slot
	if ref.variable.boxed() {
		return func(f *frame) any { return f.slots[slot].(*cell).value }
	}
	return func(f *frame) any { return f.slots[slot] }
}

// fixed compiles reading a name that always stands for v.
func (c *compiler) fixed(e *ast.IdentExpr, v any) expression {
	if _, ok := v.(*absent); ok {
		return func(f *frame) any { return f.present(e, v) }
	}
	if e.Value == "require" && c.source.Strict {
		c.failAt(e.Line(), e.Value, "require can only be called, with one constant string")
	}
	return func(*frame) any { return v }
}

// present returns v, or fails where it stands for something that a sandbox does
// not have.
func (f *frame) present(e ast.Expr, v any) any {
	if a, ok := v.(*absent); ok {
		f.fail(e, "%s is not available: %s", a.name, a.reason)
	}
	return v
}

// logical compiles a chain of and, or of or, to the value that decided it.
func (c *compiler) logical(e *ast.LogicalOpExpr) expression {
	list := operands(e)
	c.nodes += int64(len(list) - 1)
	ends := e.Operator == "or"
	last := c.expression(list[len(list)-1])
	if len(list) == 2 {
		left := c.expression(list[0])
		return func(f *frame) any {
			v := left(f)
			if truthy(v) == ends {
				return v
			}
			return last(f)
		}
	}
	first := make([]expression, len(list)-1)
	for i := len(first) - 1; i >= 0; i-- {
		first[i] = c.expression(list[i])
	}
	return func(f *frame) any {
		for _, value := range first {
			if v := value(f); truthy(v) == ends {
				return v
			}
		}
		return last(f)
	}
}

// condition compiles an expression of which only the truth counts.
func (c *compiler) condition(e ast.Expr) condition {
	switch e := e.(type) {
	case *ast.UnaryNotOpExpr:
		c.nodes++
		is := c.condition(e.Expr)
		return func(f *frame) bool { return !is(f) }
	case *ast.RelationalOpExpr:
		c.nodes++
		return c.relation(e)
	case *ast.LogicalOpExpr:
		list := operands(e)
		c.nodes += int64(len(list) - 1)
		each := make([]condition, len(list))
		for i := len(list) - 1; i >= 0; i-- {
			each[i] = c.condition(list[i])
		}
		return chain(each, e.Operator == "or")
	}
	if is := c.shortNext(e); is != nil {
		return is
	}
	return c.truth(e, c.expression(e))
}

// chain returns the condition that ends at the first of several which is what ends says.
func chain(each []condition, ends bool) condition {
	if len(each) == 2 {
		left, right := each[0], each[1]
		if ends {
			return func(f *frame) bool { return left(f) || right(f) }
		}
		return func(f *frame) bool { return left(f) && right(f) }
	}
	return func(f *frame) bool {
		for _, is := range each {
			if is(f) == ends {
				return ends
			}
		}
		return !ends
	}
}

// truth returns the condition that a value is true. Local variables and their fields, which
// most conditions ask about, are read at once.
func (c *compiler) truth(e ast.Expr, value expression) condition {
	if slot, ok := c.plainLocal(e); ok {
		return func(f *frame) bool { return truthy(f.slots[slot]) }
	}
	if at, ok := c.fieldOfLocal(e); ok {
		return func(f *frame) bool {
			if t, ok := f.slots[at.slot].(*table); ok {
				return truthy(t.getField(at.key))
			}
			return truthy(value(f))
		}
	}
	return func(f *frame) bool { return truthy(value(f)) }
}

// length compiles "#e".
func (c *compiler) length(e *ast.UnaryLenOpExpr) expression {
	operand := c.expression(e.Expr)
	return func(f *frame) any {
		switch v := operand(f).(type) {
		case *table:
			return int64(v.length())
		case string:
			return int64(len(v))
		default:
			f.fail(e.Expr, "attempt to get length of a %s value%s", kindName(v), of(e.Expr))
		}
		return nil
	}
}

// isMultiple reports whether e may have other than one value.
func isMultiple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// all asks spread for as many values as there are.
const all = -1

// spread compiles a list of expressions whose values go on the stack: want of
// them, or all. The last expression may have several.
func (c *compiler) spread(list []ast.Expr, want int) spread {
	var tail spread
	single := list
	if n := len(list); n > 0 && isMultiple(list[n-1]) {
		tail = c.tail(list[n-1])
		single = list[:n-1]
	}
	values := make([]expression, len(single))
	for i, e := range single {
		values[i] = c.expression(e)
	}
	return func(f *frame) {
		vm := f.vm
		base := vm.top
		for _, e := range values {
			vm.push(e(f))
		}
		if tail != nil {
			tail(f)
		}
		for vm.top < base+want {
			vm.push(nil)
		}
	}
}

// tail compiles an expression all of whose values go on the stack.
func (c *compiler) tail(e ast.Expr) spread {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok {
		c.nodes++
		return func(f *frame) { f.vm.pushAll(f.rest) }
	}
	value := c.call(call)
	return func(f *frame) {
		vm := f.vm
		v := value(f)
		switch vm.count {
		case 0:
		case 1:
			vm.push(v)
		default:
			vm.pushAll(vm.results[:vm.count])
		}
	}
}

// pushAll puts values on the stack; they are paid for.
func (vm *machine) pushAll(values []any) {
	vm.charge(int64(len(values)) / 4)
	vm.reserve(len(values))
	vm.top += copy(vm.stack[vm.top:], values)
}
