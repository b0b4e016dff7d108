// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// isRequire reports whether e calls require and the chunk has no other use of that name,
// so that the result is known at compile time.
func (c *compiler) isRequire(e *ast.FuncCallExpr) bool {
	name, ok := e.Func.(*ast.IdentExpr)
	return ok && name.Value == "require" && c.settle(name).place == placeConstant
}

// require compiles require("name"). It returns nil where the name is not constant,
// which only a script that is not strict may have, for libraries.
func (c *compiler) require(e *ast.FuncCallExpr) expression {
	name := c.moduleName(e)
	if name == nil {
		if c.source.Strict {
			c.fail(e.Line(), "require takes one constant string")
		}
		return nil
	}
	// The call, the function and the name are nodes; a library call costs the rest.
	c.nodes += 3 + nativeGas
	if l, ok := c.environment.modules[name.Value]; ok {
		return func(f *frame) any {
			f.vm.count = 1
			return l
		}
	}
	m := c.module(name)
	return func(f *frame) any { return f.load(m, e) }
}

// load returns what module m returned in this run, and executes it where no one
// required it before.
func (f *frame) load(m *module, e *ast.FuncCallExpr) any {
	vm := f.vm
	v := vm.globals[m.slot]
	switch v.(type) {
	case nil:
		// A module that fails leaves itself in the slot.
		vm.globals[m.slot] = m
		v = vm.declare(m.code, e)
		if v == nil {
			v = true
		}
		vm.globals[m.slot] = v
	case *module:
		f.fail(e, "module %s failed before", m.source.Module)
	}
	vm.count = 1
	return v
}
