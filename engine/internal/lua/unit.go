// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/engine/script"
)

// unit is the compilation of one chunk: of a script, or of a module.
type unit struct {
	environment *environment
	source      *Script
	// limit bounds the bytes of the source.
	limit int
	// load finds a module that the chunk requires, or returns nil.
	load func(name string) *module
	// required are the modules that the chunk requires, directly or through others.
	required required
	// first is the first slot of the chunk's own globals, globals their number. The slots
	// before it are those of the modules that the chunk requires.
	first, globals int
	// params reports whether the chunk reads params.
	params bool
	// declares reports whether the chunk only declares; see survey.
	declares bool
	// chunk is the source once it is parsed, places where its nodes are once that is asked.
	chunk  []ast.Stmt
	places *Places
	// failed is the first reason why the unit does not compile.
	failed *script.Error
}

// paramsSlot is the slot of the global params in each program. A chunk and the modules
// that it requires see one table.
const paramsSlot = 0

// newUnit begins a compilation of src.
func newUnit(src *Script, limit int, load func(string) *module) *unit {
	return &unit{environment: src.environment(), source: src, limit: limit, load: load, first: paramsSlot + 1}
}

// newGlobal makes room for one more global.
func (u *unit) newGlobal() int {
	u.globals++
	return u.end() - 1
}

// end is the slot after those of the chunk and of what it requires.
func (u *unit) end() int { return u.first + u.globals }

// code is a compiled source.
type code struct {
	main *function
	// initial are the values of its own globals before it runs; nil is none.
	initial []any
	// named are the globals with a name, in the order of their names.
	named []named
	// declares reports whether the chunk only declares.
	declares bool
	// declared is what it has declared then, so that it need not run; nil is not known.
	declared *declared
	// locals names the functions that are local to the chunk, for messages.
	locals []string
	// ends are where functions end without a return that they should have.
	ends map[string]Place
	// size is how many bytes the code keeps in memory, at most.
	size int64
}

// compile reads, resolves and compiles the source. Between the two passes begin is
// called: the modules that the chunk requires are known then, and slots can be taken.
func (u *unit) compile(begin func()) (*code, *script.Error) {
	statements, names, failed := u.source.parse(u.limit)
	if failed != nil {
		return nil, failed
	}
	u.chunk = statements
	if u.source.Recording != nil {
		u.source.Recording.Source(u.source.File, u.source.Text)
	}
	r := newResolver(u, names)
	main := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: statements}
	r.function(main)
	r.checkReads(statements)
	r.checkLibraries()
	r.require()
	if u.failed != nil {
		return nil, u.failed
	}
	begin()
	r.promote()
	c := &compiler{resolver: r}
	c.survey(statements)
	p := c.function(main, u.source.title())
	if u.failed != nil {
		return nil, u.failed
	}
	return &code{main: &function{proto: p}, initial: r.initial(), named: r.names(), declares: u.declares, declared: c.declaration(p), locals: localFunctions(statements), ends: u.source.endings(statements), size: r.keeps()}, nil
}

// title names the main function of the source.
func (src *Script) title() string {
	if src.Module != "" {
		return "module " + src.Module
	}
	return "main chunk"
}

// parse reads a source of at most limit bytes, and counts the names in it.
func (src Script) parse(limit int) (statements []ast.Stmt, names int, failed *script.Error) {
	if len(src.Text) > limit {
		return nil, 0, src.fail(script.Position{}, fmt.Sprintf("the script has %d bytes; at most %d are allowed", len(src.Text), limit))
	}
	if strings.HasPrefix(src.Text, byteOrderMark) {
		return nil, 0, src.fail(script.Position{Line: 1}, "the file begins with a byte order mark; save it as UTF-8 without one")
	}
	g := guard(src.Text)
	if g.problem != "" {
		return nil, 0, src.fail(script.Position{Line: g.line, Column: g.column}, g.problem)
	}
	statements, err := parse.Parse(strings.NewReader(src.Text), src.File)
	if err != nil {
		return nil, 0, src.syntax(err, g)
	}
	return statements, g.names, nil
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
