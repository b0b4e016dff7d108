// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"
)

// Parser parses expressions with some macros. It is immutable.
type Parser struct {
	// Nesting is how deep an expression may nest, Nodes how many nodes its tree may have
	// once its macros are expanded.
	Nesting, Nodes int

	macros map[call]parser.Macro
}

// call is the form of a call that a macro takes; args is -1 for any number.
type call struct {
	name     string
	args     int
	receiver bool
}

// New returns a parser with macros.
func New(macros []parser.Macro, nesting, nodes int) *Parser {
	p := &Parser{Nesting: nesting, Nodes: nodes, macros: map[call]parser.Macro{}}
	for _, m := range macros {
		p.macros[formOf(m)] = m
	}
	return p
}

// formOf returns the form of the calls of a macro.
func formOf(m parser.Macro) call {
	c := call{m.Function(), m.ArgCount(), m.IsReceiverStyle()}
	if m.MacroKey() == fmt.Sprintf("%s:*:%v", c.name, c.receiver) {
		c.args = -1
	}
	return c
}

// Error is the first fault of a source.
type Error struct {
	// Offset is where it is, in characters.
	Offset  int32
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Parse returns the tree of a source; its types are not known. The error is an *Error.
func (p *Parser) Parse(source string) (*ast.AST, error) { return p.parse(source, false) }

// ParseWithCalls is Parse for tools that show parts of the source: the tree also has the calls
// of macros as the source has them.
func (p *Parser) ParseWithCalls(source string) (*ast.AST, error) { return p.parse(source, true) }

func (p *Parser) parse(source string, calls bool) (tree *ast.AST, err error) {
	if at := invalid(source); at >= 0 {
		return nil, &Error{Offset: at, Message: "the expression is not in UTF-8"}
	}
	if strings.HasPrefix(source, "\ufeff") {
		return nil, &Error{Message: "the file begins with a byte order mark; save it as UTF-8 without one"}
	}
	r := &reader{
		Parser:  p,
		scanner: scanner{source: source},
		factory: ast.NewExprFactoryWithAccumulator(parser.HiddenAccumulatorName),
		info:    ast.NewSourceInfo(common.NewTextSource(source)),
		calls:   calls,
	}
	defer func() {
		if x := recover(); x != nil {
			fault, ok := x.(*Error)
			if !ok {
				panic(x)
			}
			tree, err = nil, fault
		}
	}()
	r.advance()
	e := r.expression()
	if r.token.kind != end {
		r.unexpected()
	}
	return ast.NewAST(e.Expr, r.info), nil
}

// invalid returns where a text is not UTF-8, in characters, -1 where it is.
func invalid(s string) int32 {
	at := int32(0)
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			return at
		}
		s = s[n:]
		at++
	}
	return -1
}

// reader reads one source by recursive descent. It stops by a panic with an *Error.
type reader struct {
	*Parser
	scanner
	// token is the one to be read next, and depth how many calls are under way.
	token   token
	depth   int
	factory ast.ExprFactory
	info    *ast.SourceInfo
	last    int64
	// calls reports whether the calls of macros are kept.
	calls bool
}

// node is a node and how deep the source nests below it.
type node struct {
	ast.Expr
	height int
}

// advance goes to the next token, and returns the one before.
func (r *reader) advance() token {
	t := r.token
	r.token = r.scan()
	return t
}

// accept reads a symbol if it is the next token.
func (r *reader) accept(s string) (token, bool) {
	if !r.token.is(s) {
		return token{}, false
	}
	return r.advance(), true
}

// expect reads a symbol that must be the next token.
func (r *reader) expect(s string) token {
	t, ok := r.accept(s)
	if !ok {
		r.unexpected()
	}
	return t
}

// unexpected fails at the next token.
func (r *reader) unexpected() {
	if r.token.kind == end {
		r.fail(r.token.at, "unexpected end of the expression")
	}
	r.fail(r.token.at, "unexpected '%s'", r.token.text)
}

// fail ends the reading.
func (r *reader) fail(at int32, format string, args ...any) {
	panic(&Error{Offset: at, Message: fmt.Sprintf(format, args...)})
}

// id returns a new id for what stands in a part of the source.
func (r *reader) id(at, length int32) int64 {
	r.last++
	if r.last > int64(r.Nodes) {
		r.fail(at, "the expression has more than %d parts, those of its macros included; make it shorter, or write it in Lua", r.Nodes)
	}
	r.info.SetOffsetRange(r.last, ast.OffsetRange{Start: at, Stop: at + length})
	return r.last
}

