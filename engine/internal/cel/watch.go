// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"

	"github.com/dragoman-io/dragoman/engine/script"
)

// watch tells a recording what the parts of an expression are. A program that is compiled
// with one has nodes in its plan that call it; all other programs have no trace of that.
type watch struct {
	rec *script.Recording
	// parts are those that stand in the source, by their nodes.
	parts map[int64]part
	// shares are what the lines of the parts outside loops cost, rounds those of a round, by
	// the node of its step.
	shares []share
	rounds map[int64][]share
	// used is the gas when it was last attributed.
	used int64
	// entry is where the expression begins. root is the branch that it is, and chosen are the last
	// values of the conditions of branches, by their nodes.
	entry  script.Position
	root   *branch
	chosen map[int64]bool
}

// part is a part of the source.
type part struct {
	at   script.Position
	text string
	line *script.RecordedLine
}

// share is what a line takes of a price.
type share struct {
	line *script.RecordedLine
	gas  int64
}

// watching returns what records an expression; nil where it is not recorded.
func watching(s Source) *watch {
	if s.Recording == nil {
		return nil
	}
	s.Recording.Source(s.File, s.Text)
	return &watch{rec: s.Recording, parts: map[int64]part{}, rounds: map[int64][]share{}, chosen: map[int64]bool{}}
}

// prepare finds the parts of a checked expression, before calls are put into its tree.
func (w *watch) prepare(p *program) {
	if w == nil {
		return
	}
	w.find(p, p.tree.Expr())
	w.shares = w.divide(p, p.tree.Expr(), nil)
	w.entry = script.Position{File: p.file, Line: firstLine(p.source)}
	w.root = branchOf(p, p.tree.Expr())
}

// line returns the line of a node in the recording.
func (w *watch) line(p *program, id int64) *script.RecordedLine {
	n := p.at(id).Line
	if n == 0 {
		n = firstLine(p.source)
	}
	return w.rec.Line(p.file, "expression", n)
}

// find notes the parts of e: what a macro makes is none, its arguments are.
func (w *watch) find(p *program, e ast.Expr) {
	id := e.ID()
	info := p.tree.SourceInfo()
	text, err := parser.Unparse(e, info, parser.WrapOnColumn(math.MaxInt32))
	if err == nil && e.Kind() != ast.LiteralKind {
		w.parts[id] = part{p.at(id), clipped(text), w.line(p, id)}
	}
	if call, isMacro := info.GetMacroCall(id); isMacro {
		e = call
	}
	for _, child := range children(e) {
		w.find(p, child)
	}
}

// children returns the expressions that e consists of; of a loop that no macro of the source
// made there are none.
func children(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.CallKind:
		all := e.AsCall().Args()
		if e.AsCall().IsMemberFunction() {
			all = append([]ast.Expr{e.AsCall().Target()}, all...)
		}
		return all
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var all []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			all = append(all, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return all
	}
	return nil
}

// divide adds to shares what each line of e costs outside loops: the price that instrument
// finds.
func (w *watch) divide(p *program, e ast.Expr, shares []share) []share {
	gas := int64(1)
	if e.Kind() == ast.MapKind {
		gas += int64(e.AsMap().Size())
	}
	shares = add(shares, w.line(p, e.ID()), gas)
	if e.Kind() == ast.ComprehensionKind {
		c := e.AsComprehension()
		w.rounds[c.LoopStep().ID()] = w.divide(p, c.LoopStep(), w.divide(p, c.LoopCondition(), nil))
		shares = w.divide(p, c.IterRange(), shares)
		shares = w.divide(p, c.AccuInit(), shares)
		return w.divide(p, c.Result(), shares)
	}
	for _, child := range children(e) {
		shares = w.divide(p, child, shares)
	}
	return shares
}

// add adds gas to the share of a line.
func add(shares []share, line *script.RecordedLine, gas int64) []share {
	for i := range shares {
		if shares[i].line == line {
			shares[i].gas += gas
			return shares
		}
	}
	return append(shares, share{line, gas})
}

// begin notes that a run begins.
func (w *watch) begin(*run) {
	w.used = 0
	clear(w.chosen)
	w.rec.Enter(w.entry)
}

// end gives what the run took at its end to no line.
func (w *watch) end(used script.Usage) {
	w.rec.Root().Gas += used.Gas - w.used
}

