// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/reads"
	"github.com/dragoman-io/dragoman/engine/script"
)

// What a function does with the fields that it reads. Whether a field is tested before one
// below it is read is not followed from statement to statement: a test anywhere in the function
// counts, so that what is left is read without any.

// indexedPath is a path of which a field is read, and where.
type indexedPath struct {
	path *reads.Path
	at   ast.Expr
}

// condition reads an expression that is tested.
func (f *fieldReads) condition(e ast.Expr, scope *reads.Scope) {
	f.expression(e, scope)
	if p := f.path(e, scope); p != nil {
		f.tested[p.Key()] = true
	}
}

func (f *fieldReads) conditions(all []ast.Expr, scope *reads.Scope) {
	for _, e := range all {
		f.condition(e, scope)
	}
}

// reached notes that a path is read in a way that takes what is absent: all that is above it
// may be tested by that, and it itself where it has a default.
func (f *fieldReads) reached(p *reads.Path, hasDefault bool) {
	for i := range p.Steps {
		f.tested[(&reads.Path{Param: p.Param, Steps: p.Steps[:i]}).Key()] = true
	}
	if hasDefault {
		f.tested[p.Key()] = true
	}
}

// holds notes that conditions of a path are tested.
func (f *fieldReads) holds(p *reads.Path) {
	if p != nil {
		f.reached(p.Below("status", "conditions", anyElement), true)
	}
}

// index notes that a field of an expression is read.
func (f *fieldReads) index(e ast.Expr, scope *reads.Scope) {
	if p := f.path(e, scope); p != nil && len(p.Steps) > 0 && !p.Chosen {
		f.indexed = append(f.indexed, indexedPath{p, e})
	}
}

// untested adds the paths of which fields are read and that nothing tests, each once.
func (f *fieldReads) untested() {
	for _, i := range f.indexed {
		key := i.path.Key()
		if f.tested[key] {
			continue
		}
		f.tested[key] = true
		use := script.Indexed
		if i.path.Answer {
			use = script.IndexedAnswer
		}
		f.add(use, i.path, i.at)
	}
}

// computed notes that an expression is an operand of arithmetic.
func (f *fieldReads) computed(e ast.Expr, scope *reads.Scope) {
	f.add(script.Computed, f.path(e, scope), e)
}

// compared notes that an expression is compared with another one, where that is constant.
func (f *fieldReads) compared(e, with ast.Expr, scope *reads.Scope) {
	p := f.path(e, scope)
	if p == nil || p.Chosen {
		return
	}
	switch with.(type) {
	case *ast.StringExpr:
		f.add(script.ComparedText, p, e)
	case *ast.NumberExpr:
		f.add(script.ComparedNumber, p, e)
	}
}

// assign notes the fields that a statement assigns.
func (f *fieldReads) assign(s *ast.AssignStmt, scope *reads.Scope) {
	for i, target := range s.Lhs {
		p := f.path(target, scope)
		if _, isField := target.(*ast.AttrGetExpr); !isField || p == nil {
			continue
		}
		f.tested[p.Key()] = true
		f.add(script.Written, p, target)
		if i < len(s.Rhs) {
			f.empty(p, s.Rhs[i], target)
		}
	}
}

// empty notes the empty tables in what is assigned to a path.
func (f *fieldReads) empty(p *reads.Path, value, at ast.Expr) {
	t, ok := value.(*ast.TableExpr)
	if !ok {
		return
	}
	if len(t.Fields) == 0 {
		f.add(script.SetEmpty, p, at)
	}
	for _, field := range t.Fields {
		if key, ok := field.Key.(*ast.StringExpr); ok {
			f.empty(p.Below(key.Value), field.Value, key)
		}
	}
}
