// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// watch is what a run tells a recording. Only a run of a program that was compiled with one
// has it. It reads the machine, and changes nothing in it.
type watch struct {
	vm  *machine
	rec *script.Recording
	// gas is what was left when it was last attributed; at is the line that takes what
	// follows.
	gas int64
	at  *script.Node
	// calls are the functions under way, innermost last.
	calls []activation
	// step is the latest one, nil where it is not kept; it is of a line and an activation.
	step   *script.Step
	line   *script.RecordedLine
	of     int
	serial int
	// assigned is the value that was assigned last.
	assigned any
}

// activation is a function under way.
type activation struct {
	frame  *frame
	serial int
	// base is the line that called it, above all lines that run in it.
	base *script.Node
	// caller takes what follows the function; nil once that is known to be so.
	caller *script.Node
	// shown are the values of its variables that the recording has.
	shown map[*variable]string
}

func newWatch(vm *machine, rec *script.Recording) *watch {
	return &watch{vm: vm, rec: rec, gas: vm.limits.Gas, at: rec.Root()}
}

// attribute gives the line under way what was taken since the last time.
func (w *watch) attribute() {
	w.at.Gas += w.gas - w.vm.gas
	w.gas = w.vm.gas
}

// activation returns that of a frame; those above it have ended.
func (w *watch) activation(f *frame) *activation {
	for i := len(w.calls) - 1; i >= 0; i-- {
		if w.calls[i].frame == f {
			w.calls = w.calls[:i+1]
			return &w.calls[i]
		}
	}
	return w.push(f)
}

// push notes that a function is called.
func (w *watch) push(f *frame) *activation {
	for len(w.calls) > 0 && w.calls[len(w.calls)-1].frame != f.prev {
		w.calls = w.calls[:len(w.calls)-1]
	}
	w.serial++
	w.calls = append(w.calls, activation{frame: f, serial: w.serial, base: w.at, shown: map[*variable]string{}})
	return &w.calls[len(w.calls)-1]
}

// next returns the step for a line, and whether it is a new one: a line that is still under
// way has one already. The step is nil where no more are kept.
func (w *watch) next(a *activation, line *script.RecordedLine) (s *script.Step, fresh bool) {
	if w.line == line && w.of == a.serial {
		return w.step, false
	}
	w.step = w.rec.Add(script.Step{Position: line.Position, Depth: len(w.calls) - 1})
	w.line, w.of = line, a.serial
	return w.step, true
}

// again is next for what is noted about a line after others ran, and nil where there is
// nothing to note it in.
func (w *watch) again(a *activation, line *script.RecordedLine) *script.Step {
	s, _ := w.next(a, line)
	return s
}

// begin notes that a line of a frame runs. It returns what takes the gas after the line.
func (w *watch) begin(f *frame, line *script.RecordedLine) (outer *script.Node) {
	w.attribute()
	outer = w.at
	a := w.activation(f)
	w.at = a.base.Child(line)
	if _, fresh := w.next(a, line); fresh {
		w.at.Times++
	}
	return outer
}

// end notes that a statement has run, and what it changed.
func (w *watch) end(f *frame, n *noted, outer *script.Node, ended control) {
	w.attribute()
	w.at = outer
	a := w.activation(f)
	if n.returns && ended == returned && w.vm.called(f) {
		w.rec.Return(n.line.Position)
	}
	if !w.keeps(a, n.line) {
		return
	}
	var changes script.Step
	w.changed(f, a, n.declared, true, &changes)
	w.changed(f, a, n.visible, false, &changes)
	if n.target != "" && ended == following {
		changes.Set(n.target, show(w.assigned))
	}
	if n.returns && ended == returned {
		changes.Value = w.returned(f)
	}
	w.note(a, n.line, &changes)
}

// keeps reports whether what happens on a line can still be noted.
func (w *watch) keeps(a *activation, line *script.RecordedLine) bool {
	return w.rec.Keeps() || w.line == line && w.of == a.serial && w.step != nil
}

// note adds what is known of a line to its step.
func (w *watch) note(a *activation, line *script.RecordedLine, what *script.Step) {
	if len(what.Changes) == 0 && what.Value == "" && what.Condition == "" {
		return
	}
	s := w.again(a, line)
	if s == nil {
		return
	}
	for _, c := range what.Changes {
		s.Set(c.Name, c.Value)
	}
	if what.Value != "" {
		s.Value = what.Value
	}
	if what.Condition != "" {
		s.Condition = what.Condition
	}
}

