// SPDX-License-Identifier: Apache-2.0

package parse

import "github.com/google/cel-go/common/ast"

// Copy returns a tree like e with ids of its own.
func (h *helper) Copy(e ast.Expr) ast.Expr {
	at, _ := h.reader.info.GetOffsetRange(e.ID())
	id := h.reader.id(at.Start, at.Stop-at.Start)
	f := h.ExprFactory
	switch e.Kind() {
	case ast.LiteralKind:
		return f.NewLiteral(id, e.AsLiteral())
	case ast.IdentKind:
		return f.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return f.NewPresenceTest(id, h.Copy(s.Operand()), s.FieldName())
		}
		return f.NewSelect(id, h.Copy(s.Operand()), s.FieldName())
	case ast.CallKind:
		return h.copyCall(id, e.AsCall())
	case ast.ListKind:
		l := e.AsList()
		return f.NewList(id, h.copyAll(l.Elements()), l.OptionalIndices())
	case ast.MapKind:
		entries := make([]ast.EntryExpr, 0, e.AsMap().Size())
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			entries = append(entries, f.NewMapEntry(h.id(), h.Copy(m.Key()), h.Copy(m.Value()), m.IsOptional()))
		}
		return f.NewMap(id, entries)
	case ast.ComprehensionKind:
		return h.copyLoop(id, e.AsComprehension())
	}
	return f.NewUnspecifiedExpr(id)
}

func (h *helper) copyAll(all []ast.Expr) []ast.Expr {
	copies := make([]ast.Expr, len(all))
	for i, e := range all {
		copies[i] = h.Copy(e)
	}
	return copies
}

func (h *helper) copyCall(id int64, c ast.CallExpr) ast.Expr {
	args := h.copyAll(c.Args())
	if !c.IsMemberFunction() {
		return h.ExprFactory.NewCall(id, c.FunctionName(), args...)
	}
	return h.ExprFactory.NewMemberCall(id, c.FunctionName(), h.Copy(c.Target()), args...)
}

func (h *helper) copyLoop(id int64, c ast.ComprehensionExpr) ast.Expr {
	over, start, condition := h.Copy(c.IterRange()), h.Copy(c.AccuInit()), h.Copy(c.LoopCondition())
	step, result := h.Copy(c.LoopStep()), h.Copy(c.Result())
	return h.ExprFactory.NewComprehensionTwoVar(id, over, c.IterVar(), c.IterVar2(), c.AccuVar(), start, condition, step, result)
}
