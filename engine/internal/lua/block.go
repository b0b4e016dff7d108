// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/dragoman-io/dragoman/engine/script"

// The compiled forms of a script: closures over what is known at compile time,
// which take what is not from the frame.
type (
	// expression returns the value of an expression, the first one of a call.
	expression func(f *frame) any
	// condition returns the truth of an expression.
	condition func(f *frame) bool
	// step executes a statement.
	step func(f *frame) control
	// store assigns to a variable or a field.
	store func(f *frame, v any)
	// spread puts the values of a list of expressions on the stack.
	spread func(f *frame)
)

// control is how a statement ended.
type control uint8

const (
	following control = iota
	broken
	returned
)

// block is a list of statements that is entered at its start alone, so that it
// pays on entry for all that does not repeat.
type block struct {
	steps []statement
	cost  int64
	line  int
}

// statement is one step and its line.
type statement struct {
	run  step
	line int
}

// run executes the block.
func (b *block) run(f *frame) control {
	b.pay(f.vm)
	for i := range b.steps {
		s := &b.steps[i]
		f.at = s.line
		if c := s.run(f); c != following {
			return c
		}
	}
	return following
}

// pay charges what the block costs.
func (b *block) pay(vm *machine) {
	vm.gas -= b.cost
	if vm.gas < 0 {
		vm.exceed(script.Gas, b.line)
	}
}
