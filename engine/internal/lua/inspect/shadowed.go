// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// shadowed finds variables that hide another one of the same function, and uses of a variable
// as the library or the function of Lua that it hides.
func shadowed(f *file) {
	for _, v := range f.names.variables {
		switch {
		case strings.HasPrefix(v.name, "_"):
		case v.hides != nil && v.hides.depth == v.depth && v.depth > 0 && !(v.kind == loop && v.hides.kind == loop && v.reads == 0):
			f.report(lint.Shadowed, v.at, "%s hides the variable of line %d; give one of them another name", v.name, v.hides.at.Line)
		}
	}
	lua.WalkExpressions(f.Statements, func(e ast.Expr) {
		call, ok := e.(*ast.FuncCallExpr)
		if !ok {
			return
		}
		if name, v := f.hidden(call); v != nil && !isFunction(v) {
			f.report(lint.Shadowed, f.Start(call), "%s is the variable of line %d here, which hides that of Lua; give the variable another name", name, v.at.Line)
		}
	})
}

// hidden returns the variable that is called in place of a function of Lua that it hides, or of
// whose fields one is; nil for any other call.
func (f *file) hidden(call *ast.FuncCallExpr) (string, *variable) {
	switch callee := call.Func.(type) {
	case *ast.IdentExpr:
		if v := f.names.uses[callee]; v != nil && lua.IsFunction(callee.Value) {
			return callee.Value, v
		}
	case *ast.AttrGetExpr:
		library, isName := callee.Object.(*ast.IdentExpr)
		key, isText := callee.Key.(*ast.StringExpr)
		if isName && isText && lua.IsFunction(library.Value+"."+key.Value) {
			return library.Value, f.names.uses[library]
		}
	}
	return "", nil
}

// isFunction reports whether a variable may be a function or a library: a parameter, one that
// is assigned, or one that begins with any value but that of a field or a constant.
func isFunction(v *variable) bool {
	if v.kind == loop {
		return false
	}
	if v.kind != local || v.writes > 0 || v.value == nil {
		return true
	}
	switch value := v.value.(type) {
	case *ast.StringExpr, *ast.NumberExpr, *ast.TrueExpr, *ast.FalseExpr:
		return false
	case *ast.AttrGetExpr:
		root, isName := value.Object.(*ast.IdentExpr)
		return isName && lua.Globals()[root.Value]
	}
	return true
}
