// SPDX-License-Identifier: Apache-2.0

package lua

import "github.com/yuin/gopher-lua/ast"

// variable is a local variable of a script.
type variable struct {
	name string
	// owner is the function that declares it, slot its place in the frame of that.
	owner *scope
	slot  int
	// shadowed is the variable of the same name that it hides while its block lasts.
	shadowed *variable
	// value is the expression that the variable begins with, where that can stand for a
	// library or a function of one.
	value ast.Expr
	// captured reports whether a function other than its own uses it, so that it
	// lives in a cell.
	captured bool
	// module reports whether it is local to the chunk and outside every loop, so
	// that a run has it once. Captured, it becomes a global without a name.
	module bool
	// promoted reports that; global is its slot, or -1.
	promoted bool
	global   int
	// assigned reports whether it gets another value than its first.
	assigned bool
	// lazy makes its value at the first read, where when that is done does not show.
	lazy expression
	// fixed is its value where that is a function which all runs share.
	fixed *function
}

// boxed reports whether the variable lives in a cell.
func (v *variable) boxed() bool { return v.captured && v.global < 0 }

// place reports where the value of a name is kept.
type place uint8

const (
	placeLocal place = iota
	placeUpvalue
	placeGlobal
	placeConstant
)

// reference is what a name in the source stands for.
type reference struct {
	variable *variable
	// index is that of the upvalue or the global.
	index int32
	place place
}

// capture is where a closure finds a variable when it is made: in a slot
// of the function around it, or among that function's own upvalues.
type capture struct {
	fromSlot bool
	index    int
}

// scope is one function while it is resolved.
type scope struct {
	parent *scope
	blocks [][]*variable
	live   int
	loops  int
	// upvalues are the places of the captured variables among captures.
	upvalues map[*variable]int
	captures []capture
	shape    *shape
}

// shape is what resolving a function finds out for its compilation.
type shape struct {
	params   []*variable
	slots    int
	captures []capture
	variadic bool
}

// maxUpvalues is how many variables the functions of a chunk may capture of the functions
// around them. Each function between a variable and its use captures it too, so this
// grows with the product of depth and names.
const maxUpvalues = 10_000

// declare adds a local variable to the innermost block.
func (r *resolver) declare(name string, line int) *variable {
	s := r.scope
	name = r.own(name)
	v := &variable{name: name, owner: s, slot: s.live, shadowed: r.visible[name], global: -1, module: s.parent == nil && s.loops == 0}
	r.visible[name] = v
	s.live++
	s.shape.slots = max(s.shape.slots, s.live)
	if s.live > maxLocals {
		r.fail(line, "a function has more than %d local variables", maxLocals)
	}
	s.blocks[len(s.blocks)-1] = append(s.blocks[len(s.blocks)-1], v)
	return v
}

// declareAll adds local variables to the innermost block, and returns those that it added: after a problem
// of the unit none, so that there are fewer than names, and no nil among them.
func (r *resolver) declareAll(names []string, line int) []*variable {
	vars := make([]*variable, 0, len(names))
	for _, name := range names {
		if r.failed != nil {
			break
		}
		vars = append(vars, r.declare(name, line))
	}
	return vars
}

// begin and end frame a block of the current function.
func (r *resolver) begin() { r.scope.blocks = append(r.scope.blocks, nil) }

func (r *resolver) end() {
	s := r.scope
	last := len(s.blocks) - 1
	for i := len(s.blocks[last]) - 1; i >= 0; i-- {
		r.hide(s.blocks[last][i])
	}
	s.live -= len(s.blocks[last])
	s.blocks = s.blocks[:last]
}

// hide ends the block of a variable: its name stands again for what it shadowed.
func (r *resolver) hide(v *variable) {
	if v.shadowed == nil {
		delete(r.visible, v.name)
		return
	}
	r.visible[v.name] = v.shadowed
}

// upvalue returns the place of a variable of a function around s among the upvalues of s.
func (r *resolver) upvalue(s *scope, v *variable) int {
	if i, known := s.upvalues[v]; known {
		return i
	}
	from := capture{fromSlot: true, index: v.slot}
	if s.parent != v.owner {
		from = capture{index: r.upvalue(s.parent, v)}
	}
	if s.upvalues == nil {
		s.upvalues = map[*variable]int{}
	}
	s.upvalues[v] = len(s.captures)
	s.captures = append(s.captures, from)
	r.captures++
	return len(s.captures) - 1
}
