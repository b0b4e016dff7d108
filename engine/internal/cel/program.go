// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/engine/script"
)

// program is a compiled expression.
type program struct {
	file   string
	source string
	// tree is what the plan was made of, for the positions of its nodes.
	tree       *ast.AST
	expression cel.Program
	// price is what each run pays at its beginning.
	price price
	size  int64
	// watch tells a recording what runs do; nil in programs without one.
	watch *watch
}

// Run evaluates the expression and hands t its value, one plain value. Of the
// limits of c, Depth means nothing here: expressions call no functions of their
// own. The error is a *script.Error, or what t returned.
func (p *program) Run(c *script.Call, t script.Decoder) (script.Usage, error) {
	r := runs.Get().(*run)
	r.begin(c)
	if p.watch != nil {
		p.watch.begin(r)
	}
	err := p.evaluate(r)
	at := script.Position{}
	if err == nil {
		if p.watch != nil {
			p.watch.answered()
		}
		if err = t.Decode(r.result[:], r); err != nil {
			at = p.at(p.tree.Expr().ID())
		}
	}
	if err != nil {
		err = script.Finish(err, at)
	}
	usage := r.used
	if p.watch != nil {
		p.watch.end(usage)
	}
	r.end()
	return usage, err
}

// What a program keeps, in bytes, at most: for itself, for a node of its tree with what
// the plan makes of it, and for a byte of the source.
const (
	programBytes    = 3 << 10
	programNode     = 560
	programText     = 2
	programLine     = 8
	programPatterns = 160
)

// Size returns the bytes that the program keeps, at most.
func (p *program) Size() int64 { return p.size }

// measure sets the size of p from the nodes of its tree, and from what its regular
// expressions cost.
func (p *program) measure(nodes, patterns int64) {
	lines := int64(strings.Count(p.source, "\n"))
	p.size = programBytes + programNode*nodes + programText*int64(len(p.source)) + programLine*lines + programPatterns*patterns
}

// evaluate leaves the value of the expression in r.
func (p *program) evaluate(r *run) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = p.stopped(r, x)
		}
	}()
	r.pay(p.price)
	if p.watch != nil {
		p.watch.pay(r, p.watch.shares)
	}
	v, _, err := p.expression.Eval(r)
	if err != nil {
		return p.failed(r, err)
	}
	r.node = p.tree.Expr().ID()
	r.charge(r.size(v).gas())
	if r.result[0], err = plainValue(&r.meter, v); err != nil {
		message := err.Error()
		if e, ok := errors.AsType[*script.Error](err); ok {
			message = e.Message
		}
		return p.fail(script.Result, r.node, message)
	}
	return nil
}

// stopped returns the error of a run that panicked.
func (p *program) stopped(r *run, x any) error {
	if _, ok := x.(interpreter.EvalCancelledError); ok {
		return p.failed(r, nil)
	}
	return p.fail(script.Internal, r.node, fmt.Sprintf("the run stopped: %v", x))
}
