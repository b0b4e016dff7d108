// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// clock finds the current time in scripts whose answer is stored: it differs each time, so that
// the object is written without end. os.time of a table, and os.date of a time, are no clock.
func clock(f *file) {
	if !f.Stored {
		return
	}
	lua.WalkExpressions(f.Statements, func(e ast.Expr) {
		call, ok := e.(*ast.FuncCallExpr)
		if !ok {
			return
		}
		name := f.function(call)
		if name == "os.time" && len(call.Args) == 0 || name == "os.date" && len(call.Args) < 2 {
			f.report(lint.Nondeterminism, f.Start(call), "the answer is stored, and %s() makes it another one each time; take a time from the object", name)
		}
	})
}

// function returns the name of the function of Lua that is called, such as tostring or
// string.find; "" for any other.
func (f *file) function(call *ast.FuncCallExpr) string {
	switch callee := call.Func.(type) {
	case *ast.IdentExpr:
		if f.isGlobal(callee) {
			return callee.Value
		}
	case *ast.AttrGetExpr:
		library, isName := callee.Object.(*ast.IdentExpr)
		key, isText := callee.Key.(*ast.StringExpr)
		if isName && isText && f.isGlobal(library) {
			return library.Value + "." + key.Value
		}
	}
	return ""
}

// isGlobal reports whether a name stands for a global that the chunk does not assign.
func (f *file) isGlobal(e *ast.IdentExpr) bool {
	if f.names.uses[e] != nil {
		return false
	}
	for _, w := range f.names.writes {
		if w.name.Value == e.Value {
			return false
		}
	}
	return true
}
