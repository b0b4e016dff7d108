// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// What a program keeps in memory is counted while its names are resolved: for each node
// the node itself, which messages describe, and the closure that it becomes. The numbers
// are the most that a node of its kind takes; what grows by append counts twice.
const (
	// programSize is what a program of no statement keeps.
	programSize = 1200
	// globalSize is what a global takes: its name, and its value before the run.
	globalSize = 64
	// captureSize is what a variable that a function captures takes.
	captureSize = 32
	// itemSize is an expression in a list, name one in a list of names.
	itemSize = 40
	nameSize = 56
	// stepSize is a statement in a block.
	stepSize = 48
	// blockSize is a block of statements in another.
	blockSize = 64
	// functionSize is a function without its statements.
	functionSize = 336
	// fieldSize is a field of a constructor.
	fieldSize = 168
	// keySize is a key of a path that is divided at compile time.
	keySize = 64
)

// textSize is what a text takes, with what its memory is rounded up by.
func textSize(s string) int64 {
	if len(s) <= 1 {
		return 0
	}
	return int64(len(s)+len(s)/4) + 16
}

// own returns the text of a node that the program keeps, one for all equal texts.
func (r *resolver) own(text string) string {
	if known, ok := r.texts[text]; ok {
		return known
	}
	r.texts[text] = text
	r.size += textSize(text)
	return text
}

// measureName adds what a name takes that is read or assigned.
func (r *resolver) measureName(e *ast.IdentExpr) {
	e.Value = r.own(e.Value)
	r.size += 64
}

// measure adds what an expression other than a name takes, without those inside it.
func (r *resolver) measure(e ast.Expr) {
	switch e := e.(type) {
	case *ast.StringExpr:
		e.Value = r.own(e.Value)
		r.size += 72
	case *ast.NumberExpr:
		e.Value = r.own(e.Value)
		r.size += 72
	case *ast.AttrGetExpr:
		r.size += 96
	case *ast.TableExpr:
		r.size += 112 + int64(len(e.Fields))*fieldSize
	case *ast.FuncCallExpr:
		e.Method = r.own(e.Method)
		r.size += 240 + int64(len(e.Args))*itemSize + pathSize(e)
	case *ast.LogicalOpExpr, *ast.RelationalOpExpr, *ast.ArithmeticOpExpr, *ast.StringConcatOpExpr:
		r.size += 128
	case *ast.FunctionExpr:
		r.size += functionSize + int64(len(e.ParList.Names))*nameSize
	case *ast.IdentExpr:
	default:
		r.size += 56
	}
}

// pathSize is what the path of a call of kube.get takes besides, if e is one.
func pathSize(e *ast.FuncCallExpr) int64 {
	if len(e.Args) < 2 {
		return 0
	}
	switch path := e.Args[1].(type) {
	case *ast.StringExpr:
		return int64(min(1+strings.Count(path.Value, "."), longestPath)) * keySize
	case *ast.TableExpr:
		return int64(len(path.Fields)) * keySize
	}
	return 0
}

// measureStatement adds what a statement takes without its expressions and statements.
func (r *resolver) measureStatement(s ast.Stmt) {
	r.size += stepSize
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		r.size += 48 + int64(len(s.Names)+len(s.Exprs))*nameSize
	case *ast.AssignStmt:
		r.size += 64 + int64(len(s.Lhs))*(96+itemSize) + int64(len(s.Rhs))*itemSize
	case *ast.FuncDefStmt:
		r.size += 128
	case *ast.ReturnStmt:
		r.size += 48 + int64(len(s.Exprs))*itemSize
	case *ast.IfStmt:
		r.size += int64(len(branches(s))) * 2 * blockSize
	case *ast.GenericForStmt:
		r.size += 320 + blockSize + int64(len(s.Names))*nameSize + int64(len(s.Exprs))*itemSize
	case *ast.NumberForStmt:
		r.size += 320 + blockSize
	case *ast.BreakStmt:
	default:
		r.size += 64 + blockSize
	}
}
