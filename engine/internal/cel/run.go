// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"sync"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/engine/script"
)

// run is the state of one run, and its variables. Runs are pooled.
type run struct {
	meter
	call *script.Call
	// stack holds the arguments of the calls under way.
	stack  []ref.Val
	result [1]any
}

// keep is the longest stack that a pooled run holds on to.
const keep = 1 << 10

// runs is shared by all programs.
var runs = sync.Pool{New: func() any { return &run{stack: make([]ref.Val, 0, 32)} }}

// begin prepares r for a call.
func (r *run) begin(c *script.Call) {
	r.call = c
	r.meter = meter{limits: c.Limits.Or(script.DefaultLimits()), used: c.Spent}
}

// end drops what the run left, and returns r to the pool.
func (r *run) end() {
	r.drop(0)
	if cap(r.stack) > keep {
		r.stack = make([]ref.Val, 0, 32)
	}
	r.call, r.exceeded, r.result[0] = nil, nil, nil
	runs.Put(r)
}

// drop takes the values from base on off the stack.
func (r *run) drop(base int) {
	clear(r.stack[base:])
	r.stack = r.stack[:base]
}

// ResolveName returns a variable.
func (r *run) ResolveName(name string) (any, bool) {
	for i, n := range r.call.Names {
		if n == name && i < len(r.call.Args) {
			return r.call.Args[i], true
		}
	}
	switch name {
	case paramsVariable:
		return r.call.Params, true
	case nowVariable:
		return types.Timestamp{Time: r.call.Time().UTC()}, true
	}
	return nil, false
}

// Parent returns nil: there are no variables outside.
func (r *run) Parent() interpreter.Activation { return nil }

// runOf finds the run below the variables of loops.
func runOf(frame *interpreter.ExecutionFrame) *run {
	for a := frame.Activation; ; a = a.Parent() {
		if r, ok := a.(*run); ok {
			return r
		}
	}
}
