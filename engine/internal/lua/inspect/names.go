// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// kind is what declares a variable.
type kind uint8

const (
	local kind = iota
	localFunction
	parameter
	loop
)

// variable is a local variable.
type variable struct {
	name string
	kind kind
	at   lua.Place
	// value is what it begins with, where that is one expression; last reports whether it is
	// the last name of its declaration.
	value ast.Expr
	last  bool
	// hides is the variable of the same name around it.
	hides *variable
	// depth is how many functions are around it.
	depth         int
	reads, writes int
}

// write is the assignment of a global.
type write struct {
	name *ast.IdentExpr
	// value is nil where it is not one expression of its own.
	value ast.Expr
	// top reports whether it stands outside of all functions and blocks.
	top bool
}

// names are the variables of a chunk and what its names stand for.
type names struct {
	chunk     *lua.Chunk
	variables []*variable
	// uses are the variables that names stand for; a name of a global has none.
	uses map[*ast.IdentExpr]*variable
	// reads are the names of globals that are read, writes the assignments of globals.
	reads  []*ast.IdentExpr
	writes []write

	visible []map[string]*variable
	depth   int
}

// resolve finds the variables of a chunk.
func resolve(c *lua.Chunk) *names {
	n := &names{chunk: c, uses: map[*ast.IdentExpr]*variable{}}
	n.block(c.Statements)
	return n
}

// isRead reports whether a global is read.
func (n *names) isRead(name string) bool {
	for _, r := range n.reads {
		if r.Value == name {
			return true
		}
	}
	return false
}

func (n *names) lookup(name string) *variable {
	for i := len(n.visible) - 1; i >= 0; i-- {
		if v := n.visible[i][name]; v != nil {
			return v
		}
	}
	return nil
}

func (n *names) declare(v *variable) {
	v.hides, v.depth = n.lookup(v.name), n.depth
	n.visible[len(n.visible)-1][v.name] = v
	n.variables = append(n.variables, v)
}

func (n *names) begin() { n.visible = append(n.visible, map[string]*variable{}) }
func (n *names) end()   { n.visible = n.visible[:len(n.visible)-1] }

func (n *names) block(list []ast.Stmt) {
	n.begin()
	n.statements(list)
	n.end()
}

func (n *names) statements(list []ast.Stmt) {
	for _, s := range list {
		n.statement(s)
	}
}

func (n *names) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		n.localAssign(s)
	case *ast.AssignStmt:
		n.expressions(s.Rhs)
		for i, target := range s.Lhs {
			var value ast.Expr
			if i < len(s.Rhs) {
				value = s.Rhs[i]
			}
			n.target(target, value)
		}
	case *ast.FuncCallStmt:
		n.expression(s.Expr)
	case *ast.FuncDefStmt:
		n.definition(s)
	case *ast.ReturnStmt:
		n.expressions(s.Exprs)
	case *ast.DoBlockStmt:
		n.block(s.Stmts)
	case *ast.IfStmt:
		n.expression(s.Condition)
		n.block(s.Then)
		n.block(s.Else)
	default:
		n.loop(s)
	}
}

func (n *names) loop(s ast.Stmt) {
	n.begin()
	defer n.end()
	switch s := s.(type) {
	case *ast.WhileStmt:
		n.expression(s.Condition)
		n.block(s.Stmts)
	case *ast.RepeatStmt:
		n.statements(s.Stmts)
		n.expression(s.Condition)
	case *ast.NumberForStmt:
		n.expressions([]ast.Expr{s.Init, s.Limit, s.Step})
		n.declare(&variable{name: s.Name, kind: loop, at: n.chunk.Name(s, 0)})
		n.block(s.Stmts)
	case *ast.GenericForStmt:
		n.expressions(s.Exprs)
		for i, name := range s.Names {
			n.declare(&variable{name: name, kind: loop, at: n.chunk.Name(s, i)})
		}
		n.block(s.Stmts)
	}
}

func (n *names) localAssign(s *ast.LocalAssignStmt) {
	if lua.IsLocalFunction(s) {
		n.declare(&variable{name: s.Names[0], kind: localFunction, at: n.chunk.Name(s, 0), value: s.Exprs[0], last: true})
		n.expression(s.Exprs[0])
		return
	}
	n.expressions(s.Exprs)
	for i, name := range s.Names {
		v := &variable{name: name, kind: local, at: n.chunk.Name(s, i), last: i == len(s.Names)-1}
		if i < len(s.Exprs) && len(s.Names) <= len(s.Exprs) {
			v.value = s.Exprs[i]
		}
		n.declare(v)
	}
}

// target notes what an assignment is to.
func (n *names) target(e ast.Expr, value ast.Expr) {
	name, ok := e.(*ast.IdentExpr)
	if !ok {
		n.expression(e)
		return
	}
	if v := n.lookup(name.Value); v != nil {
		n.uses[name] = v
		v.writes++
		return
	}
	n.writes = append(n.writes, write{name, value, n.depth == 0 && len(n.visible) == 1})
}

func (n *names) definition(s *ast.FuncDefStmt) {
	if s.Name.Func == nil {
		n.expression(s.Name.Receiver)
	} else {
		n.target(s.Name.Func, s.Func)
	}
	n.expression(s.Func)
}

func (n *names) expressions(list []ast.Expr) {
	for _, e := range list {
		n.expression(e)
	}
}

func (n *names) expression(e ast.Expr) {
	switch e := e.(type) {
	case nil:
	case *ast.IdentExpr:
		if v := n.lookup(e.Value); v != nil {
			n.uses[e] = v
			v.reads++
			return
		}
		n.reads = append(n.reads, e)
	case *ast.FunctionExpr:
		n.function(e)
	default:
		n.expressions(lua.Operands(e))
	}
}

func (n *names) function(f *ast.FunctionExpr) {
	n.depth++
	n.begin()
	for i, name := range f.ParList.Names {
		n.declare(&variable{name: name, kind: parameter, at: n.chunk.Name(f, i)})
	}
	n.block(f.Stmts)
	n.end()
	n.depth--
}
