// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// A program that is compiled with a recording tells it what its lines do. As with a
// coverage, that is compiled into the program: one without it has no trace of that.

// observed reports whether the lines of the source are to be marked or recorded, for which
// a chunk that only declares must run. A recording changes nothing else: the modules that a run
// does not read stay unread, so that it takes the same gas.
func (c *compiler) observed() bool { return c.source.Coverage != nil || c.source.Recording != nil }

// observe notes which variables of its function a statement leaves visible.
func (r *resolver) observe(s ast.Stmt) {
	if r.source.Recording == nil {
		return
	}
	if r.alive == nil {
		r.alive = map[ast.Stmt][]*variable{}
	}
	var all []*variable
	for _, block := range r.scope.blocks {
		all = append(all, block...)
	}
	r.alive[s] = all
}

// recordedLine is a line of the function that is being compiled.
func (c *compiler) recordedLine(line int) *script.RecordedLine {
	return c.source.Recording.Line(c.source.File, c.title, line)
}

// noted is what is known of a statement when it is compiled.
type noted struct {
	line *script.RecordedLine
	// visible are the variables whose changes are looked for after it, declared those that
	// it declares.
	visible, declared []*variable
	// target is the source form of what it assigns to, where that is none of them.
	target string
	// returns reports whether it is a return.
	returns bool
}

// recorded makes a statement tell what it does, also one that has nothing to do.
func (c *compiler) recorded(s ast.Stmt, run step) step {
	if c.source.Recording == nil {
		return run
	}
	n := &noted{line: c.recordedLine(s.Line()), visible: c.alive[s]}
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		n.declared = c.declarations[s]
	case *ast.AssignStmt:
		n.target = c.targetOf(s)
	case *ast.ReturnStmt:
		n.returns = true
	}
	return func(f *frame) control {
		w := f.vm.watch
		outer := w.begin(f, n.line)
		ended := following
		if run != nil {
			ended = run(f)
		}
		w.end(f, n, outer, ended)
		return ended
	}
}

// targetOf returns the source form of what a statement assigns one value to, "" where that is
// a variable of the function itself.
func (c *compiler) targetOf(s *ast.AssignStmt) string {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return ""
	}
	if name, ok := s.Lhs[0].(*ast.IdentExpr); ok && c.references[name].place == placeLocal && c.references[name].variable.global < 0 {
		return ""
	}
	return describe(s.Lhs[0])
}

// assigned keeps the value that a statement assigns.
func (c *compiler) assigned(value expression) expression {
	if c.source.Recording == nil {
		return value
	}
	return func(f *frame) any {
		v := value(f)
		f.vm.watch.assigned = v
		return v
	}
}

// asked makes the condition of a branch or a loop tell what it found.
func (c *compiler) asked(e ast.Expr, is condition) condition {
	if c.source.Recording == nil {
		return is
	}
	line := c.recordedLine(e.Line())
	return func(f *frame) bool {
		w := f.vm.watch
		outer := w.begin(f, line)
		found := is(f)
		w.found(f, line, outer, found)
		return found
	}
}

// turns makes a for loop tell the values of its variables in each turn; the store is that of
// the last one.
func (c *compiler) turns(s ast.Stmt, last store) store {
	if c.source.Recording == nil {
		return last
	}
	n := &noted{line: c.recordedLine(s.Line()), declared: c.declarations[s]}
	return func(f *frame, v any) {
		last(f, v)
		f.vm.watch.turn(f, n)
	}
}

// share is what a line of a block takes of what is paid when the block is entered.
type share struct {
	line *script.RecordedLine
	gas  int64
}

// shares adds what a statement takes, where that is recorded.
func (c *compiler) shares(all []share, line int, gas int64) []share {
	if c.source.Recording == nil {
		return nil
	}
	return append(all, share{c.recordedLine(line), gas})
}

// shared is a step at the start of a block that says which lines the block has paid for.
func (c *compiler) shared(shares []share) step {
	return func(f *frame) control {
		f.vm.watch.pay(f, shares)
		return following
	}
}

// paid makes a condition that pays for itself say which line that was for.
func (c *compiler) paid(e ast.Expr, cost int64, is condition) condition {
	if c.source.Recording == nil {
		return is
	}
	shares := []share{{c.recordedLine(e.Line()), cost}}
	return func(f *frame) bool {
		f.vm.watch.pay(f, shares)
		return is(f)
	}
}

// entered makes a function tell that it was called, and with what.
func (c *compiler) entered(p *proto, params []*variable) {
	if c.source.Recording == nil {
		return
	}
	n := &noted{line: c.recordedLine(p.line), declared: params}
	enter := func(f *frame) control {
		f.vm.watch.enter(f, p, n)
		return following
	}
	p.body.steps = append([]statement{{enter, p.line}}, p.body.steps...)
}
