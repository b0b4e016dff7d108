// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// index compiles reading a field.
func (c *compiler) index(e *ast.AttrGetExpr) expression {
	if v, ok := c.known(e); ok {
		c.nodes++
		return func(*frame) any { return v }
	}
	if key, ok := e.Key.(*ast.StringExpr); ok {
		return c.field(e, key.Value)
	}
	object, key := c.expression(e.Object), c.expression(e.Key)
	return func(f *frame) any {
		o := object(f)
		k := key(f)
		if t, ok := o.(*table); ok {
			return t.get(k)
		}
		return f.member(e.Object, o, k)
	}
}

// field compiles reading a field by a name in the source.
func (c *compiler) field(e *ast.AttrGetExpr, key string) expression {
	c.nodes += keyGas(key)
	if slot, ok := c.plainLocal(e.Object); ok {
		c.nodes++
		return func(f *frame) any {
			if t, ok := f.slots[slot].(*table); ok {
				return t.getField(key)
			}
			return f.member(e.Object, f.slots[slot], key)
		}
	}
	object := c.expression(e.Object)
	return func(f *frame) any {
		o := object(f)
		if t, ok := o.(*table); ok {
			return t.getField(key)
		}
		return f.member(e.Object, o, key)
	}
}

// plainLocal returns the slot of e, where e is a local variable without a cell.
func (c *compiler) plainLocal(e ast.Expr) (slot int, ok bool) {
	name, ok := e.(*ast.IdentExpr)
	if !ok {
		return 0, false
	}
	ref := c.settle(name)
	if ref.place != placeLocal || ref.variable.boxed() {
		return 0, false
	}
	return ref.variable.slot, true
}

// localField is a field of a local variable without a cell, by a name in the source.
type localField struct {
	slot int
	key  string
}

// fieldOfLocal returns e as such a field, where it is one.
func (c *compiler) fieldOfLocal(e ast.Expr) (at localField, ok bool) {
	get, ok := e.(*ast.AttrGetExpr)
	if !ok {
		return at, false
	}
	key, ok := get.Key.(*ast.StringExpr)
	if !ok {
		return at, false
	}
	at.key = key.Value
	at.slot, ok = c.plainLocal(get.Object)
	return at, ok
}

// known returns a function of a library whose name the script does not use
// otherwise: what it is, is known now.
func (c *compiler) known(e *ast.AttrGetExpr) (any, bool) {
	name, ok := e.Object.(*ast.IdentExpr)
	if !ok {
		return nil, false
	}
	key, ok := e.Key.(*ast.StringExpr)
	if !ok {
		return nil, false
	}
	ref := c.settle(name)
	if ref.place != placeConstant {
		return nil, false
	}
	lib, ok := c.environment.globals[name.Value].(*library)
	if !ok {
		return nil, false
	}
	v, ok := lib.members[key.Value]
	return v, ok
}

// member reads field key of the value o of e, which is no table: strings have
// methods, libraries have functions.
func (f *frame) member(e ast.Expr, o, key any) any {
	name, _ := key.(string)
	f.vm.hash(name)
	switch o := o.(type) {
	case string:
		return f.vm.program.environment.strings.members[name]
	case *library:
		if reason, ok := o.absent[name]; ok {
			f.fail(e, "%s.%s is not available: %s", o.name, name, reason)
		}
		return o.members[name]
	}
	f.fail(e, "attempt to index a %s value%s with key '%s'", typeName(o), of(e), clip(text(key)))
	return nil
}
