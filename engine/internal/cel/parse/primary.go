// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// reserved are the identifiers that no variable can have.
var reserved = map[string]bool{
	"as": true, "break": true, "const": true, "continue": true, "else": true, "for": true, "function": true, "if": true,
	"import": true, "let": true, "loop": true, "package": true, "namespace": true, "return": true, "var": true, "void": true, "while": true,
}

// member reads a primary expression and the path behind it.
func (r *reader) member() node { return r.path(r.primary()) }

// path reads the fields, indexes and method calls behind an operand.
func (r *reader) path(operand node) node {
	for {
		switch {
		case r.token.is("."):
			operand = r.field(operand, r.advance())
		case r.token.is("["):
			operand = r.index(operand, r.advance())
		case r.token.is("{") && isName(operand):
			r.fail(r.token.at, "a message cannot be made here; use a map")
		default:
			return operand
		}
	}
}

// isName reports whether an operand could be the name of a type of messages.
func isName(n node) bool {
	e := n.Expr
	for e.Kind() == ast.SelectKind {
		e = e.AsSelect().Operand()
	}
	return e.Kind() == ast.IdentKind
}

// field reads a field or a method call behind a dot.
func (r *reader) field(operand node, dot token) node {
	_, optional := r.accept("?")
	name := r.token
	if name.kind != identifier && name.kind != escaped {
		r.unexpected()
	}
	r.advance()
	if open, ok := r.token, r.token.is("("); ok && !optional && name.kind == identifier {
		r.advance()
		return r.invoke(open, name.text, &operand)
	}
	id := strings.Trim(name.text, "`")
	if optional {
		field := r.factory.NewLiteral(r.of(name), types.String(id))
		return r.join(r.factory.NewCall(r.of(dot), operators.OptSelect, operand.Expr, field), operand)
	}
	return r.join(r.factory.NewSelect(r.of(dot), operand.Expr, id), operand)
}

// index reads an index behind a bracket.
func (r *reader) index(operand node, open token) node {
	function := operators.Index
	if _, ok := r.accept("?"); ok {
		function = operators.OptIndex
	}
	id := r.of(open)
	key := r.expression()
	r.expect("]")
	return r.join(r.factory.NewCall(id, function, operand.Expr, key.Expr), operand, key)
}

// primary reads a name, a call, a literal, a list, a map, or an expression in brackets.
func (r *reader) primary() node {
	switch t := r.token; t.kind {
	case identifier:
		return r.name("")
	case intNumber, floatNumber:
		return r.number(nil)
	case uintNumber:
		r.advance()
		s, base := digits(t.text[:len(t.text)-1])
		v, err := strconv.ParseUint(s, base, 64)
		return r.literal(t, types.Uint(v), err, "invalid uint literal")
	case text:
		r.advance()
		return r.literal(t, types.String(unquote(t)), nil, "")
	case bytes:
		r.advance()
		return r.literal(t, types.Bytes(unquote(t)), nil, "")
	}
	t := r.advance()
	switch t.text {
	case ".":
		if r.token.kind == identifier {
			return r.name(".")
		}
	case "(":
		e := r.expression()
		r.expect(")")
		return e
	case "[":
		return r.list(t)
	case "{":
		return r.fields(t)
	case "true", "false":
		return r.literal(t, types.Bool(t.text == "true"), nil, "")
	case "null":
		return r.literal(t, types.NullValue, nil, "")
	default:
		r.token = t
	}
	r.unexpected()
	return node{}
}

// name reads a variable or a call of a function.
func (r *reader) name(dot string) node {
	t := r.advance()
	if reserved[t.text] {
		r.fail(t.at, "reserved identifier: %s", t.text)
	}
	if open, ok := r.accept("("); ok {
		return r.invoke(open, dot+t.text, nil)
	}
	return node{r.factory.NewIdent(r.of(t), dot+t.text), 1}
}

// literal returns the node of a constant.
func (r *reader) literal(t token, v ref.Val, err error, message string) node {
	if err != nil {
		r.fail(t.at, "%s", message)
	}
	return node{r.factory.NewLiteral(r.of(t), v), 1}
}

// number reads an int or a double behind a minus, or without one.
func (r *reader) number(minus *token) node {
	t := r.advance()
	s, base := t.text, 10
	if t.kind == intNumber {
		s, base = digits(t.text)
	}
	at := t
	if minus != nil {
		s, at = "-"+s, token{at: minus.at, length: t.length + 1}
	}
	if t.kind == floatNumber {
		v, err := strconv.ParseFloat(s, 64)
		return r.literal(at, types.Double(v), err, "invalid double literal")
	}
	v, err := strconv.ParseInt(s, base, 64)
	return r.literal(at, types.Int(v), err, "invalid int literal")
}

// digits splits a whole number into its digits and their base.
func digits(s string) (string, int) {
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		return hex, 16
	}
	return s, 10
}

// list reads the items of a list, up to the bracket that closes it.
func (r *reader) list(open token) node {
	id := r.of(open)
	var (
		items     []node
		optionals []int32
	)
	r.items("]", func() {
		if _, ok := r.accept("?"); ok {
			optionals = append(optionals, int32(len(items)))
		}
		items = append(items, r.expression())
	})
	return r.join(r.factory.NewList(id, expressions(items), optionals), items...)
}

// fields reads the entries of a map, up to the brace that closes it.
func (r *reader) fields(open token) node {
	id := r.of(open)
	var (
		entries []ast.EntryExpr
		below   []node
	)
	r.items("}", func() {
		entry := r.id(r.token.at, 0)
		_, optional := r.accept("?")
		key := r.expression()
		colon := r.expect(":")
		r.info.SetOffsetRange(entry, ast.OffsetRange{Start: colon.at, Stop: colon.at + colon.length})
		value := r.expression()
		entries = append(entries, r.factory.NewMapEntry(entry, key.Expr, value.Expr, optional))
		below = append(below, key, value)
	})
	return r.join(r.factory.NewMap(id, entries), below...)
}

// items reads what commas separate, up to a symbol. A comma can stand before that.
func (r *reader) items(closing string, read func()) {
	if _, ok := r.accept(","); ok {
		r.expect(closing)
		return
	}
	for !r.token.is(closing) {
		read()
		if _, ok := r.accept(","); !ok {
			break
		}
	}
	r.expect(closing)
}

// arguments reads the arguments of a call, up to the bracket that closes it.
func (r *reader) arguments() []node {
	if _, ok := r.accept(")"); ok {
		return nil
	}
	args := []node{r.expression()}
	for _, ok := r.accept(","); ok; _, ok = r.accept(",") {
		args = append(args, r.expression())
	}
	r.expect(")")
	return args
}

// expressions returns the trees of nodes.
func expressions(nodes []node) []ast.Expr {
	all := make([]ast.Expr, len(nodes))
	for i, n := range nodes {
		all[i] = n.Expr
	}
	return all
}