// of returns a new id for a token.
func (r *reader) of(t token) int64 { return r.id(t.at, t.length) }

// join returns a node above others.
func (r *reader) join(e ast.Expr, below ...node) node {
	height := 0
	for _, n := range below {
		height = max(height, n.height)
	}
	r.fits(height + 1)
	return node{e, height + 1}
}

// fits fails where the source nests too deep.
func (r *reader) fits(depth int) {
	if depth > r.Nesting {
		r.fail(r.token.at, "the expression nests deeper than %d", r.Nesting)
	}
}

// expression reads a choice, or what binds tighter.
func (r *reader) expression() node {
	r.depth++
	r.fits(r.depth)
	defer func() { r.depth-- }()
	condition := r.or()
	op, ok := r.accept("?")
	if !ok {
		return condition
	}
	id := r.of(op)
	first := r.or()
	r.expect(":")
	second := r.expression()
	return r.join(r.factory.NewCall(id, operators.Conditional, condition.Expr, first.Expr, second.Expr), condition, first, second)
}

func (r *reader) or() node  { return r.logic("||", operators.LogicalOr, r.and) }
func (r *reader) and() node { return r.logic("&&", operators.LogicalAnd, r.relation) }

// logic reads the terms of && or ||, and makes a tree of them that is not deep.
func (r *reader) logic(sign, function string, read func() node) node {
	terms := []node{read()}
	var ids []int64
	for op, ok := r.accept(sign); ok; op, ok = r.accept(sign) {
		terms = append(terms, read())
		ids = append(ids, r.of(op))
	}
	return r.balance(function, terms, ids)
}

// balance makes a tree of terms and the operators between them.
func (r *reader) balance(function string, terms []node, ids []int64) node {
	if len(ids) == 0 {
		return terms[0]
	}
	mid := len(ids) / 2
	left := r.balance(function, terms[:mid+1], ids[:mid])
	right := r.balance(function, terms[mid+1:], ids[mid+1:])
	return r.join(r.factory.NewCall(ids[mid], function, left.Expr, right.Expr), left, right)
}

var (
	relations = []string{"<", "<=", ">", ">=", "==", "!=", "in"}
	sums      = []string{"+", "-"}
	products  = []string{"*", "/", "%"}
)

func (r *reader) relation() node { return r.binary(relations, r.sum) }
func (r *reader) sum() node      { return r.binary(sums, r.product) }
func (r *reader) product() node  { return r.binary(products, r.unary) }

// binary reads operands with operators of one rank between them.
func (r *reader) binary(signs []string, read func() node) node {
	left := read()
	for op, ok := r.acceptAny(signs); ok; op, ok = r.acceptAny(signs) {
		id := r.of(op)
		right := read()
		function, _ := operators.Find(op.text)
		left = r.join(r.factory.NewCall(id, function, left.Expr, right.Expr), left, right)
	}
	return left
}

// acceptAny reads one of some symbols if it is the next token.
func (r *reader) acceptAny(signs []string) (token, bool) {
	if r.token.kind != symbol {
		return token{}, false
	}
	for _, s := range signs {
		if t, ok := r.accept(s); ok {
			return t, true
		}
	}
	return token{}, false
}

// unary reads signs and an operand. Two signs cancel each other out.
func (r *reader) unary() node {
	switch {
	case r.token.is("!"):
		return r.signs("!", operators.LogicalNot)
	case r.token.is("-"):
		return r.signs("-", operators.Negate)
	}
	return r.member()
}

// signs reads an operand behind signs. The last minus before a number is part of that,
// unless another minus stands before it.
func (r *reader) signs(sign, function string) node {
	first, count := r.advance(), 1
	if sign == "-" && (r.token.kind == intNumber || r.token.kind == floatNumber) {
		return r.path(r.number(&first))
	}
	for _, ok := r.accept(sign); ok; _, ok = r.accept(sign) {
		count++
	}
	if sign == "!" && r.token.is("-") {
		minus := r.advance()
		if r.token.kind != intNumber && r.token.kind != floatNumber {
			r.unexpected()
		}
		return r.signed(first, count, function, func() node { return r.path(r.number(&minus)) })
	}
	return r.signed(first, count, function, r.member)
}

// signed reads an operand behind an odd or even count of signs.
func (r *reader) signed(first token, count int, function string, read func() node) node {
	if count%2 == 0 {
		return read()
	}
	id := r.of(first)
	operand := read()
	return r.join(r.factory.NewCall(id, function, operand.Expr), operand)
}
