// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
)

// Env is what an expression can name. It is immutable.
type Env struct {
	functions map[string][]overload
	variables map[string]*decls.VariableDecl
	provider  types.Provider
	fields    []fields
}

// fields are the only fields of a variable.
type fields struct {
	variable, what string
	known          []string
}

// overload is one form of a function.
type overload struct {
	id     string
	member bool
	result *types.Type
	args   []*types.Type
	// params are the names of the type parameters.
	params []string
}

// NewEnv returns the functions, variables and types of an environment of cel-go that has
// no container, disables no overload, and lets lists and maps have items of any type.
func NewEnv(from *cel.Env) *Env {
	e := &Env{functions: map[string][]overload{}, provider: from.CELTypeProvider()}
	for name, f := range from.Functions() {
		if f.IsDeclarationDisabled() {
			continue
		}
		for _, o := range f.OverloadDecls() {
			e.functions[name] = append(e.functions[name], overload{o.ID(), o.IsMemberFunction(), o.ResultType(), o.ArgTypes(), o.TypeParams()})
		}
	}
	return e.With(from.Variables())
}

// With returns an environment with the functions of e and some variables.
func (e *Env) With(variables []*decls.VariableDecl) *Env {
	extended := *e
	extended.variables = make(map[string]*decls.VariableDecl, len(variables))
	for _, v := range variables {
		extended.variables[v.Name()] = v
	}
	return &extended
}

// WithFields returns e with the only fields that a variable has; what names one in messages.
func (e *Env) WithFields(variable, what string, known []string) *Env {
	limited := *e
	limited.fields = append(slices.Clone(e.fields), fields{variable, what, known})
	return &limited
}

// function returns the overloads of a function and its full name, nil where there is none.
func (e *Env) function(name string) ([]overload, string) {
	name = strings.TrimPrefix(name, ".")
	return e.functions[name], name
}

// global returns a variable, or a type or constant that can be named like one.
func (e *Env) global(name string) *decls.VariableDecl {
	name = strings.TrimPrefix(name, ".")
	if v, ok := e.variables[name]; ok {
		return v
	}
	if v, ok := e.provider.FindIdent(name); ok {
		if t, ok := v.(*types.Type); ok {
			return decls.NewVariable(name, types.NewTypeTypeWithParam(t))
		}
	}
	if t, ok := e.provider.FindStructType(name); ok {
		return decls.NewVariable(name, t)
	}
	if v := e.provider.EnumValue(name); v.Type() != types.ErrType {
		return decls.NewConstant(name, types.IntType, v)
	}
	return nil
}

// scope holds the variables of a loop, and what is around it. A nil scope is empty.
type scope struct {
	around *scope
	name   string
	typ    *types.Type
}

// find returns the type of a variable of a loop.
func (s *scope) find(name string) (*types.Type, bool) {
	for ; s != nil; s = s.around {
		if s.name == name {
			return s.typ, true
		}
	}
	return nil, false
}
