// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"maps"
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// resolver finds what each name of a chunk stands for. It is the first of the
// two passes: the second needs to know which variables are captured.
type resolver struct {
	*unit
	references   map[*ast.IdentExpr]reference
	declarations map[ast.Stmt][]*variable
	shapes       map[*ast.FunctionExpr]*shape
	// slots are the globals by name.
	slots map[string]int
	// assigned are the names that the chunk assigns as globals.
	assigned map[string]bool
	// reads are the globals that a chunk reads, members the fields, and calls the calls, in
	// order, where mistakes are looked for. aliases are the variables that names stand for,
	// of those with a value.
	reads   []*ast.IdentExpr
	members []*ast.AttrGetExpr
	calls   []*ast.FuncCallExpr
	aliases map[*ast.IdentExpr]*variable
	scope   *scope
	// alive are the variables of its function that are visible after a statement, where that
	// is recorded.
	alive map[ast.Stmt][]*variable
	// undeclared takes the globals that a strict chunk may not assign; nil takes none.
	undeclared func(name string)
	// visible are the local variables that names stand for, here.
	visible map[string]*variable
	// promoted are the variables of the chunk that other functions use, requires the
	// calls of require.
	promoted []*variable
	requires []*ast.FuncCallExpr
	// captures counts the variables that functions capture.
	captures int
	// texts are the texts that the program keeps, size its bytes so far.
	texts map[string]string
	size  int64
	depth int
}

func newResolver(u *unit, names int) *resolver {
	return &resolver{
		unit:         u,
		references:   make(map[*ast.IdentExpr]reference, names),
		declarations: map[ast.Stmt][]*variable{},
		shapes:       map[*ast.FunctionExpr]*shape{},
		slots:        map[string]int{},
		assigned:     map[string]bool{},
		visible:      map[string]*variable{},
		aliases:      map[*ast.IdentExpr]*variable{},
		texts:        map[string]string{},
		size:         programSize + textSize(u.source.Text) + textSize(u.source.File),
	}
}

// fail notes why the unit does not compile; the first reason counts.
func (u *unit) fail(e *script.Error) {
	if u.failed == nil {
		u.failed = e
	}
}

// fail notes a problem of a line.
func (r *resolver) fail(line int, format string, args ...any) {
	r.failAt(line, "", format, args...)
}

// failAt notes a problem of a line, at the column where what stands. It does nothing
// after the first problem: the position and the message of one take time.
func (r *resolver) failAt(line int, what, format string, args ...any) {
	if r.failed != nil {
		return
	}
	at := script.Position{Line: line, Column: r.source.locate(line, what)}
	r.unit.fail(r.source.fail(at, fmt.Sprintf(format, args...)))
}

// promote assigns a slot to each variable of the chunk that other functions use.
func (r *resolver) promote() {
	for _, v := range r.promoted {
		v.global = r.newGlobal()
	}
}

// initial returns the values of the chunk's own globals before it runs, or nil where
// all of them are nil.
func (r *resolver) initial() []any {
	var values []any
	for name, i := range r.slots {
		v := r.environment.globals[name]
		if v != nil && values == nil {
			values = make([]any, r.globals)
		}
		if v != nil {
			values[i-r.first] = v
		}
	}
	return values
}

// names lists the globals with a name, sorted.
func (r *resolver) names() []named {
	var list []named
	for _, name := range slices.Sorted(maps.Keys(r.slots)) {
		list = append(list, named{name, r.slots[name]})
	}
	return list
}

// keeps returns how many bytes the program keeps, at most.
func (r *resolver) keeps() int64 {
	return r.size + int64(r.globals)*globalSize + int64(r.captures)*captureSize
}

// global returns the slot of a global name.
func (r *resolver) global(name string) int {
	i, ok := r.slots[name]
	if ok {
		return i
	}
	if name == "params" {
		i, r.params = paramsSlot, true
	} else {
		i = r.newGlobal()
	}
	r.slots[name] = i
	return i
}

// deeper enters a node and reports whether the tree is still shallow enough.
func (r *resolver) deeper(line int) bool {
	r.depth++
	if r.depth > maxNesting+20 {
		r.fail(line, "statements and expressions nest deeper than %d", maxNesting)
		return false
	}
	return r.failed == nil
}

// function resolves a function expression or the main chunk.
func (r *resolver) function(f *ast.FunctionExpr) {
	s := &scope{parent: r.scope, shape: &shape{variadic: f.ParList.HasVargs}}
	r.scope = s
	r.shapes[f] = s.shape
	r.begin()
	s.shape.params = r.declareAll(f.ParList.Names, f.Line())
	r.statements(f.Stmts)
	r.end()
	s.shape.captures = s.captures
	r.scope = s.parent
}

// assign resolves a name that is assigned; value is nil where it is not a single
// expression of its own.
func (r *resolver) assign(e *ast.IdentExpr, value ast.Expr) {
	r.name(e, true)
	ref := r.references[e]
	if ref.variable != nil {
		ref.variable.assigned = true
	} else if ref.place == placeGlobal {
		r.mayAssign(e, value)
	}
}

// name resolves a name that is read or assigned.
func (r *resolver) name(e *ast.IdentExpr, assigned bool) {
	r.measureName(e)
	v := r.visible[e.Value]
	if v != nil && v.value != nil {
		r.aliases[e] = v
	}
	switch {
	case v == nil:
		r.globalName(e, assigned)
	case v.owner == r.scope:
		r.references[e] = reference{place: placeLocal, variable: v}
	case v.module:
		v.captured = true
		if !v.promoted {
			v.promoted = true
			r.promoted = append(r.promoted, v)
		}
		r.references[e] = reference{place: placeLocal, variable: v}
	default:
		v.captured = true
		r.references[e] = reference{place: placeUpvalue, index: int32(r.upvalue(r.scope, v))}
		if r.captures > maxUpvalues {
			r.failAt(e.Line(), e.Value, "the functions of the script use more than %d variables of the functions around them, counted once for each function", maxUpvalues)
		}
	}
}

// globalName resolves a name that is not that of a local variable.
func (r *resolver) globalName(e *ast.IdentExpr, assigned bool) {
	r.references[e] = reference{place: placeGlobal, index: -1}
	switch {
	case assigned:
		r.assigned[e.Value] = true
	case r.looks():
		r.reads = append(r.reads, e)
	}
}

// settle returns what a name stands for once the whole chunk is resolved: a local
// of the chunk that some function captured is a global by now, and a global
// that the chunk never assigns is a constant.
func (r *resolver) settle(e *ast.IdentExpr) reference {
	ref := r.references[e]
	switch {
	case ref.place == placeLocal && ref.variable.global >= 0:
		return reference{place: placeGlobal, variable: ref.variable, index: int32(ref.variable.global)}
	case r.isConstant(e, ref):
		return reference{place: placeConstant}
	case ref.place == placeGlobal && ref.index < 0:
		ref.index = int32(r.global(e.Value))
	}
	return ref
}

// isConstant reports whether a name stands for a global that the chunk never assigns.
func (r *resolver) isConstant(e *ast.IdentExpr, ref reference) bool {
	return ref.place == placeGlobal && ref.index < 0 && !r.assigned[e.Value] && e.Value != "params"
}
