// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Variables lists the variables, sorted.
func (e *Env) Variables() []string {
	var known []string
	for v := range e.variables {
		if !strings.ContainsAny(v, ".@") {
			known = append(known, v)
		}
	}
	slices.Sort(known)
	return known
}

// known records a fault where an operand is a variable whose fields are known, and name is
// none of them.
func (c *checker) known(e, operand ast.Expr, name string) {
	if operand.Kind() != ast.IdentKind {
		return
	}
	variable, global := strings.CutPrefix(operand.AsIdent(), ".")
	_, hidden := c.scope.find(variable)
	for _, of := range c.env.fields {
		if variable == of.variable && (global || !hidden) && !slices.Contains(of.known, name) {
			c.broken(lint.UnknownParameter, e, "%s", script.Unknown(of.what, name, of.known))
		}
	}
}

// knownKey is known for a field that is read by a constant key.
func (c *checker) knownKey(e ast.Expr, call ast.CallExpr) {
	if f := call.FunctionName(); f != operators.Index && f != operators.OptIndex {
		return
	}
	if args := call.Args(); len(args) == 2 && args[1].Kind() == ast.LiteralKind {
		if key, ok := args[1].AsLiteral().(types.String); ok {
			c.known(e, args[0], string(key))
		}
	}
}
