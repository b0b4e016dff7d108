// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/reads"
	"github.com/dragoman-io/dragoman/engine/script"
)

// anyElement is the step of a path to an item of a list, or to the value of a key that is not
// constant.
const anyElement = script.AnyElement

// maxRead is how many statements are read: those of a function once for each call of it.
const maxRead = 100_000

// maxInlined is how deep calls of local functions are followed.
const maxInlined = 6

// Reads returns the fields that an entry function reads or writes below its parameters, where
// their path is constant: through local variables, loops, local functions, and the functions of
// kube that take a path. entry is the name of a global function, or for a module of a function
// of the table that it returns. What cannot be followed is left out, so that the list names
// nothing that the script does not do.
//
// It returns nil where the source has no such function.
func (c *Chunk) Reads(entry string) []script.Read {
	f := &fieldReads{
		chunk: c, left: maxRead, functions: map[string]*ast.FunctionExpr{}, assigned: map[string]bool{},
		seen: map[string]bool{}, tested: map[string]bool{},
	}
	f.collect(c.Statements)
	function := f.functions[entry]
	if function == nil {
		return nil
	}
	scope := &reads.Scope{}
	for i, name := range function.ParList.Names {
		scope.Define(name, &reads.Path{Param: i})
	}
	f.block(function.Stmts, scope)
	f.untested()
	return f.reads
}

// fieldReads collects what a function reads.
type fieldReads struct {
	chunk *Chunk
	// functions are those of the chunk by name, also as fields of a table: x.name is name.
	functions map[string]*ast.FunctionExpr
	// assigned are the names of variables that are assigned after their declaration: nothing
	// is known about them.
	assigned map[string]bool
	seen     map[string]bool
	reads    []script.Read
	// tested are the keys of paths that the function tests in some way, indexed the paths of
	// which fields are read.
	tested  map[string]bool
	indexed []indexedPath
	depth   int
	// left is how many statements are still read.
	left int
}

// collect finds the functions of the chunk, and which variables are assigned anywhere in it.
func (f *fieldReads) collect(chunk []ast.Stmt) {
	for _, s := range chunk {
		switch s := s.(type) {
		case *ast.FuncDefStmt:
			f.addFunction(s)
		case *ast.LocalAssignStmt:
			for i, e := range s.Exprs {
				if function, ok := e.(*ast.FunctionExpr); ok && i < len(s.Names) {
					f.functions[s.Names[i]] = function
				}
			}
		}
	}
	WalkStatements(chunk, func(s ast.Stmt) {
		if a, ok := s.(*ast.AssignStmt); ok {
			for _, target := range a.Lhs {
				if name, ok := target.(*ast.IdentExpr); ok {
					f.assigned[name.Value] = true
				}
			}
		}
	})
}

func (f *fieldReads) addFunction(s *ast.FuncDefStmt) {
	switch name := s.Name.Func.(type) {
	case *ast.IdentExpr:
		f.functions[name.Value] = s.Func
	case *ast.AttrGetExpr:
		if key, ok := name.Key.(*ast.StringExpr); ok {
			f.functions[key.Value] = s.Func
		}
	}
}

// add notes the use of the path of an expression, once.
func (f *fieldReads) add(use script.Use, p *reads.Path, e ast.Expr) {
	if p == nil || len(p.Steps) == 0 {
		return
	}
	at := f.chunk.Of(e)
	if at.Line == 0 {
		at.Line = e.Line()
	}
	key := fmt.Sprintf("%d:%d:%s", use, at.Line, p.Key())
	if !f.seen[key] {
		f.seen[key] = true
		f.reads = append(f.reads, script.Read{Param: p.Param, Path: slices.Clone(p.Steps), Line: at.Line, Column: at.Column, Use: use})
	}
}

// path returns the path of an expression, nil where it has none that is known.
func (f *fieldReads) path(e ast.Expr, scope *reads.Scope) *reads.Path {
	switch e := e.(type) {
	case *ast.IdentExpr:
		if f.assigned[e.Value] {
			return nil
		}
		return scope.Lookup(e.Value)
	case *ast.AttrGetExpr:
		base := f.path(e.Object, scope)
		if base == nil {
			return nil
		}
		if key, ok := e.Key.(*ast.StringExpr); ok {
			return base.Below(key.Value)
		}
		return base.Below(anyElement)
	case *ast.LogicalOpExpr:
		chosen := e.Lhs
		if e.Operator == "and" {
			chosen = e.Rhs
		}
		return f.path(chosen, scope).Choice()
	case *ast.FuncCallExpr:
		return f.result(e, scope)
	}
	return nil
}

// result returns the path of what a call of a function of kube returns.
func (f *fieldReads) result(e *ast.FuncCallExpr, scope *reads.Scope) *reads.Path {
	name := kubeName(e)
	if name == "" || len(e.Args) == 0 {
		return nil
	}
	of := f.path(e.Args[0], scope)
	if of == nil {
		return nil
	}
	switch name {
	case "get":
		if len(e.Args) < 2 {
			return nil
		}
		if steps := constantSteps(e.Args[1]); steps != nil {
			return of.Below(steps...)
		}
	case "condition":
		p := of.Below("status", "conditions", anyElement)
		p.Answer = true
		return p
	case "reported", "merge":
		return of
	}
	return nil
}

// kubeName returns the name of the function of kube that is called; "" for any other call.
func kubeName(e *ast.FuncCallExpr) string {
	member, ok := e.Func.(*ast.AttrGetExpr)
	if !ok {
		return ""
	}
	library, ok := member.Object.(*ast.IdentExpr)
	if key, isConstant := member.Key.(*ast.StringExpr); ok && isConstant && library.Value == "kube" {
		return key.Value
	}
	return ""
}

// constantSteps returns a path that is constant, as a string with dots or a list of keys.
func constantSteps(e ast.Expr) []string {
	if text, ok := e.(*ast.StringExpr); ok {
		return reads.Steps(text.Value)
	}
	var steps []string
	for _, text := range constantTexts(e) {
		steps = append(steps, text.Value)
	}
	return steps
}

// constantTexts returns the items of a constructor of which each is a constant string, nil for
// any other expression.
func constantTexts(e ast.Expr) []*ast.StringExpr {
	t, ok := e.(*ast.TableExpr)
	if !ok {
		return nil
	}
	var texts []*ast.StringExpr
	for _, field := range t.Fields {
		text, ok := field.Value.(*ast.StringExpr)
		if field.Key != nil || !ok {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}
