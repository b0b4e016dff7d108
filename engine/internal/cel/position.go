// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

// fail makes an error at a node, at the whole expression where the node is not known.
func (p *program) fail(code script.Code, id int64, message string) *script.Error {
	at := p.at(id)
	if at.Line == 0 && p.tree != nil {
		at = p.at(p.tree.Expr().ID())
	}
	return &script.Error{Code: code, Position: at, Message: diag.Clip(message), Snippet: snippet(p.source, at.Line, at.Column)}
}

// at returns the position of a node, the file alone where that is not known.
func (p *program) at(id int64) script.Position {
	at := script.Position{File: p.file}
	if p.tree != nil && id > 0 {
		if _, ok := p.tree.SourceInfo().GetOffsetRange(id); ok {
			found := place(p.tree.SourceInfo().GetStartLocation(id))
			at.Line, at.Column = found.Line, found.Column
		}
	}
	return at
}

// node finds a node by its id.
func (p *program) node(id int64) ast.Expr {
	var found ast.Expr
	if id > 0 {
		ast.PreOrderVisit(p.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			if e.ID() == id && found == nil {
				found = e
			}
		}))
	}
	return found
}

// step finds the innermost step of a path that reads key.
func step(path ast.Expr, key string) ast.Expr {
	found := path
	for e := path; e != nil; {
		switch {
		case e.Kind() == ast.SelectKind:
			if e.AsSelect().FieldName() == key {
				found = e
			}
			e = e.AsSelect().Operand()
		case e.Kind() == ast.CallKind && len(e.AsCall().Args()) > 0 && !e.AsCall().IsMemberFunction():
			if args := e.AsCall().Args(); len(args) == 2 && args[1].Kind() == ast.LiteralKind && fmt.Sprint(args[1].AsLiteral().Value()) == key {
				found = e
			}
			e = e.AsCall().Args()[0]
		default:
			return found
		}
	}
	return found
}

// form returns the source form of a path such as object.status.jobs[0], or "".
func form(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.SelectKind:
		if operand := form(e.AsSelect().Operand()); operand != "" {
			return operand + "." + e.AsSelect().FieldName()
		}
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case roundFunction, keyFunction, rangeFunction, entryFunction:
			return form(c.Args()[0])
		case operators.Index:
			operand, key := form(c.Args()[0]), form(c.Args()[1])
			if operand != "" && key != "" {
				return operand + "[" + key + "]"
			}
		}
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.String:
			return strconv.Quote(string(v))
		case types.Int:
			return strconv.FormatInt(int64(v), 10)
		}
	}
	return ""
}

// position returns the line and column of a character of a source, counted from 0.
func position(source string, offset int32) (line, column int) {
	line, column = 1, 1
	for _, c := range source {
		if offset == 0 {
			break
		}
		offset--
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}

// place turns a location of cel-go, where columns start at 0, into ours.
func place(l common.Location) script.Position {
	if l == nil || l.Line() < 1 || l.Column() < 0 {
		return script.Position{}
	}
	return script.Position{Line: l.Line(), Column: l.Column() + 1}
}

// snippet shows a line of a source with a caret under a column, or is "".
func snippet(source string, line, column int) string {
	lines := strings.Split(source, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return diag.Snippet(lines[line-1], column)
}
