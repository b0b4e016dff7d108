// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"maps"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// module is a chunk that others require. A run executes it at its first require,
// and keeps what it returns in a global without a name.
type module struct {
	name string
	slot int
	// main is set once the module is compiled, and nil before.
	main *function
}

// requires reports whether e calls require and the chunk has no other use of that name,
// so that the result is known at compile time.
func (c *compiler) requires(e *ast.FuncCallExpr) bool {
	name, ok := e.Func.(*ast.IdentExpr)
	return ok && name.Value == "require" && c.settle(name).place == placeConstant
}

// require compiles require("name"). It returns nil where the name is not constant,
// which only a script that is not strict may have, for libraries.
func (c *compiler) require(e *ast.FuncCallExpr) expression {
	var name *ast.StringExpr
	if len(e.Args) == 1 {
		name, _ = e.Args[0].(*ast.StringExpr)
	}
	if name == nil {
		if c.root.Strict {
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

// module compiles the module of a name, unless that is done already.
func (c *compiler) module(e *ast.StringExpr) *module {
	u, name := c.unit, e.Value
	m, known := u.modules[name]
	if known {
		if m.main == nil {
			c.failAt(e.Line(), name, "modules require each other: %s", strings.Join(append(u.cycle(name), name), ", "))
		}
		return m
	}
	src, ok := u.root.Modules[name]
	if !ok {
		c.failAt(e.Line(), name, "%s", script.Unknown("module", clip(name), u.known()))
		return nil
	}
	m = &module{name: name, slot: u.newGlobal()}
	u.modules[name] = m
	chunk, names, failed := src.parse(u.limit)
	if failed != nil {
		u.fail(failed)
		return nil
	}
	u.under = append(u.under, name)
	r := newResolver(u, &src, names)
	r.module = name
	m.main = r.chunk(chunk, "module "+name)
	u.under = u.under[:len(u.under)-1]
	return m
}

// cycle returns the modules under way from name on.
func (u *unit) cycle(name string) []string {
	return slices.Clone(u.under[max(0, slices.Index(u.under, name)):])
}

// known lists what can be required, sorted.
func (u *unit) known() []string {
	names := slices.Collect(maps.Keys(u.environment.modules))
	names = slices.AppendSeq(names, maps.Keys(u.root.Modules))
	slices.Sort(names)
	return names
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
		v = vm.invoke(m.main, vm.top, 0, e)
		if v == nil {
			v = true
		}
		vm.globals[m.slot] = v
	case *module:
		f.fail(e, "module %s failed before", m.name)
	}
	vm.count = 1
	return v
}
