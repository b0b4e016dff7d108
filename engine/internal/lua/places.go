// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Place is where something stands in a source: line and column from 1, columns in bytes. The
// zero value is one that is not known.
type Place struct{ Line, Column int }

// Position returns the place as a position without a file.
func (p Place) Position() script.Position { return script.Position{Line: p.Line, Column: p.Column} }

// Places are where the nodes of a tree stand, which the parser notes by line alone. The nodes
// and the words of a source come in one order, so that a walk through both finds each node's
// own word. Where the two do not agree nothing has a place.
type Places struct {
	nodes map[ast.PositionHolder]Place
	// names are those of variables, by the node that declares them and their index.
	names map[declaredName]Place
	ends  map[*ast.FunctionExpr]Place
}

type declaredName struct {
	of    ast.PositionHolder
	index int
}

// Of returns the place of a node: of an operator its sign, of a field its key, of anything else
// its first word.
func (p *Places) Of(n ast.PositionHolder) Place { return p.nodes[n] }

// Name returns the place of a variable that a statement, or a function as its parameter,
// declares.
func (p *Places) Name(of ast.PositionHolder, index int) Place {
	return p.names[declaredName{of, index}]
}

// End returns the place of the end of a function.
func (p *Places) End(f *ast.FunctionExpr) Place { return p.ends[f] }

// Start returns the place of the first word of an expression, without its brackets.
func (p *Places) Start(e ast.Expr) Place { return p.nodes[first(e)] }

// first returns the expression that an expression begins with.
func first(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.AttrGetExpr:
			e = x.Object
		case *ast.FuncCallExpr:
			if e = x.Func; x.Func == nil {
				e = x.Receiver
			}
		case *ast.LogicalOpExpr:
			e = x.Lhs
		case *ast.RelationalOpExpr:
			e = x.Lhs
		case *ast.ArithmeticOpExpr:
			e = x.Lhs
		case *ast.StringConcatOpExpr:
			e = x.Lhs
		default:
			return e
		}
	}
}

// startOf returns the place of the first word of an expression in a chunk. It keeps nothing of
// the others.
func startOf(text string, chunk []ast.Stmt, e ast.Expr) Place {
	p := &placer{scanner: scanner{text: text, line: 1}, places: &Places{}, only: first(e)}
	p.ahead = p.scanner.next()
	p.statements(chunk)
	return p.found
}

// placesOf finds the places of the nodes of a chunk.
func placesOf(text string, chunk []ast.Stmt) *Places {
	return findPlaces(text, chunk, &Places{nodes: map[ast.PositionHolder]Place{}, names: map[declaredName]Place{}, ends: map[*ast.FunctionExpr]Place{}})
}

// endsOf is placesOf for the ends of functions alone, of which there are few.
func endsOf(text string, chunk []ast.Stmt) *Places {
	return findPlaces(text, chunk, &Places{ends: map[*ast.FunctionExpr]Place{}})
}

// findPlaces finds the places for which there are maps.
func findPlaces(text string, chunk []ast.Stmt, into *Places) *Places {
	p := &placer{scanner: scanner{text: text, line: 1}, places: into}
	p.ahead = p.scanner.next()
	p.statements(chunk)
	if p.seek().kind != tokenEnd || p.failed {
		return &Places{}
	}
	return p.places
}

// placer walks through a tree and its words.
type placer struct {
	scanner scanner
	ahead   token
	places  *Places
	failed  bool
	// only is the one node whose place is wanted, and found that; nil wants all.
	only  ast.PositionHolder
	found Place
}

// note notes the place of a node. The walk ends at the only one that is wanted.
func (p *placer) note(n ast.PositionHolder, at Place) {
	switch {
	case p.places.nodes != nil:
		p.places.nodes[n] = at
	case p.only == n && !p.failed:
		p.found, p.failed = at, true
	}
}

// seek returns the next word: what only separates or groups others is none.
func (p *placer) seek() token {
	for p.ahead.kind == tokenOperator {
		switch p.ahead.text {
		case "(", ")", "[", "]", "}", ",", ";", "=", ".", ":":
			p.ahead = p.scanner.next()
			continue
		}
		break
	}
	return p.ahead
}

