// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Libraries never change, so that what a script does with one is known before it runs: a
// function that is not there, and a constant that no function takes, are mistakes wherever
// they stand. A strict chunk does not compile with one; of others they are warnings.

// looks reports whether mistakes of the chunk are looked for.
func (r *resolver) looks() bool { return r.source.Strict || r.source.Warn != nil }

// mistake records a mistake at an expression, as which what stands there.
func (r *resolver) mistake(rule string, e ast.Expr, what, message string) {
	if r.source.Strict {
		r.failRule(rule, e, what, "%s", message)
		return
	}
	r.source.Warn(r.broken(rule, r.at(e, what), message))
}

// broken returns the error of a source that breaks a rule.
func (r *resolver) broken(rule string, at script.Position, message string) *script.Error {
	e := r.source.fail(at, message)
	e.Rule = rule
	return e
}

// failRule notes that an expression, as which what stands there, breaks a rule.
func (r *resolver) failRule(rule string, e ast.Expr, what, format string, args ...any) {
	if r.failed == nil {
		r.unit.fail(r.broken(rule, r.at(e, what), fmt.Sprintf(format, args...)))
	}
}

// at returns the position of an expression, as which what stands there.
func (r *resolver) at(e ast.Expr, what string) script.Position {
	var p Place
	if r.source.Strict {
		p = startOf(r.source.Text, r.chunk, e) // there is one error
	} else {
		if r.places == nil {
			r.places = placesOf(r.source.Text, r.chunk)
		}
		p = r.places.Start(e)
	}
	if p.Line == e.Line() {
		return p.Position()
	}
	return script.Position{Line: e.Line(), Column: r.source.locate(e.Line(), what)}
}

// alias notes the expressions that local variables begin with, as far as they can stand for
// a library or a function of one.
func (r *resolver) alias(variables []*variable, values []ast.Expr) {
	if !r.looks() {
		return
	}
	for i, v := range variables[:min(len(variables), len(values))] {
		switch values[i].(type) {
		case *ast.IdentExpr, *ast.AttrGetExpr, *ast.FuncCallExpr:
			v.value = values[i]
		}
	}
}

// maxAliases is through how many variables a library is followed.
const maxAliases = 8

// constantOf returns the library, or the function of one, that an expression stands for in
// each run, nil where that is not known.
func (r *resolver) constantOf(e ast.Expr, aliases int) any {
	switch e := e.(type) {
	case *ast.IdentExpr:
		if v := r.aliases[e]; v != nil {
			if v.assigned || aliases == 0 {
				return nil
			}
			return r.constantOf(v.value, aliases-1)
		}
		if r.isConstant(e, r.references[e]) {
			return r.environment.globals[e.Value]
		}
	case *ast.AttrGetExpr:
		lib, isLibrary := r.constantOf(e.Object, aliases).(*library)
		if key, isText := e.Key.(*ast.StringExpr); isLibrary && isText {
			return lib.members[key.Value]
		}
	case *ast.FuncCallExpr:
		if callee, isName := e.Func.(*ast.IdentExpr); !isName || callee.Value != "require" {
			return nil
		}
		if name := r.moduleName(e); name != nil && r.environment.modules[name.Value] != nil {
			return r.environment.modules[name.Value]
		}
	}
	return nil
}

// checkLibraries finds the mistakes in the use of libraries, now that all that the chunk
// assigns is known.
func (r *resolver) checkLibraries() {
	for _, e := range r.members {
		key, isText := e.Key.(*ast.StringExpr)
		if lib, isLibrary := r.constantOf(e.Object, maxAliases).(*library); isLibrary && isText {
			r.checkMember(e, lib, describe(e), key.Value)
		}
	}
	for _, e := range r.calls {
		r.checkCall(e)
	}
}

// checkMember finds out whether a library has a function.
func (r *resolver) checkMember(e ast.Expr, lib *library, what, name string) {
	if lib.members[name] != nil {
		return
	}
	if reason, known := lib.absent[name]; known {
		r.mistake(lint.RemovedBuiltin, e, what, lib.name+"."+name+" is not available: "+reason)
		return
	}
	known := lib.names()
	message := "there is no function " + lib.name + "." + clip(name)
	if near := script.Nearest(name, known); near != "" {
		message += "; did you mean " + lib.name + "." + near + "?"
	} else {
		message += "; known are " + script.List(known)
	}
	r.mistake(lint.UnknownFunction, e, what, message)
}

// checkCall finds the mistakes in a call of a function of a library.
func (r *resolver) checkCall(e *ast.FuncCallExpr) {
	if e.Func == nil {
		lib, isLibrary := r.constantOf(e.Receiver, maxAliases).(*library)
		switch {
		case !isLibrary:
		case lib.members[e.Method] != nil:
			r.mistake(lint.WrongArgument, e, describe(e.Receiver)+":"+e.Method, colon(lib.name, e.Method))
		default:
			r.checkMember(e, lib, describe(e.Receiver)+":"+e.Method, e.Method)
		}
		return
	}
	fn, ok := r.constantOf(e.Func, maxAliases).(*native)
	if !ok || fn.kube == nil {
		return
	}
	n := len(e.Args)
	if n == 0 || !isMultiple(e.Args[n-1]) {
		if err := fn.kube.CheckCount(n); err != nil {
			r.mistake(lint.WrongArgument, e, describe(e.Func), fn.name+": "+err.Error())
			return
		}
	}
	for i, a := range e.Args {
		if err := checkConstant(fn.kube, i, a); err != nil {
			r.mistake(lint.WrongArgument, a, r.literal(a), fn.name+": "+err.Error())
			return
		}
	}
}

// checkConstant checks an argument as far as the source shows its value.
func checkConstant(f *builtin.Function, i int, e ast.Expr) error {
	switch v, whole := literal(e); {
	case whole:
		return f.CheckConstant(i, v)
	case v != nil:
		return f.Check(i, v)
	}
	return nil
}

// literal returns the value of a literal, and whether that is all of it: of a table with
// parts that are not constant, and of a function, only the type is right. It is nil and
// false for other expressions.
func literal(e ast.Expr) (v any, whole bool) {
	switch e := e.(type) {
	case *ast.NilExpr:
		return nil, true
	case *ast.TrueExpr, *ast.FalseExpr:
		return true, true
	case *ast.NumberExpr:
		return int64(1), true
	case *ast.StringExpr:
		return e.Value, true
	case *ast.FunctionExpr:
		return (*function)(nil), false
	case *ast.TableExpr:
		return literalTable(e)
	}
	return nil, false
}

func literalTable(e *ast.TableExpr) (v any, whole bool) {
	if len(e.Fields) == 0 {
		return []any{}, true
	}
	list := make([]any, 0, len(e.Fields))
	whole = true
	for _, f := range e.Fields {
		if f.Key != nil {
			return map[string]any{"": nil}, false
		}
		item, known := literal(f.Value)
		list, whole = append(list, item), whole && known
	}
	return list, whole
}

// literal returns the form in which a text stands in its line, "" for other literals.
func (r *resolver) literal(e ast.Expr) string {
	text, ok := e.(*ast.StringExpr)
	if !ok {
		return ""
	}
	line := r.source.line(e.Line())
	for _, quote := range [...]string{`"`, "'"} {
		if form := quote + text.Value + quote; strings.Contains(line, form) {
			return form
		}
	}
	return ""
}