// changed adds the variables whose values are not what the recording has; all where they were
// just declared.
func (w *watch) changed(f *frame, a *activation, variables []*variable, declared bool, s *script.Step) {
	for _, v := range variables {
		value, known := v.current(f)
		if !known || isCallable(value) || v.name == unused {
			continue
		}
		text := show(value)
		before, was := a.shown[v]
		if !declared && (before == text || !was && value == nil) {
			continue
		}
		a.shown[v] = text
		s.Set(v.name, text)
	}
}

// unused is the name of a variable that is there for its place alone.
const unused = "_"

// current returns the value of a variable of the function of a frame. It is not known where the
// variable is a part of the program.
func (v *variable) current(f *frame) (value any, known bool) {
	switch {
	case v.fixed != nil || v.lazy != nil:
		return nil, false
	case v.global >= 0:
		return f.vm.globals[v.global], true
	case v.captured:
		c, isCell := f.slots[v.slot].(*cell)
		if !isCell {
			return nil, false
		}
		return c.value, true
	}
	return f.slots[v.slot], true
}

// isCallable reports whether a value is a function or a library.
func isCallable(v any) bool {
	switch v.(type) {
	case *function, *native, *library:
		return true
	}
	return false
}

// returned returns what the return under way returns.
func (w *watch) returned(f *frame) string {
	if w.vm.count < 2 {
		if w.vm.count == 0 {
			return "nothing"
		}
		return show(f.result)
	}
	texts := make([]string, 0, w.vm.count)
	for _, v := range w.vm.results[:min(w.vm.count, len(w.vm.results))] {
		texts = append(texts, show(v))
	}
	return strings.Join(texts, ", ")
}

// found notes what a condition found.
func (w *watch) found(f *frame, line *script.RecordedLine, outer *script.Node, is bool) {
	w.attribute()
	w.at = outer
	a := w.activation(f)
	what := &script.Step{Condition: "false"}
	if is {
		what.Condition = "true"
	}
	w.note(a, line, what)
}

// turn notes that a for loop begins a turn.
func (w *watch) turn(f *frame, n *noted) {
	a := w.activation(f)
	if _, fresh := w.next(a, n.line); fresh {
		w.at.Times++
	}
	if !w.keeps(a, n.line) {
		return
	}
	var changes script.Step
	w.changed(f, a, n.declared, true, &changes)
	w.note(a, n.line, &changes)
}

// pay gives lines what a block has paid for them at its start, and the line under way the rest.
func (w *watch) pay(f *frame, shares []share) {
	a := w.activation(f)
	for _, s := range shares {
		a.base.Child(s.line).Gas += s.gas
		w.gas -= s.gas
	}
	w.attribute()
	if a.caller != nil {
		w.at, a.caller = a.caller, nil
	}
}

// maxPrinted is how many lines a step keeps that it printed.
const maxPrinted = 100

// printed notes what the line under way of a frame printed.
func (w *watch) printed(f *frame, text string) {
	if w.at.Line == nil {
		return
	}
	if s := w.again(w.activation(f), w.at.Line); s != nil && len(s.Printed) < maxPrinted {
		s.Printed = append(s.Printed, text)
	}
}

// called reports whether the function of a frame is one that the engine called.
func (vm *machine) called(f *frame) bool { return f.prev == &vm.root && f.fn == vm.entry }

// enter notes that a function is called. What its body has paid is not the caller's.
func (w *watch) enter(f *frame, p *proto, n *noted) {
	w.gas -= p.body.cost
	w.attribute()
	w.gas += p.body.cost
	a := w.push(f)
	a.caller = w.at
	if w.vm.called(f) {
		w.rec.Enter(n.line.Position)
	}
	if n.line.Line == 0 {
		return // a main chunk
	}
	w.at = a.base.Child(n.line)
	if _, fresh := w.next(a, n.line); fresh {
		w.at.Times++
	}
	if !w.keeps(a, n.line) {
		return
	}
	var changes script.Step
	w.changed(f, a, n.declared, true, &changes)
	w.note(a, n.line, &changes)
}
