// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
	"github.com/dragoman-io/dragoman/engine/script"
)

// maxMistakes is how many mistakes of one script are returned.
const maxMistakes = 50

// Mistakes returns what the scripts of a customization have that a bundle may not: names that
// nothing defines, functions and parameters that do not exist, paths that lead nowhere, and
// functions that end without a return. The published form allows all of it, so that none of
// them is an error. It returns nothing for scripts that do not compile.
func (c *Compiler) Mistakes(cr *configv1alpha1.ResourceInterpreterCustomization) []*FieldError {
	var all []*FieldError
	scripts := maps.Collect(cr.Spec.Customizations.Scripts())
	for _, found := range operations {
		op := found.describe()
		s := scripts[op.Field]
		if s == nil || (s.LuaScript == "") == (s.CELExpression == "") {
			continue
		}
		path := "spec.customizations." + op.Field + ".luaScript"
		unit := Script{File: cr.Name + "/" + op.Field + ".luaScript", Text: s.LuaScript, Operation: op.Name}
		if s.LuaScript == "" {
			path = "spec.customizations." + op.Field + ".celExpression"
			unit = Script{File: cr.Name + "/" + op.Field + ".celExpression", Text: s.CELExpression, Operation: op.Name, Expression: true}
		}
		for _, e := range c.mistakes(unit, op) {
			all = append(all, &FieldError{path, e})
		}
	}
	return all
}

// mistakes returns the mistakes of one script.
func (c *Compiler) mistakes(u Script, op *Operation) []error {
	var all []error
	u.Warn = func(e *script.Error) {
		if len(all) < maxMistakes {
			all = append(all, script.Finish(e, script.Position{}))
		}
	}
	compile := c.Lua
	if u.Expression {
		compile = c.CEL
	}
	program, err := compile(u)
	if err != nil {
		return nil
	}
	if failure := withoutReturn(program, op.Entry); failure != nil {
		u.Warn(failure)
	}
	return all
}

// missingReturn returns where a function of a strict script ends without a return that it
// should have, nil where it does not.
func missingReturn(u Script, program script.Program, function string) error {
	if !u.Strict {
		return nil
	}
	if failure := withoutReturn(program, function); failure != nil {
		return script.Finish(failure, script.Position{})
	}
	return nil
}

// withoutReturn is lua.MissingReturn for a program of a compiler.
func withoutReturn(program script.Program, function string) *script.Error {
	if c, wrapped := program.(*compiled); wrapped {
		program = c.Program
	}
	return lua.MissingReturn(program, function)
}
