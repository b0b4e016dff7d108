// SPDX-License-Identifier: Apache-2.0

package lua

// variable is a local variable of a script.
type variable struct {
	name string
	// slot is its place in the frame of its function.
	slot int
	// captured reports whether a function other than its own uses it, so that it
	// lives in a cell.
	captured bool
	// module reports whether it is local to the chunk and outside every loop, so
	// that a run has it once. Captured, it becomes a global without a name.
	module bool
	// global is its slot among the globals, or -1.
	global int
	// assigned reports whether it gets another value than its first.
	assigned bool
	// lazy makes its value at the first read, where that is a table of constants.
	lazy expression
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
	place    place
	variable *variable
	// index is that of the upvalue or the global.
	index int
	// name is that of a global.
	name string
}

// capture is where a closure finds a variable when it is made: in a slot
// of the function around it, or among that function's own upvalues.
type capture struct {
	fromSlot bool
	index    int
}

// scope is the names of one function while it is resolved.
type scope struct {
	parent   *scope
	blocks   [][]*variable
	live     int
	loops    int
	captures []capture
	captured []*variable
	shape    *shape
}

// shape is what resolving a function finds out for its compilation.
type shape struct {
	params   []*variable
	slots    int
	captures []capture
	variadic bool
}

// declare adds a local variable to the innermost block.
func (r *resolver) declare(name string, line int) *variable {
	s := r.scope
	v := &variable{name: name, slot: s.live, global: -1, module: s.parent == nil && s.loops == 0}
	s.live++
	s.shape.slots = max(s.shape.slots, s.live)
	if s.live > maxLocals {
		r.fail(line, "a function has more than %d local variables", maxLocals)
	}
	s.blocks[len(s.blocks)-1] = append(s.blocks[len(s.blocks)-1], v)
	return v
}

// begin and end frame a block of the current function.
func (r *resolver) begin() { r.scope.blocks = append(r.scope.blocks, nil) }

func (r *resolver) end() {
	s := r.scope
	last := len(s.blocks) - 1
	s.live -= len(s.blocks[last])
	s.blocks = s.blocks[:last]
}

// local finds a variable of this function by name.
func (s *scope) local(name string) *variable {
	for i := len(s.blocks) - 1; i >= 0; i-- {
		block := s.blocks[i]
		for j := len(block) - 1; j >= 0; j-- {
			if block[j].name == name {
				return block[j]
			}
		}
	}
	return nil
}

// module finds a variable of the chunk that this function sees and that a run
// has only once.
func (s *scope) module(name string) *variable {
	for p := s.parent; p != nil; p = p.parent {
		if v := p.local(name); v != nil {
			if v.module {
				return v
			}
			return nil
		}
	}
	return nil
}

// upvalue returns the index of a variable of a function around this one, or -1.
func (s *scope) upvalue(name string) int {
	if s.parent == nil {
		return -1
	}
	if v := s.parent.local(name); v != nil {
		v.captured = true
		return s.capture(capture{fromSlot: true, index: v.slot}, v)
	}
	if i := s.parent.upvalue(name); i >= 0 {
		return s.capture(capture{index: i}, s.parent.captured[i])
	}
	return -1
}

// capture adds v to the upvalues of this function, once.
func (s *scope) capture(c capture, v *variable) int {
	for i, known := range s.captured {
		if known == v {
			return i
		}
	}
	s.captures = append(s.captures, c)
	s.captured = append(s.captured, v)
	return len(s.captures) - 1
}
