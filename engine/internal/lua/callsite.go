// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// call compiles a call. The closure returns the first result; count and results of the
// machine have the others.
func (c *compiler) call(e *ast.FuncCallExpr) expression {
	if e.Func != nil && c.isRequire(e) {
		if value := c.require(e); value != nil {
			return value
		}
	}
	if value := c.shortGet(e); value != nil {
		return value
	}
	c.nodes++
	if n := len(e.Args); n > 0 && isMultiple(e.Args[n-1]) {
		return c.callSpread(e)
	}
	args := make([]expression, len(e.Args))
	for i, a := range e.Args {
		args[i] = c.expression(a)
	}
	if e.Func == nil {
		return c.method(e, args)
	}
	callee := c.expression(e.Func)
	if call := c.knownCall(e, args); call != nil {
		return call
	}
	n := len(args)
	return func(f *frame) any {
		vm := f.vm
		fn := callee(f)
		base := vm.top
		vm.pushEach(f, args)
		return vm.invoke(fn, base, n, e)
	}
}

// pushEach puts the value of each expression on the stack.
func (vm *machine) pushEach(f *frame, values []expression) {
	vm.reserve(len(values))
	for _, value := range values {
		v := value(f)
		vm.stack[vm.top] = v
		vm.top++
	}
}

// knownCall compiles a call of a function that is the same in each run, of the chunk or of
// a library, or returns nil.
func (c *compiler) knownCall(e *ast.FuncCallExpr, args []expression) expression {
	n := len(args)
	switch callee := e.Func.(type) {
	case *ast.IdentExpr:
		v := c.settle(callee).variable
		if v == nil || v.fixed == nil {
			return nil
		}
		return func(f *frame) any {
			vm := f.vm
			base := vm.top
			vm.pushEach(f, args)
			f.site = e
			return vm.enter(v.fixed, base, n)
		}
	case *ast.AttrGetExpr:
		member, _ := c.known(callee)
		fn, ok := member.(*native)
		if !ok {
			return nil
		}
		return func(f *frame) any {
			vm := f.vm
			base := vm.top
			vm.pushEach(f, args)
			f.site = e
			return vm.library(fn, base, n, false)
		}
	}
	return nil
}

// method compiles "o:name(args)" with a known number of arguments.
func (c *compiler) method(e *ast.FuncCallExpr, args []expression) expression {
	c.nodes += 1 + keyGas(e.Method)
	receiver := c.expression(e.Receiver)
	return func(f *frame) any {
		vm := f.vm
		self := receiver(f)
		fn := f.methodOf(e, self)
		base := vm.top
		vm.push(self)
		for _, arg := range args {
			vm.push(arg(f))
		}
		return vm.invoke(fn, base, len(args)+1, e)
	}
}

// methodOf reads the method of self that e calls.
func (f *frame) methodOf(e *ast.FuncCallExpr, self any) any {
	if t, ok := self.(*table); ok {
		return t.getField(e.Method)
	}
	return f.member(e.Receiver, self, e.Method)
}

// callSpread compiles a call whose last argument may have several values.
func (c *compiler) callSpread(e *ast.FuncCallExpr) expression {
	args := c.spread(e.Args, all)
	var callee, receiver expression
	if e.Func != nil {
		callee = c.expression(e.Func)
	} else {
		c.nodes += 1 + keyGas(e.Method)
		receiver = c.expression(e.Receiver)
	}
	return func(f *frame) any {
		vm := f.vm
		base := vm.top
		var fn any
		if callee != nil {
			fn = callee(f)
		} else {
			self := receiver(f)
			fn = f.methodOf(e, self)
			vm.push(self)
		}
		args(f)
		return vm.invoke(fn, base, vm.top-base, e)
	}
}
