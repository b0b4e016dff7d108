// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/engine/internal/pattern"
)

// plan makes p runnable: cel-go plans its tree, and calls that pay take the place
// of those in the plan.
func (c *Compiler) plan(env *cel.Env, p *program) error {
	p.watch.prepare(p)
	d := decorator{c, instrument(p.tree), &patterns{map[string]*pattern.Pattern{}, pattern.MaxCost}, p.watch}
	p.price = d.price
	if d.bad != 0 {
		return p.syntaxAt(d.bad, badKey("bytes"))
	}
	var err error
	p.expression, err = env.PlanProgram(p.tree, cel.EvalOptions(cel.OptOptimize), cel.CustomDecoratorV2(d.decorate))
	if err != nil {
		return p.planError(err)
	}
	p.measure(d.last, pattern.MaxCost-d.patterns.left)
	// A run asks the tree for the places of its nodes, and no longer for their types.
	p.tree = ast.NewAST(p.tree.Expr(), p.tree.SourceInfo())
	return nil
}

// decorator puts calls that pay into a plan.
type decorator struct {
	*Compiler
	*instrumentation
	patterns *patterns
	// watch takes what the nodes do, where that is recorded.
	watch *watch
}

// planError is a fault that is found while planning, and the node it is in.
type planError struct {
	node int64
	err  error
}

// Error returns the fault.
func (e *planError) Error() string { return e.err.Error() }

// decorate returns what takes the place of a planned node.
func (d decorator) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if d.watch == nil {
		return d.metered(i)
	}
	return d.watch.around(i, d.metered)
}

// metered returns a node that pays in the place of a planned one.
func (d decorator) metered(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	inner, ok := i.(interpreter.InterpretableCall)
	if !ok {
		return d.decorateOr(i), nil
	}
	args := inner.Args()
	switch inner.Function() {
	case roundFunction:
		p, ok := d.rounds[i.ID()]
		if !ok {
			return nil, fmt.Errorf("node %d has no price", i.ID())
		}
		return d.watch.round(&roundNode{node{i.ID(), args[0]}, p}), nil
	case keyFunction:
		return &keyNode{node{i.ID(), args[0]}}, nil
	case entryFunction:
		return &entryNode{node{i.ID(), args[0]}}, nil
	case rangeFunction:
		return &rangeNode{node{i.ID(), args[0]}}, nil
	}
	return d.decorateCall(inner, args)
}

// decorateOr returns what takes the place of or and orValue, and all other nodes as
// they are.
func (d decorator) decorateOr(i interpreter.InterpretableV2) interpreter.InterpretableV2 {
	function, ok := d.ors[i.ID()]
	if !ok {
		return i
	}
	// A path that begins with the call has its id, and must stay a path.
	if _, isPath := i.(interpreter.InterpretableAttribute); isPath {
		return i
	}
	return &orNode{node{i.ID(), i}, function}
}

// decorateCall returns what takes the place of a call.
func (d decorator) decorateCall(inner interpreter.InterpretableCall, args []interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch {
	case isFolded(inner, args) && inner.Function() == overloads.TypeConvertTimestamp:
		return d.instant(inner, args[0])
	case isFolded(inner, args):
		return inner, nil
	case free[inner.Function()]:
		return &freeNode{node{inner.ID(), inner}}, nil
	}
	c := &call{id: inner.ID(), function: inner.Function(), overload: inner.OverloadID(), args: args}
	var err error
	if c.work, err = d.workOf(c); err != nil {
		return nil, &planError{node: c.id, err: err}
	}
	return c, nil
}

// workOf returns the work of a call.
func (d decorator) workOf(c *call) (work, error) {
	if f, ok := d.functions[c.function]; ok {
		return c.host(f), nil
	}
	switch c.function {
	case operators.Equals:
		return c.equal, nil
	case operators.NotEquals:
		return c.unequal, nil
	case "flatten":
		return c.flatten, nil
	}
	if matchers[c.function] {
		return c.matching(d.patterns)
	}
	if f, ok := texts[c.function]; ok {
		return c.text(f), nil
	}
	impl := d.implementation(c)
	if impl == nil {
		return nil, fmt.Errorf("%s has no implementation", c.function)
	}
	if c.function == operators.Add {
		return c.add(impl), nil
	}
	if c.function == overloads.TypeConvertTimestamp {
		return c.instant(impl), nil
	}
	charge := charges[c.function]
	if charge == nil {
		return nil, fmt.Errorf("%s has no price", c.function)
	}
	return c.metered(impl, charge), nil
}

// implementation finds the implementation of a call as cel-go does.
func (d decorator) implementation(c *call) *functions.Overload {
	if impl := d.overloads[c.overload]; impl != nil {
		return impl
	}
	return d.overloads[c.function]
}

// isFolded reports whether the plan computes the call beforehand: a conversion of a
// constant, or a search in a constant list.
func isFolded(inner interpreter.InterpretableCall, args []interpreter.InterpretableV2) bool {
	if len(args) == 0 {
		return false
	}
	_, constant := args[len(args)-1].(interpreter.InterpretableConst)
	return constant && (inner.Function() == operators.In || overloads.IsTypeConversionFunction(inner.Function()) && len(args) == 1)
}
