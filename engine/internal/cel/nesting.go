// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

const (
	// maxTypes is how deep the type of a value may nest, deeper than a result may.
	maxTypes = 80
	// maxTypeWork bounds the squares of these depths, summed over the nodes of a tree:
	// the type checker compares types part by part, again at each node.
	maxTypeWork = 300_000
)

// typeNesting returns the node of a parsed tree from which on its types nest too deep
// for the type checker, with the reason; id 0 means that they do not.
func typeNesting(tree ast.Expr) (id int64, reason string) {
	n := nesting{depths: map[string]int{}}
	n.visit(tree)
	return n.node, n.reason
}

// nesting estimates how deep the types of a tree nest, before they are known: a
// variable of a macro nests as deep as what it is bound to.
type nesting struct {
	depths map[string]int
	work   int
	node   int64
	reason string
}

// visit returns the depth of the type of e, 0 for a scalar.
func (n *nesting) visit(e ast.Expr) int {
	depth := max(n.depth(e), 0)
	n.work += depth * depth
	switch {
	case n.node != 0:
	case depth > maxTypes:
		n.node, n.reason = e.ID(), fmt.Sprintf("the value nests deeper than %d lists and maps", maxTypes)
	case n.work > maxTypeWork:
		n.node, n.reason = e.ID(), "the expression has too many values that nest deep; use fewer variables, or dyn"
	}
	return depth
}

func (n *nesting) depth(e ast.Expr) int {
	switch e.Kind() {
	case ast.IdentKind:
		return n.depths[e.AsIdent()]
	case ast.SelectKind:
		return n.visit(e.AsSelect().Operand()) - 1
	case ast.CallKind:
		return n.call(e.AsCall())
	case ast.ListKind:
		return 1 + n.deepest(e.AsList().Elements()...)
	case ast.MapKind:
		depth := 0
		for _, entry := range e.AsMap().Entries() {
			depth = max(depth, n.deepest(entry.AsMapEntry().Key(), entry.AsMapEntry().Value()))
		}
		return 1 + depth
	case ast.ComprehensionKind:
		return n.loop(e.AsComprehension())
	}
	return 0
}

// deepest visits all and returns the greatest depth.
func (n *nesting) deepest(all ...ast.Expr) int {
	depth := 0
	for _, e := range all {
		depth = max(depth, n.visit(e))
	}
	return depth
}

// call returns the depth of a call: that of its arguments, unless the function is known
// to have another.
func (n *nesting) call(c ast.CallExpr) int {
	depth := n.deepest(c.Args()...)
	if c.IsMemberFunction() {
		depth = max(depth, n.visit(c.Target()))
	}
	switch c.FunctionName() {
	case "dyn", "type", "size", "string", "has":
		return 0
	case operators.Index:
		return depth - 1
	case "of", "ofNonZeroValue", operators.OptSelect, operators.OptIndex:
		return depth + 1
	}
	return depth
}

// loop returns the depth of a macro.
func (n *nesting) loop(c ast.ComprehensionExpr) int {
	item := n.visit(c.IterRange()) - 1
	accu := n.visit(c.AccuInit())
	defer n.bind(c.IterVar(), item)()
	if c.HasIterVar2() {
		defer n.bind(c.IterVar2(), item)()
	}
	defer n.bind(c.AccuVar(), accu)()
	accu = max(accu, n.deepest(c.LoopCondition(), c.LoopStep()))
	n.depths[c.AccuVar()] = accu
	return n.visit(c.Result())
}

// bind sets the depth of a variable, and returns a function that undoes it.
func (n *nesting) bind(name string, depth int) (restore func()) {
	before := n.depths[name]
	n.depths[name] = depth
	return func() { n.depths[name] = before }
}
