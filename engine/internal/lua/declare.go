// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// Most of what a chunk does before it is asked something is to declare: functions, tables of
// constants, the modules that it requires, and the table of functions that a module returns.
// What such a statement makes is the same in each run, so that it is made when the chunk is
// compiled or where a run first reads it, and the statement itself has nothing to do.

// isFixedFunction reports whether e is a function that captures nothing, so that all runs
// share one.
func (c *compiler) isFixedFunction(e ast.Expr) bool {
	f, ok := e.(*ast.FunctionExpr)
	return ok && len(c.shapes[f].captures) == 0
}

// fixedFunction compiles such a function with a name for messages.
func (c *compiler) fixedFunction(e ast.Expr, name string) *function {
	c.nodes++
	return &function{proto: c.function(e.(*ast.FunctionExpr), name)}
}

// isPureRequire reports whether e requires a library, or a module that only declares: when
// that is loaded does not show, and it cannot fail.
func (c *compiler) isPureRequire(e ast.Expr) bool {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok || call.Func == nil || !c.isRequire(call) {
		return false
	}
	name := c.moduleName(call)
	if name == nil {
		return false
	}
	if _, isLibrary := c.environment.modules[name.Value]; isLibrary {
		return true
	}
	m := c.module(name)
	return m != nil && m.code != nil && m.declares
}

// exports is the table of functions that a module returns, the same in each run until the
// script writes to it.
type exports struct{ fields []field }

// table compiles the constructor of the table.
func (x *exports) table(f *frame) any {
	t := f.vm.tables.new()
	t.fields, t.is.shared = x.fields, len(x.fields) > 0
	return t
}

// put adds a function under a name, or replaces the one there.
func (x *exports) put(name string, fn *function) {
	for i := range x.fields {
		if x.fields[i].key == name {
			x.fields[i].value = fn
			return
		}
	}
	x.fields = append(x.fields, field{key: name, value: fn, written: true})
}

// survey finds out whether a chunk only declares, and if so which of its variables are such
// tables: empty where they are declared, and then given functions by name.
func (c *compiler) survey(chunk []ast.Stmt) {
	tables := map[*variable]*exports{}
	names := map[*variable][]string{}
	for _, s := range chunk {
		switch s := s.(type) {
		case *ast.LocalAssignStmt:
			if !c.isDeclaration(s) {
				return
			}
			if t, ok := s.Exprs[0].(*ast.TableExpr); ok && len(t.Fields) == 0 {
				if v := c.declarations[s][0]; !v.assigned {
					tables[v] = &exports{}
				}
			}
		case *ast.FuncDefStmt:
			if _, isName := s.Name.Func.(*ast.IdentExpr); isName {
				continue
			}
			v, name := c.exported(s)
			if tables[v] == nil || !c.isFixedFunction(s.Func) {
				return
			}
			if len(names[v]) <= manyFields && !slices.Contains(names[v], name) {
				names[v] = append(names[v], name)
			}
		case *ast.ReturnStmt:
			if !isPlainReturn(s) {
				return
			}
		default:
			return
		}
	}
	c.declares = true
	if n := len(chunk); n > 0 {
		c.last, _ = chunk[n-1].(*ast.ReturnStmt)
	}
	for v, x := range tables {
		if n := len(names[v]); n > 0 && n <= manyFields {
			if c.tables == nil {
				c.tables = map[*variable]*exports{}
			}
			c.tables[v] = x
		}
	}
}

// isPlainReturn reports whether s returns at most one value that is there already.
func isPlainReturn(s *ast.ReturnStmt) bool {
	for _, e := range s.Exprs {
		_, isName := e.(*ast.IdentExpr)
		_, isFunction := e.(*ast.FunctionExpr)
		if !isName && !isFunction && !isFixedTable(e) {
			return false
		}
	}
	return len(s.Exprs) <= 1
}

// isDeclaration reports whether s declares one variable whose value is the same in each run,
// but for a table, which each run has to itself.
func (c *compiler) isDeclaration(s *ast.LocalAssignStmt) bool {
	if len(s.Names) != 1 || len(s.Exprs) != 1 {
		return false
	}
	_, isConstant := constant(s.Exprs[0])
	return isConstant || isFixedTable(s.Exprs[0]) || c.isFixedFunction(s.Exprs[0]) || c.isPureRequire(s.Exprs[0])
}

// exported returns the variable and the name of "function v.name" and "function v:name"; the
// variable is nil for other forms.
func (c *compiler) exported(s *ast.FuncDefStmt) (v *variable, name string) {
	object := s.Name.Receiver
	name = s.Name.Method
	if at, ok := s.Name.Func.(*ast.AttrGetExpr); ok {
		key, isText := at.Key.(*ast.StringExpr)
		if !isText {
			return nil, ""
		}
		object, name = at.Object, key.Value
	}
	ident, ok := object.(*ast.IdentExpr)
	if !ok {
		return nil, ""
	}
	return c.references[ident].variable, name
}

// export compiles "function v.name" for a table of the chunk that all runs share. It reports
// whether s is one.
func (c *compiler) export(s *ast.FuncDefStmt, title string) bool {
	v, name := c.exported(s)
	x := c.tables[v]
	if v == nil || x == nil {
		return false
	}
	c.nodes += 3 + keyGas(name)
	x.put(name, c.fixedFunction(s.Func, title))
	return true
}
