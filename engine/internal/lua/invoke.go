// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// invoke calls fn with the n values on the stack from base on, takes them off,
// and returns the first result; count and results have the others. site is the
// call in the source.
func (vm *machine) invoke(fn any, base, n int, site *ast.FuncCallExpr) any {
	switch fn := fn.(type) {
	case *function:
		vm.frame.site = site
		return vm.enter(fn, base, n)
	case *native:
		vm.frame.site = site
		return vm.library(fn, base, n, false)
	}
	panic(vm.notCallable(fn, site))
}

// recall is invoke for library functions that call what they were given: the
// call in the source stays theirs.
func (vm *machine) recall(fn any, base, n int) any {
	if vm.depth >= vm.limits.Depth {
		vm.exceed(script.Depth, vm.frame.at)
	}
	vm.depth++
	var result any
	switch fn := fn.(type) {
	case *function:
		result = vm.enter(fn, base, n)
	case *native:
		result = vm.library(fn, base, n, true)
	default:
		panic(&failure{code: script.Type, line: vm.frame.line(), message: fmt.Sprintf("attempt to call a %s value", typeName(fn))})
	}
	vm.depth--
	return result
}

// enter runs a Lua function on the n values on the stack from base on, which
// become its first slots.
func (vm *machine) enter(fn *function, base, n int) any {
	if vm.depth >= vm.limits.Depth {
		vm.exceed(script.Depth, vm.frame.at)
	}
	p := fn.proto
	end := base + p.slots
	if end > len(vm.stack) {
		vm.grow(end)
	}
	caller := vm.frame
	f := caller.next
	if f == nil {
		f = &frame{vm: vm, prev: caller}
		caller.next = f
	}
	f.fn, f.at = fn, fn.line
	if f.rest != nil {
		f.rest = nil
	}
	if n > p.params {
		if p.variadic {
			vm.allocate(int64(n-p.params) * valueBytes)
			f.rest = append([]any(nil), vm.stack[base+p.params:base+n]...)
		}
		clear(vm.stack[base+p.params : base+n])
	}
	vm.top = end
	f.slots = vm.stack[base:end:end]
	for _, i := range p.boxed {
		f.slots[i] = vm.newCell(f.slots[i])
	}
	vm.frame = f
	vm.depth++
	if p.body.run(f) != returned {
		f.result, vm.count = nil, 0
	}
	vm.frame = caller
	vm.depth--
	vm.drop(base)
	return f.result
}

// library runs a library function on the n values on the stack from base on.
// nested marks that a library function calls it, not the source.
func (vm *machine) library(fn *native, base, n int, nested bool) any {
	vm.charge(nativeGas)
	c := call{vm: vm, fn: fn, args: vm.stack[base : base+n : base+n], nested: nested}
	if fn.one != nil {
		result := fn.one(c)
		vm.drop(base)
		vm.count = 1
		return result
	}
	results := fn.many(c)
	vm.count = len(results)
	vm.results = append(vm.results[:0], results...)
	vm.drop(base)
	if len(results) == 0 {
		return nil
	}
	return vm.results[0]
}

// nativeGas is what a call of a library function costs besides its work.
const nativeGas = 2

// back calls a function of the script with args and returns its first result.
func (vm *machine) back(fn any, args ...any) any {
	base := vm.top
	vm.pushAll(args)
	return vm.recall(fn, base, len(args))
}

// newCell puts v into a cell.
func (vm *machine) newCell(v any) *cell {
	vm.allocate(cellBytes)
	return &cell{v}
}

// notCallable is the failure of calling what is no function.
func (vm *machine) notCallable(v any, site *ast.FuncCallExpr) *failure {
	e := &failure{code: script.Type, line: vm.frame.line(), message: fmt.Sprintf("attempt to call a %s value", typeName(v))}
	if site == nil {
		return e
	}
	e.line = site.Line()
	if site.Func == nil {
		e.expression = describe(site.Receiver)
		e.message += fmt.Sprintf(" (method '%s'%s)", clip(site.Method), prefixed(" of ", e.expression))
		return e
	}
	e.expression = describe(site.Func)
	e.message += prefixed(" (", e.expression) + suffixed(e.expression, ")")
	e.message += vm.suggest(site.Func)
	return e
}

// prefixed and suffixed add to s, where there is s.
func prefixed(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

func suffixed(s, after string) string {
	if s == "" {
		return ""
	}
	return after
}

// suggest names the library function that was probably meant, or returns "".
func (vm *machine) suggest(e ast.Expr) string {
	at, ok := e.(*ast.AttrGetExpr)
	if !ok {
		return ""
	}
	key, isText := at.Key.(*ast.StringExpr)
	name, isIdent := at.Object.(*ast.IdentExpr)
	if !isText || !isIdent || len(key.Value) > maxToken {
		return ""
	}
	lib, ok := vm.program.environment.globals[name.Value].(*library)
	if !ok {
		return ""
	}
	if near := script.Nearest(key.Value, lib.names()); near != "" {
		return fmt.Sprintf("; did you mean %s.%s?", lib.name, near)
	}
	return ""
}
