// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"cmp"
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Undefined returns what a strict script may not read: the globals that it reads and that
// neither it nor a library defines, the first use of each, by line. A script that does not
// compile has none.
func Undefined(src Script) []*script.Error {
	statements, names, failed := src.parse(script.DefaultLimits().Source)
	if failed != nil {
		return nil
	}
	r := newResolver(newUnit(&src, len(src.Text), src.Modules.get), names)
	r.function(&ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: statements})
	if r.failed != nil {
		return nil
	}
	var reads []*ast.IdentExpr
	for e, ref := range r.references {
		if r.isConstant(e, ref) && r.unread(e.Value, statements) != "" {
			reads = append(reads, e)
		}
	}
	slices.SortFunc(reads, func(a, b *ast.IdentExpr) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Line(), b.Line()))
	})
	reads = slices.CompactFunc(reads, func(a, b *ast.IdentExpr) bool { return a.Value == b.Value })
	var all []*script.Error
	for _, e := range reads {
		at := script.Position{Line: e.Line(), Column: src.locate(e.Line(), e.Value)}
		all = append(all, src.fail(at, r.unread(e.Value, statements)))
	}
	slices.SortStableFunc(all, func(a, b *script.Error) int { return cmp.Compare(a.Line, b.Line) })
	return all
}
