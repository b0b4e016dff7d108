// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types/ref"
)

// invoke reads the arguments of a call, and expands it if it is that of a macro. target
// is nil for a function that is no method.
func (r *reader) invoke(open token, name string, target *node) node {
	id := r.of(open)
	args := r.arguments()
	below := args
	var receiver ast.Expr
	if target != nil {
		receiver = target.Expr
		below = append([]node{*target}, args...)
	}
	expanded := r.expand(id, name, receiver, expressions(args))
	if expanded == nil {
		expanded = r.plain(id, name, receiver, expressions(args))
	}
	return r.join(expanded, below...)
}

// plain returns the call of a function.
func (r *reader) plain(id int64, name string, target ast.Expr, args []ast.Expr) ast.Expr {
	if target == nil {
		return r.factory.NewCall(id, name, args...)
	}
	return r.factory.NewMemberCall(id, name, target, args...)
}

// expand returns what a macro makes of a call, nil where there is none for it.
func (r *reader) expand(id int64, name string, target ast.Expr, args []ast.Expr) ast.Expr {
	m, ok := r.macros[call{name, len(args), target != nil}]
	if !ok {
		if m, ok = r.macros[call{name, -1, target != nil}]; !ok {
			return nil
		}
	}
	at, _ := r.info.GetOffsetRange(id)
	e, err := m.Expander()(&helper{ExprFactory: r.factory, reader: r, at: at.Start}, target, args)
	if err != nil {
		offset := at.Start
		if found, ok := r.info.GetOffsetRange(err.ExprID); ok {
			offset = found.Start
		}
		r.fail(offset, "%s", err.Message)
	}
	if e == nil {
		return nil
	}
	if r.calls {
		r.info.SetMacroCall(e.ID(), r.plain(0, name, target, args))
	}
	r.info.ClearOffsetRange(id)
	if id == r.last {
		r.last--
	}
	return e
}

// helper makes the nodes of one macro. It is a parser.ExprHelper.
type helper struct {
	ast.ExprFactory
	reader *reader
	// at is where the call of the macro stands, and so all nodes that it makes.
	at int32
}

func (h *helper) id() int64 { return h.reader.id(h.at, 0) }

// NewLiteral returns a constant.
func (h *helper) NewLiteral(v ref.Val) ast.Expr { return h.ExprFactory.NewLiteral(h.id(), v) }

// NewList returns a list.
func (h *helper) NewList(items ...ast.Expr) ast.Expr {
	return h.ExprFactory.NewList(h.id(), items, []int32{})
}

// NewMap returns a map.
func (h *helper) NewMap(entries ...ast.EntryExpr) ast.Expr {
	return h.ExprFactory.NewMap(h.id(), entries)
}

// NewMapEntry returns an entry of a map.
func (h *helper) NewMapEntry(key, value ast.Expr, optional bool) ast.EntryExpr {
	return h.ExprFactory.NewMapEntry(h.id(), key, value, optional)
}

// NewStruct returns a message.
func (h *helper) NewStruct(name string, fields ...ast.EntryExpr) ast.Expr {
	return h.ExprFactory.NewStruct(h.id(), name, fields)
}

// NewStructField returns a field of a message.
func (h *helper) NewStructField(field string, value ast.Expr, optional bool) ast.EntryExpr {
	return h.ExprFactory.NewStructField(h.id(), field, value, optional)
}

// NewComprehension returns a loop with one variable.
func (h *helper) NewComprehension(over ast.Expr, variable, accu string, start, condition, step, result ast.Expr) ast.Expr {
	return h.ExprFactory.NewComprehension(h.id(), over, variable, accu, start, condition, step, result)
}

// NewComprehensionTwoVar returns a loop with two variables.
func (h *helper) NewComprehensionTwoVar(over ast.Expr, first, second, accu string, start, condition, step, result ast.Expr) ast.Expr {
	return h.ExprFactory.NewComprehensionTwoVar(h.id(), over, first, second, accu, start, condition, step, result)
}

// NewIdent returns a variable.
func (h *helper) NewIdent(name string) ast.Expr { return h.ExprFactory.NewIdent(h.id(), name) }

// NewAccuIdent returns the variable that a loop collects in.
func (h *helper) NewAccuIdent() ast.Expr { return h.ExprFactory.NewAccuIdent(h.id()) }

// NewCall returns a call of a function.
func (h *helper) NewCall(function string, args ...ast.Expr) ast.Expr {
	return h.ExprFactory.NewCall(h.id(), function, args...)
}

// NewMemberCall returns a call of a method.
func (h *helper) NewMemberCall(function string, target ast.Expr, args ...ast.Expr) ast.Expr {
	return h.ExprFactory.NewMemberCall(h.id(), function, target, args...)
}

// NewPresenceTest returns has(operand.field).
func (h *helper) NewPresenceTest(operand ast.Expr, field string) ast.Expr {
	return h.ExprFactory.NewPresenceTest(h.id(), operand, field)
}

// NewSelect returns operand.field.
func (h *helper) NewSelect(operand ast.Expr, field string) ast.Expr {
	return h.ExprFactory.NewSelect(h.id(), operand, field)
}

// OffsetLocation returns the location of a node.
func (h *helper) OffsetLocation(id int64) common.Location {
	return h.reader.info.GetStartLocation(id)
}

// NewError returns an error at a node.
func (h *helper) NewError(id int64, message string) *common.Error {
	return common.NewError(id, message, h.OffsetLocation(id))
}
