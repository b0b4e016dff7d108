// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"sync"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// machine is the memory of one run. Machines are pooled; reset makes one as
// good as new, so that nothing of a run is seen by the next one or kept alive.
type machine struct {
	program *program
	call    *script.Call
	// entry is the function that the run called, once the chunk ran.
	entry *function
	// weighed is how many nodes the arguments of library functions had.
	weighed int64
	limits  script.Limits
	// gas and memory are what is left.
	gas    int64
	memory int64

	// stack holds the slots of the functions under way and the arguments of
	// calls. It is nil from top on.
	stack []any
	top   int
	// frame is the innermost function under way, root the frame below the chunk.
	frame *frame
	root  frame
	depth int

	globals []any
	// count is how many results the last call returned. The first is what call
	// returned; if there are more, all are in results.
	count   int
	results []any
	// first is the first result of the call that a library function made.
	first any

	tables arena
	// keys holds the sorted keys of the tables that were iterated.
	keys []string
	// buffer is lent to the library call that builds a string.
	buffer []byte
	err    error
	// watch tells a recording what the run does; nil in programs without one.
	watch *watch
}

const (
	firstStack = 512
	// maxStack bounds the slots of all calls under way.
	maxStack = 1 << 16
	// keep is the longest scratch slice that a pooled machine holds on to.
	keep = 1 << 10
)

// machines is shared by all programs: a machine takes its shape from the run.
var machines = sync.Pool{New: func() any {
	vm := &machine{stack: make([]any, firstStack)}
	vm.root.vm = vm
	vm.frame = &vm.root
	vm.tables.vm = vm
	return vm
}}

// frame is one Lua function under way.
type frame struct {
	vm    *machine
	slots []any
	// rest are the arguments beyond the parameters, for "...".
	rest   []any
	fn     *function
	result any
	// at is the line of the statement under way.
	at int
	// site is the call that the function is in, for positions.
	site *ast.FuncCallExpr
	prev *frame
	next *frame
}

// source is that of the function under way.
func (f *frame) source() *Script {
	if f.fn == nil {
		return f.vm.program.sources[0]
	}
	return f.fn.source
}

// line is that of the call the frame is in, 0 where there is none.
func (f *frame) line() int {
	if f.site == nil {
		return 0
	}
	return f.site.Line()
}

// begin prepares the machine for a run of p.
func (vm *machine) begin(p *program, c *script.Call) {
	vm.program, vm.call = p, c
	vm.limits = c.Limits.Or(script.DefaultLimits())
	vm.gas, vm.memory = vm.limits.Gas-c.Spent.Gas, vm.limits.Memory-c.Spent.Memory
	vm.globals = p.fresh(vm.globals)
}

// reset drops all that the run left.
func (vm *machine) reset() {
	if vm.err != nil {
		clear(vm.stack)
	}
	for f := &vm.root; f != nil && (f.fn != nil || f == &vm.root); f = f.next {
		f.clear()
	}
	vm.weighed = 0
	vm.frame, vm.depth, vm.top, vm.count = &vm.root, 0, 0, 0
	vm.tables.reset()
	vm.globals = recycleValues(vm.globals)
	vm.results = recycleValues(vm.results[:cap(vm.results)])
	vm.keys = recycle(vm.keys)
	if cap(vm.buffer) > keep*64 {
		vm.buffer = nil
	}
	if len(vm.stack) > keep*8 {
		vm.stack = make([]any, firstStack)
	}
	vm.program, vm.call, vm.entry, vm.err, vm.first = nil, nil, nil, nil, nil
}

// recycle empties a scratch slice, or drops one that has grown large.
func recycle[T any](s []T) []T {
	if cap(s) > keep {
		return nil
	}
	clear(s)
	return s[:0]
}

// clear empties the frame.
func (f *frame) clear() {
	f.slots, f.fn, f.at = nil, nil, 0
	if f.rest != nil {
		f.rest = nil
	}
	if f.result != nil {
		f.result = nil
	}
	if f.site != nil {
		f.site = nil
	}
}

// recycleValues is recycle for values. They are few and most of them nil, which is not
// written; see clear of table.
func recycleValues(s []any) []any {
	if cap(s) > keep {
		return nil
	}
	for i := range s {
		if s[i] != nil {
			s[i] = nil
		}
	}
	return s[:0]
}

// grow makes the stack at least n slots long. Frames under way keep their slots
// in the old one.
func (vm *machine) grow(n int) {
	if n > maxStack {
		panic(&failure{code: script.Depth, line: vm.frame.at, message: "the calls under way have too many values"})
	}
	stack := make([]any, min(maxStack, max(n, 2*len(vm.stack))))
	copy(stack, vm.stack[:vm.top])
	vm.stack = stack
}

// reserve makes room for n more values on the stack.
func (vm *machine) reserve(n int) {
	if vm.top+n > len(vm.stack) {
		vm.grow(vm.top + n)
	}
}

// push puts v on the stack.
func (vm *machine) push(v any) {
	if vm.top == len(vm.stack) {
		vm.grow(vm.top + 1)
	}
	vm.stack[vm.top] = v
	vm.top++
}

// drop takes all values from base on off the stack. They are few, for which a loop is
// faster than clear, and nil is not written; see clear of table.
func (vm *machine) drop(base int) {
	for i := vm.top - 1; i >= base; i-- {
		if vm.stack[i] != nil {
			vm.stack[i] = nil
		}
	}
	vm.top = base
}
