// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"maps"
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// A strict chunk has no globals but its functions, and a module none at all: a
// name that is assigned without local, or read without being there, is a mistake.

// mayAssign checks the assignment of value to a global; value is nil where it is
// not a single expression.
func (r *resolver) mayAssign(name *ast.IdentExpr, value ast.Expr) {
	if r.undeclared != nil && !r.isDefinition(value) {
		r.undeclared(name.Value)
	}
	if r.source.Module == "" && !r.source.Strict {
		return
	}
	if r.source.Module != "" {
		r.failRule(lint.GlobalWrite, name, name.Value, "module %s assigns to the global %s; a module has locals only, and returns what it offers", r.source.Module, name.Value)
		return
	}
	if _, ok := value.(*ast.FunctionExpr); !ok {
		r.failRule(lint.GlobalWrite, name, name.Value, "assignment to the global %s; declare it with local", name.Value)
		return
	}
	if s := r.scope; s.parent != nil || len(s.blocks) > 1 {
		r.failRule(lint.GlobalWrite, name, name.Value, "the global function %s is defined inside a block or function; define it at the top level", name.Value)
	}
}

// checkReads checks the globals that a chunk reads, now that all that it assigns are
// known.
func (r *resolver) checkReads(chunk []ast.Stmt) {
	warned := map[string]bool{}
	for _, name := range r.reads {
		if warned[name.Value] {
			continue
		}
		if rule, problem := r.unread(name.Value, chunk); problem != "" {
			warned[name.Value] = true
			r.mistake(rule, name, name.Value, problem)
		}
		if r.failed != nil {
			return
		}
	}
}

// unread returns why a global cannot be read, with the rule of that, or "".
func (r *resolver) unread(name string, chunk []ast.Stmt) (rule, problem string) {
	if r.assigned[name] || name == "params" {
		return "", ""
	}
	switch v := r.environment.globals[name].(type) {
	case nil:
	case *absent:
		return lint.RemovedBuiltin, v.name + " is not available: " + v.reason
	default:
		return "", ""
	}
	if slices.Contains(localFunctions(chunk), name) {
		return lint.UndefinedGlobal, "the local function " + name + " is declared only further down"
	}
	known := append(slices.Collect(maps.Keys(r.assigned)), "params")
	for name, v := range r.environment.globals {
		if _, gone := v.(*absent); !gone {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	if near := script.Nearest(name, known); near != "" {
		return lint.UndefinedGlobal, "nothing defines the global " + name + "; did you mean " + near + "?"
	}
	return lint.UndefinedGlobal, "nothing defines the global " + name
}

// knowsParameter checks a field of params that a strict chunk reads: it must be a
// parameter of the bundle.
func (r *resolver) knowsParameter(e *ast.AttrGetExpr) {
	of, isName := e.Object.(*ast.IdentExpr)
	key, isConstant := e.Key.(*ast.StringExpr)
	if !r.source.Strict || !isName || !isConstant || of.Value != "params" {
		return
	}
	ref := r.references[of]
	if ref.place != placeGlobal || ref.variable != nil {
		return
	}
	if _, known := slices.BinarySearch(r.source.Params, key.Value); known {
		return
	}
	r.failRule(lint.UnknownParameter, e, "params."+key.Value, "%s", script.Unknown("parameter", key.Value, r.source.Params))
}