// take passes the next word, which must be this one; text "" is any of its kind.
func (p *placer) take(kind tokenKind, text string) Place {
	t := p.seek()
	if t.kind != kind || text != "" && t.text != text {
		p.failed = true
		return Place{}
	}
	p.ahead = p.scanner.next()
	return Place{t.line, t.column}
}

func (p *placer) keyword(text string) Place { return p.take(tokenKeyword, text) }

// accept passes a keyword where it is the next word, and reports whether it is.
func (p *placer) accept(text string) bool {
	t := p.seek()
	if t.kind != tokenKeyword || t.text != text {
		return false
	}
	p.ahead = p.scanner.next()
	return true
}

// declare passes the names that a node declares.
func (p *placer) declare(of ast.PositionHolder, names []string) {
	for i, name := range names {
		if i == 0 && name == "self" && p.seek().text != "self" {
			continue // resolving a method adds it
		}
		if at := p.take(tokenName, name); p.places.names != nil {
			p.places.names[declaredName{of, i}] = at
		}
	}
}

func (p *placer) statements(list []ast.Stmt) {
	for _, s := range list {
		if p.failed {
			return
		}
		p.statement(s)
	}
}

func (p *placer) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		p.note(s, p.keyword("local"))
		if isLocalFunction(s) {
			at := p.keyword("function")
			p.declare(s, s.Names)
			p.body(s.Exprs[0].(*ast.FunctionExpr), at)
			return
		}
		p.declare(s, s.Names)
		p.expressions(s.Exprs)
	case *ast.AssignStmt:
		p.expressions(s.Lhs)
		p.expressions(s.Rhs)
		p.note(s, p.places.Start(s.Lhs[0]))
	case *ast.FuncCallStmt:
		p.expression(s.Expr)
		p.note(s, p.places.Start(s.Expr))
	case *ast.FuncDefStmt:
		p.definition(s)
	case *ast.ReturnStmt:
		p.note(s, p.keyword("return"))
		p.expressions(s.Exprs)
	case *ast.BreakStmt:
		p.note(s, p.keyword("break"))
	case *ast.DoBlockStmt:
		p.note(s, p.keyword("do"))
		p.statements(s.Stmts)
		p.keyword("end")
	case *ast.IfStmt:
		p.branch(s, p.keyword("if"))
		p.keyword("end")
	default:
		p.loop(s)
	}
}

// branch passes an if or elseif, whose keyword was passed, up to the end.
func (p *placer) branch(s *ast.IfStmt, at Place) {
	p.note(s, at)
	p.expression(s.Condition)
	p.keyword("then")
	p.statements(s.Then)
	next := p.seek()
	switch {
	case p.accept("else"):
		p.statements(s.Else)
	case p.accept("elseif"):
		nested, ok := ast.Stmt(nil), len(s.Else) == 1
		if ok {
			nested = s.Else[0]
		}
		inner, isIf := nested.(*ast.IfStmt)
		if !isIf {
			p.failed = true
			return
		}
		p.branch(inner, Place{next.line, next.column})
	}
}

func (p *placer) loop(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.WhileStmt:
		p.note(s, p.keyword("while"))
		p.expression(s.Condition)
		p.block(s.Stmts)
	case *ast.RepeatStmt:
		p.note(s, p.keyword("repeat"))
		p.statements(s.Stmts)
		p.keyword("until")
		p.expression(s.Condition)
	case *ast.NumberForStmt:
		p.note(s, p.keyword("for"))
		p.declare(s, []string{s.Name})
		p.expressions([]ast.Expr{s.Init, s.Limit})
		if s.Step != nil {
			p.expression(s.Step)
		}
		p.block(s.Stmts)
	case *ast.GenericForStmt:
		p.note(s, p.keyword("for"))
		p.declare(s, s.Names)
		p.keyword("in")
		p.expressions(s.Exprs)
		p.block(s.Stmts)
	default:
		p.failed = true
	}
}

func (p *placer) block(list []ast.Stmt) {
	p.keyword("do")
	p.statements(list)
	p.keyword("end")
}

