// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/internal/cel/check"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Source is an expression before compilation.
type Source struct {
	// File names the expression in messages.
	File, Text string
	// Variables are the arguments, by the names of Call.Names.
	Variables []Variable
	// Strict refuses fields of params that are none of Params, and arguments of functions that
	// are known before the expression runs and wrong.
	Strict bool
	// Params are the names of the parameters.
	Params []string
	// Fields are the only fields of some variables, which Strict refuses others of.
	Fields []Fields
	// Condition refuses an expression whose value cannot be true or false.
	Condition bool
	// Warn takes what Strict would refuse, and compiles all the same; nil looks for nothing.
	Warn func(*script.Error)
	// Recording is told what the parts of the expression are; nil records nothing.
	Recording *script.Recording
}

// Fields are the only fields that a variable has.
type Fields struct {
	Variable string
	// What names a field in messages.
	What  string
	Known []string
}

// mistakes returns what is wrong with the arguments of functions that the source shows.
func (c *Compiler) mistakes(p *program) []check.Fault {
	var faults []check.Fault
	ast.PreOrderVisit(p.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		f, ours := c.functions[e.AsCall().FunctionName()]
		if !ours || f.Check == nil {
			return
		}
		for i, arg := range e.AsCall().Args() {
			v, known, whole := constant(arg)
			if !known {
				continue
			}
			if err := f.Check(i, v, whole); err != nil {
				faults = append(faults, check.Fault{Node: arg.ID(), Message: functionPrefix + f.Name + ": " + err.Error(), Rule: lint.WrongArgument})
				return
			}
		}
	}))
	return faults
}

// constant returns the plain value of a literal: whether it is one, and whether that is all of
// it. Of a list or a map with parts that are no literals only the type is right.
func constant(e ast.Expr) (v any, known, whole bool) {
	switch e.Kind() {
	case ast.LiteralKind:
		switch x := e.AsLiteral().(type) {
		case types.Null:
			return nil, true, true
		case types.String, types.Bool:
			return x.Value(), true, true
		case types.Int, types.Uint, types.Double:
			return int64(1), true, true
		}
	case ast.ListKind:
		list := []any{}
		whole = true
		for _, element := range e.AsList().Elements() {
			item, isKnown, all := constant(element)
			list, whole = append(list, item), whole && isKnown && all
		}
		return list, true, whole
	case ast.MapKind:
		if e.AsMap().Size() == 0 {
			return map[string]any{}, true, true
		}
		return map[string]any{"": nil}, true, false
	}
	return nil, false, false
}

// undeclared begins the fault of a name that nothing has.
const undeclared = "undeclared reference to '"

// variableHint names the variables that there are, and the one that was probably meant, where
// a fault is about another one and there are few faults.
func variableHint(faults []check.Fault, known []string) string {
	if len(faults) > maxIssues {
		return ""
	}
	for _, f := range faults {
		name, ok := strings.CutPrefix(f.Message, undeclared)
		name, ok2 := strings.CutSuffix(name, "'")
		if !ok || !ok2 || strings.ContainsAny(name, ".@") {
			continue
		}
		list := "; known are " + script.List(known)
		if near := nearVariable(name, known); near != "" {
			return "; did you mean " + near + "?" + strings.Replace(list, "; known", " Known", 1)
		}
		return list
	}
	return ""
}

// nearVariable returns the variable that was probably meant by a name, or "": a name of one or
// two letters is near to all, and a longer one may be the beginning.
func nearVariable(name string, known []string) string {
	if len(name) < 3 {
		return ""
	}
	for _, v := range known {
		if strings.HasPrefix(v, name) {
			return v
		}
	}
	return script.Nearest(name, known)
}

// unknownFunctions makes one fault of the two that a call of a function which is not there
// has: that of kube, and that of the name.
func (c *Compiler) unknownFunctions(faults []check.Fault) []check.Fault {
	var known []string
	for name := range c.functions {
		known = append(known, name)
	}
	slices.Sort(known)
	var all []check.Fault
	for i := 0; i < len(faults); i++ {
		f := faults[i]
		if f.Message == undeclared+"kube'" && i+1 < len(faults) {
			if name, ok := strings.CutPrefix(faults[i+1].Message, undeclared); ok {
				name = functionPrefix + strings.TrimSuffix(name, "'")
				f.Message, f.Rule = script.Unknown("function", name, known), lint.UnknownFunction
				i++
			}
		}
		all = append(all, f)
	}
	return all
}
