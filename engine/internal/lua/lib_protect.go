// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"

	"github.com/dragoman-io/dragoman/engine/script"
)

// baseAssert returns its arguments, or raises the second where the first is not
// true.
func baseAssert(c call) []any {
	if len(c.args) == 0 {
		c.expected(0, "value")
	}
	if truthy(c.args[0]) {
		return c.args
	}
	e := &failure{code: script.User, line: c.line(), bare: true, expression: c.form(0)}
	switch v := c.arg(1).(type) {
	case nil:
		e.message = "assertion failed!"
		if e.expression != "" {
			e.message = "assertion failed: " + e.expression
		}
	case string:
		e.message = v
	case int64, float64:
		e.message = text(v)
	default:
		e.raised, e.value = true, v
	}
	panic(e)
}

// baseError raises its first argument. The second is the level whose position
// goes before a message: 1 is the caller, 2 the caller of that, 0 none.
func baseError(c call) []any {
	e := &failure{code: script.User, source: c.vm.frame.source(), line: c.line()}
	level := c.integerOr(1, 1)
	f := c.vm.frame
	for n := level; n > 1 && f.prev != nil; n-- {
		f = f.prev
		e.source, e.line = f.source(), f.line()
	}
	e.bare = level < 1 || e.line == 0
	switch v := c.arg(0).(type) {
	case string:
		e.message = v
	case int64, float64:
		e.message, e.number = text(v), v
	default:
		e.raised, e.value = true, v
	}
	panic(e)
}

// basePcall calls its first argument with the others, and returns true and the
// results, or false and the error.
func basePcall(c call) []any {
	if len(c.args) == 0 {
		c.expected(0, "value")
	}
	base := c.vm.top - len(c.args) + 1
	if e := c.vm.try(c.args[0], base, len(c.args)-1); e != nil {
		return c.results(false, c.caught(e))
	}
	return c.succeeded()
}

// handlerFailed is what xpcall returns for an error in the function for errors.
const handlerFailed = "error in error handling"

// baseXpcall is pcall with a function that the error goes through: its first result is
// what xpcall returns behind false.
func baseXpcall(c call) []any {
	handler := c.callable(1)
	e := c.vm.try(c.args[0], c.vm.top, 0)
	if e == nil {
		return c.succeeded()
	}
	base := c.vm.top
	c.vm.push(c.caught(e))
	if c.vm.try(handler, base, 1) != nil {
		return c.results(false, handlerFailed)
	}
	return c.results(false, c.vm.first)
}

// caught returns the error value that the script sees, and pays for it.
func (c call) caught(e *failure) any {
	c.vm.allocate(failureBytes)
	if e.raised {
		return e.value
	}
	if e.bare && e.number != nil {
		return e.number
	}
	position := e.position()
	c.vm.allocateText(int64(len(position) + len(e.message)))
	return position + e.message
}

// succeeded returns true and the results of the last call.
func (c call) succeeded() []any {
	vm := c.vm
	if vm.count == 1 {
		vm.results = append(vm.results[:0], vm.first)
	}
	vm.allocate(int64(vm.count+1) * valueBytes)
	vm.results = slices.Insert(vm.results[:vm.count], 0, any(true))
	return vm.results
}

// try calls fn and returns the failure that ended it, or nil. The limits of the
// run are not caught.
func (vm *machine) try(fn any, base, n int) (caught *failure) {
	frame, depth := vm.frame, vm.depth
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e, ok := r.(*failure)
		if !ok || e.fatal() {
			panic(r)
		}
		e.locate(vm.frame)
		vm.frame, vm.depth = frame, depth
		vm.drop(base)
		caught = e
	}()
	vm.first = vm.recall(fn, base, n)
	return nil
}