// definition passes "function a.b:c() end".
func (p *placer) definition(s *ast.FuncDefStmt) {
	at := p.keyword("function")
	p.note(s, at)
	if s.Name.Func == nil {
		p.expression(s.Name.Receiver)
		p.take(tokenName, s.Name.Method)
	} else {
		p.expression(s.Name.Func)
	}
	p.body(s.Func, at)
}

// body passes the parameters and the statements of a function.
func (p *placer) body(f *ast.FunctionExpr, at Place) {
	p.note(f, at)
	p.declare(f, f.ParList.Names)
	if f.ParList.HasVargs {
		p.take(tokenOperator, "...")
	}
	p.statements(f.Stmts)
	if at := p.keyword("end"); p.places.ends != nil {
		p.places.ends[f] = at
	}
}

func (p *placer) expressions(list []ast.Expr) {
	for _, e := range list {
		p.expression(e)
	}
}

func (p *placer) expression(e ast.Expr) {
	if p.failed {
		return
	}
	switch e := e.(type) {
	case *ast.IdentExpr:
		p.note(e, p.take(tokenName, e.Value))
	case *ast.StringExpr:
		p.note(e, p.take(tokenLiteral, ""))
	case *ast.NumberExpr:
		p.note(e, p.take(tokenLiteral, ""))
	case *ast.AttrGetExpr:
		p.expression(e.Object)
		p.key(e.Key)
		p.note(e, p.places.Start(e.Key))
	case *ast.TableExpr:
		p.note(e, p.take(tokenOperator, "{"))
		for _, f := range e.Fields {
			if f.Key != nil {
				p.key(f.Key)
			}
			p.expression(f.Value)
		}
	case *ast.FuncCallExpr:
		p.call(e)
	case *ast.FunctionExpr:
		p.body(e, p.keyword("function"))
	default:
		p.operation(e)
	}
}

// key passes the key of a field: an expression, or a name that stands for a string.
func (p *placer) key(e ast.Expr) {
	if text, ok := e.(*ast.StringExpr); ok && p.seek().kind == tokenName {
		p.note(e, p.take(tokenName, text.Value))
		return
	}
	p.expression(e)
}

func (p *placer) call(e *ast.FuncCallExpr) {
	if e.Func == nil {
		p.expression(e.Receiver)
		p.note(e, p.take(tokenName, e.Method))
	} else {
		p.expression(e.Func)
		p.note(e, p.places.Start(e.Func))
	}
	p.expressions(e.Args)
}

// operation passes operators, and values that are keywords.
func (p *placer) operation(e ast.Expr) {
	switch e := e.(type) {
	case *ast.LogicalOpExpr:
		p.binary(e, tokenKeyword, e.Operator, e.Lhs, e.Rhs)
	case *ast.RelationalOpExpr:
		p.binary(e, tokenOperator, e.Operator, e.Lhs, e.Rhs)
	case *ast.ArithmeticOpExpr:
		p.binary(e, tokenOperator, e.Operator, e.Lhs, e.Rhs)
	case *ast.StringConcatOpExpr:
		p.binary(e, tokenOperator, "..", e.Lhs, e.Rhs)
	case *ast.UnaryMinusOpExpr:
		p.note(e, p.take(tokenOperator, "-"))
		p.expression(e.Expr)
	case *ast.UnaryNotOpExpr:
		p.note(e, p.keyword("not"))
		p.expression(e.Expr)
	case *ast.UnaryLenOpExpr:
		p.note(e, p.take(tokenOperator, "#"))
		p.expression(e.Expr)
	case *ast.NilExpr:
		p.note(e, p.keyword("nil"))
	case *ast.TrueExpr:
		p.note(e, p.keyword("true"))
	case *ast.FalseExpr:
		p.note(e, p.keyword("false"))
	case *ast.Comma3Expr:
		p.note(e, p.take(tokenOperator, "..."))
	default:
		p.failed = true
	}
}

func (p *placer) binary(e ast.Expr, kind tokenKind, operator string, left, right ast.Expr) {
	p.expression(left)
	p.note(e, p.take(kind, operator))
	p.expression(right)
}
