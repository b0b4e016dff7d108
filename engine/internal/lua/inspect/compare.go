// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// comparisons finds strings that are compared with numbers, where both types are certain: == is
// then always false, and < an error.
func comparisons(f *file) {
	lua.WalkExpressions(f.Statements, func(e ast.Expr) {
		c, ok := e.(*ast.RelationalOpExpr)
		if !ok {
			return
		}
		left, right := f.typeOf(c.Lhs, maxFollowed), f.typeOf(c.Rhs, maxFollowed)
		if left == right || left == "" || right == "" {
			return
		}
		result := "is an error"
		switch c.Operator {
		case "==":
			result = "is always false"
		case "~=":
			result = "is always true"
		}
		f.report(lint.StringNumberCompare, f.Of(c), "a %s %s a %s %s; convert one of them with tonumber or tostring", left, c.Operator, right, result)
	})
}

// maxFollowed is through how many variables a value is followed.
const maxFollowed = 4

const (
	text   = "string"
	number = "number"
)

// numeric are the functions whose result is a number, textual those whose result is a string.
var (
	numeric = []string{"os.time", "string.len", "string.byte"}
	textual = []string{"tostring", "type", "os.date", "string.format", "string.rep", "string.sub", "string.lower", "string.upper", "string.reverse", "table.concat"}
)

// typeOf returns the type of an expression where it is a string or a number whatever the chunk
// is given, and "" where that is not certain. That of tonumber may be nil, which is not equal to
// a string either.
func (f *file) typeOf(e ast.Expr, left int) string {
	switch e := e.(type) {
	case *ast.StringExpr, *ast.StringConcatOpExpr:
		return text
	case *ast.NumberExpr, *ast.ArithmeticOpExpr, *ast.UnaryMinusOpExpr, *ast.UnaryLenOpExpr:
		return number
	case *ast.IdentExpr:
		v := f.names.uses[e]
		if v != nil && v.kind == local && v.writes == 0 && v.value != nil && left > 0 {
			return f.typeOf(v.value, left-1)
		}
	case *ast.LogicalOpExpr:
		if t := f.typeOf(e.Lhs, left); t == f.typeOf(e.Rhs, left) {
			return t
		}
	case *ast.FuncCallExpr:
		return f.resultType(e)
	}
	return ""
}

// resultType returns the type of what a function of Lua returns, or "".
func (f *file) resultType(e *ast.FuncCallExpr) string {
	name := f.function(e)
	switch {
	case slices.Contains(textual, name) && (name != "os.date" || len(e.Args) == 0):
		return text
	case slices.Contains(numeric, name), name == "tonumber", strings.HasPrefix(name, "math."):
		return number
	}
	return ""
}
