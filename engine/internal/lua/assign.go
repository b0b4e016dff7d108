// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// localAssign compiles the declaration of local variables. Each execution makes
// new ones.
func (c *compiler) localAssign(s *ast.LocalAssignStmt) step {
	vars := c.declarations[s]
	if isLocalFunction(s) {
		return c.localFunction(vars[0], s.Exprs[0].(*ast.FunctionExpr))
	}
	if len(vars) == 1 && len(s.Exprs) == 1 {
		return c.localOne(vars[0], s.Exprs[0])
	}
	if len(vars) == len(s.Exprs) && !isMultiple(s.Exprs[len(vars)-1]) {
		return c.localEach(vars, s.Exprs)
	}
	declare := make([]store, len(vars))
	for i, v := range vars {
		declare[i] = declares(v)
	}
	list := c.spread(s.Exprs, len(vars))
	return func(f *frame) control {
		vm := f.vm
		base := vm.top
		list(f)
		for i, d := range declare {
			d(f, vm.stack[base+i])
		}
		vm.drop(base)
		return following
	}
}

// localEach compiles "local v, w = e, g". No value sees a variable that is declared with it,
// so that each goes to its place at once.
func (c *compiler) localEach(vars []*variable, values []ast.Expr) step {
	var each []step
	for i, v := range vars {
		if declare := c.localOne(v, values[i]); declare != nil {
			each = append(each, declare)
		}
	}
	return func(f *frame) control {
		for _, declare := range each {
			declare(f)
		}
		return following
	}
}

// localOne compiles "local v = e"; it returns nil where there is nothing to do.
func (c *compiler) localOne(v *variable, value ast.Expr) step {
	fixed := v.global >= 0 && !v.assigned
	if fixed && c.isFixedFunction(value) {
		v.fixed = &function{} // which it may call itself
		*v.fixed = *c.fixedFunction(value, v.name)
		return nil
	}
	e := c.value(v, value)
	slot := v.slot
	switch {
	case fixed && (isFixedTable(value) || c.source.Coverage == nil && c.isPureRequire(value)): // whose lines are to be marked
		v.lazy = e
		return nil
	case v.global >= 0:
		slot = v.global
		if x, ok := constant(value); ok {
			c.preset(slot, x)
		}
		return func(f *frame) control {
			f.vm.globals[slot] = e(f)
			return following
		}
	case v.captured:
		return func(f *frame) control {
			f.slots[slot] = f.vm.newCell(e(f))
			return following
		}
	}
	c.idle(v, value)
	if at, ok := c.fieldOfLocal(value); ok {
		return func(f *frame) control {
			if t, ok := f.slots[at.slot].(*table); ok {
				f.slots[slot] = t.getField(at.key)
			} else {
				f.slots[slot] = e(f)
			}
			return following
		}
	}
	return func(f *frame) control {
		f.slots[slot] = e(f)
		return following
	}
}

// value compiles the first value of a variable.
func (c *compiler) value(v *variable, e ast.Expr) expression {
	if x := c.tables[v]; x != nil {
		c.nodes++
		return x.table
	}
	return c.named(e, v.name)
}

// localFunction compiles "local function v", which sees itself.
func (c *compiler) localFunction(v *variable, value *ast.FunctionExpr) step {
	if v.boxed() {
		slot := v.slot
		e := c.closure(value, v.name)
		return func(f *frame) control {
			own := f.vm.newCell(nil)
			f.slots[slot] = own
			own.value = e(f)
			return following
		}
	}
	return c.localOne(v, value)
}

// named compiles an expression; a function gets the name of its variable.
func (c *compiler) named(e ast.Expr, name string) expression {
	if f, ok := e.(*ast.FunctionExpr); ok {
		return c.closure(f, name)
	}
	return c.expression(e)
}

// declares returns the store that makes a new variable.
func declares(v *variable) store {
	slot := v.slot
	switch {
	case v.global >= 0:
		slot = v.global
		return func(f *frame, x any) { f.vm.globals[slot] = x }
	case v.captured:
		return func(f *frame, x any) { f.slots[slot] = f.vm.newCell(x) }
	}
	return func(f *frame, x any) { f.slots[slot] = x }
}

