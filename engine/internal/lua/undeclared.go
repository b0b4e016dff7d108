// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Undeclared returns the names of the globals that a chunk assigns though a strict one may not,
// sorted: with a declaration of these as local variables before its first line, it means the same and
// is strict. It is none for a chunk that does not parse.
func Undeclared(src Script) []string {
	statements, names, failed := src.parse(script.DefaultLimits().Source)
	if failed != nil {
		return nil
	}
	src.Strict, src.Coverage, src.Recording, src.Warn = false, nil, nil, nil
	u := newUnit(&src, script.DefaultLimits().Source, src.Modules.get)
	r := newResolver(u, names)
	var all []string
	r.undeclared = func(name string) { all = append(all, name) }
	r.function(&ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: statements})
	slices.Sort(all)
	return slices.Compact(all)
}

// isDefinition reports whether the assignment of value to a global is the definition of a function at
// the top level of the chunk.
func (r *resolver) isDefinition(value ast.Expr) bool {
	_, isFunction := value.(*ast.FunctionExpr)
	return isFunction && r.scope.parent == nil && len(r.scope.blocks) == 1
}
