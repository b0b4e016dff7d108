// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/dragoman-io/dragoman/engine/script"
)

// branch is a part of an expression whose value can be that of the whole: the expression, and
// what stands on both sides of the colon of a conditional that is one.
type branch struct {
	at script.Position
	// condition is the node of the condition; 0 where the branch is no conditional.
	condition int64
	// then and otherwise are nil where the branch is no conditional.
	then, otherwise *branch
}

// branchOf returns an expression as a branch. The body of a cel.bind stands for the whole of it.
func branchOf(p *program, e ast.Expr) *branch {
	for e.Kind() == ast.ComprehensionKind && isBind(e.AsComprehension()) {
		e = e.AsComprehension().Result()
	}
	b := &branch{at: beginning(p, e)}
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Conditional {
		return b
	}
	args := e.AsCall().Args()
	b.condition = args[0].ID()
	b.then, b.otherwise = branchOf(p, args[1]), branchOf(p, args[2])
	return b
}

// isBind reports whether a loop is one that cel.bind makes: over nothing.
func isBind(c ast.ComprehensionExpr) bool {
	return c.IterRange().Kind() == ast.ListKind && c.IterRange().AsList().Size() == 0
}

// beginning returns where an expression begins: the first position of its parts, since that of
// an operator is where its sign stands.
func beginning(p *program, e ast.Expr) script.Position {
	first := p.at(e.ID())
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(part ast.Expr) {
		at := p.at(part.ID())
		if at.Line > 0 && (first.Line == 0 || at.Line < first.Line || at.Line == first.Line && at.Column < first.Column) {
			first = at
		}
	}))
	return first
}

// asks reports whether a node is the condition of a branch.
func (b *branch) asks(id int64) bool {
	return b != nil && b.condition != 0 && (b.condition == id || b.then.asks(id) || b.otherwise.asks(id))
}

// answered notes which branch has the value of the expression.
func (w *watch) answered() {
	b := w.root
	for b.condition != 0 {
		yes, known := w.chosen[b.condition]
		if !known {
			break
		}
		if yes {
			b = b.then
			continue
		}
		b = b.otherwise
	}
	w.rec.Return(b.at)
}
