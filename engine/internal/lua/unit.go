// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/engine/script"
)

// unit is one compilation: a chunk, and the modules that it requires. They share
// the slots of the globals of a run.
type unit struct {
	environment *environment
	// root is the source of the chunk; its modules, strictness and coverage count
	// for all.
	root Script
	// limit bounds the bytes of each source.
	limit int
	// modules are those that were required, by name; under names the ones that
	// are under way, outermost first.
	modules map[string]*module
	under   []string
	// sources are those that were compiled, the chunk first.
	sources []*Script
	// globals counts all globals, also those without a name.
	globals int
	// params is the slot of the global params, or -1.
	params int
	// failed is the first reason why the unit does not compile.
	failed *script.Error
}

// newUnit begins a compilation of src.
func newUnit(src Script, limit int) *unit {
	return &unit{environment: standard(), root: src, limit: limit, modules: map[string]*module{}, params: -1}
}

// newGlobal makes room for one more global.
func (u *unit) newGlobal() int {
	u.globals++
	return u.globals - 1
}

// program compiles the chunk of the unit, and with it what it requires.
func (u *unit) program() (*program, *script.Error) {
	src := u.root
	chunk, names, failed := src.parse(u.limit)
	if failed != nil {
		return nil, failed
	}
	r := newResolver(u, &src, names)
	r.module = src.Module
	name := "main chunk"
	if src.Module != "" {
		name = "module " + src.Module
	}
	p := &program{environment: u.environment, module: src.Module, main: r.chunk(chunk, name)}
	if u.failed != nil {
		return nil, u.failed
	}
	p.globals, p.named, p.params = r.initial(), r.names(), u.params
	p.sources, p.locals = u.sources, localFunctions(chunk)
	return p, nil
}

// chunk resolves and compiles a whole source. It returns nil where it failed.
func (r *resolver) chunk(chunk []ast.Stmt, name string) *function {
	r.sources = append(r.sources, r.source)
	main := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: chunk}
	r.function(main)
	r.checkReads(chunk)
	if r.failed != nil {
		return nil
	}
	c := &compiler{resolver: r}
	p := c.function(main, name)
	if r.failed != nil {
		return nil
	}
	return &function{proto: p}
}

// parse reads a source of at most limit bytes, and counts the names in it.
func (src Script) parse(limit int) (chunk []ast.Stmt, names int, failed *script.Error) {
	if len(src.Text) > limit {
		return nil, 0, src.fail(script.Position{}, fmt.Sprintf("the script has %d bytes; at most %d are allowed", len(src.Text), limit))
	}
	g := guard(src.Text)
	if g.problem != "" {
		return nil, 0, src.fail(script.Position{Line: g.line, Column: g.column}, g.problem)
	}
	chunk, err := parse.Parse(strings.NewReader(src.Text), src.File)
	if err != nil {
		return nil, 0, src.syntax(err, g)
	}
	return chunk, g.names, nil
}

// localFunctions names the functions that the chunk itself declares local.
func localFunctions(chunk []ast.Stmt) []string {
	var names []string
	for _, s := range chunk {
		if l, ok := s.(*ast.LocalAssignStmt); ok && len(l.Names) == 1 && len(l.Exprs) == 1 {
			if _, ok := l.Exprs[0].(*ast.FunctionExpr); ok {
				names = append(names, l.Names[0])
			}
		}
	}
	return names
}
