// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// The calls that instrument puts into a tree. No expression can name them.
const (
	// roundFunction stands around the step of a loop and pays for one round.
	roundFunction = "@round"
	// keyFunction stands around a key that is looked up, and pays for its hash.
	keyFunction = "@key"
	// rangeFunction wraps what a loop iterates over and orders it.
	rangeFunction = "@range"
	// entryFunction stands around the value of an entry with a question mark and
	// refuses what is not optional: cel-go writes such a value into its message,
	// however large it is.
	entryFunction = "@entry"
)

// instrument puts calls into a checked tree where cel-go's plan would work
// without being paid for.
func instrument(tree *ast.AST) *instrumentation {
	i := &instrumentation{
		tree:    tree,
		factory: ast.NewExprFactory(),
		last:    ast.MaxID(tree),
		rounds:  map[int64]price{},
		ors:     map[int64]string{},
	}
	i.price = i.visit(tree.Expr())
	return i
}

// instrumentation is what instrument finds out about a tree.
type instrumentation struct {
	tree    *ast.AST
	factory ast.ExprFactory
	last    int64
	// price is that of all nodes outside loops.
	price price
	// rounds holds the price of one round of a loop, by the id of the call that
	// pays for it.
	rounds map[int64]price
	// bad is the first key of a map that cannot be one, 0 where there is none.
	bad int64
	// ors holds the names of the calls of or and orValue, by their id.
	ors map[int64]string
}

// visit instruments e and returns the price of evaluating it, without loops.
func (i *instrumentation) visit(e ast.Expr) price {
	p := price{gas: 1}
	switch e.Kind() {
	case ast.SelectKind:
		p = p.plus(i.visit(e.AsSelect().Operand()))
	case ast.CallKind:
		p = p.plus(i.visitCall(e.ID(), e.AsCall()))
	case ast.ListKind:
		p = p.plus(i.visitList(e.AsList()))
	case ast.MapKind:
		p = p.plus(i.visitMap(e.AsMap()))
	case ast.ComprehensionKind:
		p = p.plus(i.visitLoop(e.AsComprehension()))
	}
	return p
}

func (i *instrumentation) visitCall(id int64, c ast.CallExpr) price {
	p := price{bytes: callBytes}
	if c.IsMemberFunction() {
		p = p.plus(i.visit(c.Target()))
	}
	args := c.Args()
	for _, arg := range args {
		p = p.plus(i.visit(arg))
	}
	switch c.FunctionName() {
	case operators.Index, operators.OptIndex:
		i.wrapKey(args[1])
	case operators.In:
		// The plan makes a set of a constant list.
		if kind := args[1].Kind(); kind == ast.ListKind || kind == ast.MapKind {
			i.wrapKey(args[0])
		}
	case "or", "orValue":
		i.ors[id] = c.FunctionName()
	}
	return p
}

func (i *instrumentation) visitList(l ast.ListExpr) price {
	p := price{bytes: listBytes + itemBytes*int64(l.Size())}
	for at, item := range l.Elements() {
		p = p.plus(i.visit(item))
		if l.IsOptional(int32(at)) {
			i.wrap(item, entryFunction)
		}
	}
	return p
}

func (i *instrumentation) visitMap(m ast.MapExpr) price {
	entries := m.Entries()
	p := price{gas: int64(len(entries)), bytes: mapBytes + fieldBytes*int64(len(entries))}
	for _, entry := range entries {
		e := entry.AsMapEntry()
		p = p.plus(i.visit(e.Key())).plus(i.visit(e.Value()))
		if k := e.Key(); k.Kind() == ast.LiteralKind && k.AsLiteral().Type() == types.BytesType && i.bad == 0 {
			i.bad = k.ID()
		}
		i.wrapKey(e.Key())
		if e.IsOptional() {
			i.wrap(e.Value(), entryFunction)
		}
	}
	return p
}

func (i *instrumentation) visitLoop(c ast.ComprehensionExpr) price {
	p := i.visit(c.IterRange()).plus(i.visit(c.AccuInit())).plus(i.visit(c.Result()))
	round := price{bytes: viewBytes}.plus(i.visit(c.LoopCondition())).plus(i.visit(c.LoopStep()))
	if c.IterRange().Kind() != ast.ListKind {
		i.wrap(c.IterRange(), rangeFunction)
	}
	if !isNever(c.LoopCondition()) {
		i.rounds[i.wrap(c.LoopStep(), roundFunction)] = round
	}
	return p
}

// wrapKey puts keyFunction around a key that is not a literal.
func (i *instrumentation) wrapKey(key ast.Expr) {
	if key.Kind() != ast.LiteralKind {
		i.wrap(key, keyFunction)
	}
}

// wrap turns e into a call of function on what e was. The call has the id of e,
// which it returns; what e was has a new one. A node that stands in the tree twice
// is wrapped once.
func (i *instrumentation) wrap(e ast.Expr, function string) int64 {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == function {
		return e.ID()
	}
	i.last++
	id, inner := e.ID(), i.factory.NewUnspecifiedExpr(i.last)
	inner.SetKindCase(e)
	i.tree.SetType(i.last, i.tree.GetType(id))
	if reference, ok := i.tree.ReferenceMap()[id]; ok {
		i.tree.SetReference(i.last, reference)
	}
	if at, ok := i.tree.SourceInfo().GetOffsetRange(id); ok {
		i.tree.SourceInfo().SetOffsetRange(i.last, at)
	}
	e.SetKindCase(i.factory.NewCall(id, function, inner))
	i.tree.SetReference(id, ast.NewFunctionReference(function))
	return id
}

// isNever reports whether a condition is false: cel.bind and optMap are loops of no
// rounds.
func isNever(condition ast.Expr) bool {
	return condition.Kind() == ast.LiteralKind && condition.AsLiteral() == types.False
}