// pay gives lines what was just paid for them.
func (w *watch) pay(r *run, shares []share) {
	root := w.rec.Root()
	for _, s := range shares {
		n := root.Child(s.line)
		n.Gas += s.gas
		n.Times++
		w.used += s.gas
	}
	root.Gas += r.used.Gas - w.used
	w.used = r.used.Gas
}

// observe notes the value of a node, and gives its line what was taken since the last one.
func (w *watch) observe(frame *interpreter.ExecutionFrame, id int64, v ref.Val) {
	if found, isBool := v.(types.Bool); isBool && w.root.asks(id) {
		w.chosen[id] = bool(found)
	}
	p, known := w.parts[id]
	if !known {
		return
	}
	r := runOf(frame)
	w.rec.Root().Child(p.line).Gas += r.used.Gas - w.used
	w.used = r.used.Gas
	if !w.rec.Keeps() {
		w.rec.Add(script.Step{})
		return
	}
	w.rec.Add(script.Step{Position: p.at, Expression: p.text, Value: show(v)})
}

// around returns what takes the place of a planned node: what metered makes of it, which tells
// its value. Constants have none to tell, and what the plan computes beforehand is left to it.
func (w *watch) around(i interpreter.InterpretableV2, metered interpreter.InterpretableDecoratorV2) (interpreter.InterpretableV2, error) {
	switch i.(type) {
	case *watchedNode, *watchedPath:
		return i, nil
	}
	n, err := metered(i)
	if err != nil || isComputed(i) {
		return n, err
	}
	switch x := n.(type) {
	case interpreter.InterpretableConst:
		return n, nil
	case interpreter.InterpretableAttribute:
		return &watchedPath{x, w}, nil
	case interpreter.InterpretableConstructor:
		if isConstant(x) {
			return n, nil
		}
	}
	return &watchedNode{n, w}, nil
}

// isComputed reports whether the plan computes a call beforehand, so that it has no value when
// the expression runs. A search in a constant list has one.
func isComputed(i interpreter.InterpretableV2) bool {
	c, isCall := i.(interpreter.InterpretableCall)
	return isCall && c.Function() != operators.In && isFolded(c, c.Args())
}

// isConstant reports whether all parts of a list or a map are constants.
func isConstant(c interpreter.InterpretableConstructor) bool {
	for _, v := range c.InitVals() {
		if _, constant := v.(interpreter.InterpretableConst); !constant {
			return false
		}
	}
	return true
}

// round returns what takes the place of the step of a loop.
func (w *watch) round(n *roundNode) interpreter.InterpretableV2 {
	if w == nil {
		return n
	}
	return &watchedRound{n, w, w.rounds[n.id]}
}

// watchedNode tells the value of a node.
type watchedNode struct {
	interpreter.InterpretableV2
	watch *watch
}

// Exec evaluates the node.
func (n *watchedNode) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := n.InterpretableV2.Exec(frame)
	n.watch.observe(frame, n.ID(), v)
	return v
}

// Eval does what Exec does.
func (n *watchedNode) Eval(a interpreter.Activation) ref.Val {
	return n.Exec(interpreter.AsFrame(a))
}

// watchedPath tells the value of a path, and stays one: the plan adds further steps to it.
type watchedPath struct {
	interpreter.InterpretableAttribute
	watch *watch
}

// Exec evaluates the path.
func (n *watchedPath) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := n.InterpretableAttribute.Exec(frame)
	n.watch.observe(frame, n.ID(), v)
	return v
}

// Eval does what Exec does.
func (n *watchedPath) Eval(a interpreter.Activation) ref.Val {
	return n.Exec(interpreter.AsFrame(a))
}

// watchedRound is a roundNode that tells which lines it pays for.
type watchedRound struct {
	*roundNode
	watch  *watch
	shares []share
}

// Exec pays, and evaluates the step.
func (n *watchedRound) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	r := runOf(frame)
	r.node = n.id
	r.pay(n.price)
	n.watch.pay(r, n.shares)
	return n.arg.Exec(frame)
}

// Eval does what Exec does.
func (n *watchedRound) Eval(a interpreter.Activation) ref.Val {
	return n.Exec(interpreter.AsFrame(a))
}