// assign compiles an assignment. All expressions on both sides are evaluated
// before any target changes, so "a, b = b, a" swaps.
func (c *compiler) assign(s *ast.AssignStmt) step {
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		return c.assignOne(s.Lhs[0], c.assigned(c.named(s.Rhs[0], describe(s.Lhs[0]))))
	}
	// The object and key of each target go on the stack before the values.
	var prepare []expression
	sets := make([]func(f *frame, base int, v any), len(s.Lhs))
	for i, target := range s.Lhs {
		if e, ok := target.(*ast.AttrGetExpr); ok {
			c.nodes++
			at := len(prepare)
			prepare = append(prepare, c.expression(e.Object), c.expression(e.Key))
			sets[i] = func(f *frame, base int, v any) {
				f.setIndex(e, f.vm.stack[base+at], f.vm.stack[base+at+1], v)
			}
			continue
		}
		set := c.variableStore(target.(*ast.IdentExpr))
		sets[i] = func(f *frame, _ int, v any) { set(f, v) }
	}
	values := c.spread(s.Rhs, len(s.Lhs))
	return func(f *frame) control {
		vm := f.vm
		base := vm.top
		for _, e := range prepare {
			vm.push(e(f))
		}
		first := vm.top
		values(f)
		for i := len(sets) - 1; i >= 0; i-- {
			sets[i](f, base, vm.stack[first+i])
		}
		vm.drop(base)
		return following
	}
}

// assignOne compiles the assignment of one value.
func (c *compiler) assignOne(target ast.Expr, value expression) step {
	if name, ok := target.(*ast.IdentExpr); ok {
		return c.assignName(name, value)
	}
	c.nodes++
	e := target.(*ast.AttrGetExpr)
	object := c.expression(e.Object)
	if key, ok := e.Key.(*ast.StringExpr); ok {
		c.nodes += 1 + keyGas(key.Value)
		k := key.Value
		return func(f *frame) control {
			o := object(f)
			v := value(f)
			if t, ok := o.(*table); ok {
				t.setField(k, v)
				return following
			}
			f.setIndex(e, o, k, v)
			return following
		}
	}
	key := c.expression(e.Key)
	return func(f *frame) control {
		o := object(f)
		k := key(f)
		f.setIndex(e, o, k, value(f))
		return following
	}
}

// assignName compiles the assignment of one value to a variable.
func (c *compiler) assignName(name *ast.IdentExpr, value expression) step {
	c.nodes++
	ref := c.settle(name)
	switch {
	case ref.place == placeGlobal:
		i := int(ref.index)
		return func(f *frame) control {
			f.vm.globals[i] = value(f)
			return following
		}
	case ref.place == placeLocal && !ref.variable.captured:
		slot := ref.variable.slot
		return func(f *frame) control {
			f.slots[slot] = value(f)
			return following
		}
	}
	set := c.variableStore(name)
	return func(f *frame) control {
		set(f, value(f))
		return following
	}
}

// setIndex assigns to a field of o.
func (f *frame) setIndex(e *ast.AttrGetExpr, o, key, v any) {
	switch o := o.(type) {
	case *table:
		if problem := o.set(key, v); problem != "" {
			f.fail(e.Key, "%s%s", problem, of(e.Key))
		}
		return
	case *library:
		f.fail(e.Object, "attempt to set field '%s' of the library %s, which cannot be changed", clip(text(key)), o.name)
	}
	f.fail(e.Object, "attempt to index a %s value%s to set key '%s'", typeName(o), of(e.Object), clip(text(key)))
}

// variableStore compiles the assignment to a variable.
func (c *compiler) variableStore(e *ast.IdentExpr) store {
	c.nodes++
	ref := c.settle(e)
	i := int(ref.index)
	switch {
	case ref.place == placeUpvalue:
		return func(f *frame, v any) { f.fn.cells[i].value = v }
	case ref.place == placeGlobal:
		return func(f *frame, v any) { f.vm.globals[i] = v }
	}
	slot := ref.variable.slot
	if ref.variable.captured {
		return func(f *frame, v any) { f.slots[slot].(*cell).value = v }
	}
	return func(f *frame, v any) { f.slots[slot] = v }
}
