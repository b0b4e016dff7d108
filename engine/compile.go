// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/internal/cel"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Compiler compiles scripts: Compile for a program that embeds the engine, Customization
// for the objects of the API, Lua and CEL for whoever makes rules by itself, as package
// bundle does. It holds what all scripts share, so one is enough for a process. A script
// that it compiled before, and whose program is still in use, is looked up and not
// compiled again. It is safe for many goroutines.
type Compiler struct {
	// Limits bound sources, and runs that try a script; zero fields take
	// script.DefaultLimits. It is set before the first use.
	Limits script.Limits

	cel *cel.Compiler
	// programs are what was compiled, shared the modules of bundles.
	programs kept[compiled]
	shared   kept[lua.Modules]
}

// NewCompiler returns a compiler with the functions of package builtin. It is safe for
// many goroutines. The first call of a process sets the ids of three error values that
// cel-go shares between its programs; a program that uses cel-go by itself makes this
// call first.
func NewCompiler() (*Compiler, error) {
	var functions []cel.Function
	for _, f := range builtin.Functions() {
		functions = append(functions, celFunction(f))
	}
	c, err := cel.New(functions)
	if err != nil {
		return nil, fmt.Errorf("make the CEL environment: %w", err)
	}
	return &Compiler{cel: c}, nil
}

// maxVariadic is how many arguments a variadic function takes in CEL, which knows no
// such functions.
const maxVariadic = 16

// celFunction returns a function in the form that CEL wants: with bounds for the number
// of its arguments.
func celFunction(f builtin.Function) cel.Function {
	least, most := f.Arguments()
	if most < 0 {
		most = maxVariadic
	}
	check := func(i int, v any, whole bool) error {
		if whole {
			return f.CheckConstant(i, v)
		}
		return f.Check(i, v)
	}
	return cel.Function{Name: f.Name, Min: least, Max: most, InPlace: f.InPlace, Work: f.Work, Check: check}
}

// Script is a script before it is compiled.
type Script struct {
	// File names the script in messages.
	File      string
	Text      string
	Operation Op
	// Expression reports to Compile that Text is one CEL expression, and not a Lua chunk.
	// The methods Lua and CEL do not look at it.
	Expression bool
	// Limits lower those of the compiler for this script; zero fields and larger ones
	// change nothing.
	Limits script.Limits
	// Params are what the main chunk of a script finds in params.
	Params map[string]any
	// Modules are the chunks that a script can require; nil is none.
	Modules *Modules
	// Module is the name of the module that the script is, such as lib.memory; "" is
	// none. A module returns a table of functions, of which Function is the one that
	// answers the operation; with "" the module is compiled for itself. All scripts
	// that are one module share one program.
	Module   string
	Function string
	// Strict refuses a script that assigns to a global, other than to define a
	// function, or reads one that nothing defines.
	Strict bool
	// Warn takes the mistakes of a script that is not strict and that Strict would refuse; nil
	// looks for none. A script with it is compiled, also where it was compiled before.
	Warn func(*script.Error)
	// Coverage counts the lines that run; nil counts nothing.
	Coverage *script.Coverage
	// Recording is told what the script does as it runs; nil records nothing. A script with
	// it is compiled, also where it was compiled before.
	Recording *script.Recording
}

// Lua compiles a chunk, and runs its main chunk to see that it defines the function
// of the operation, or of a module that it returns one.
//
// The error is a *script.Error: the chunk does not parse, its main chunk fails, or
// the function is missing; the last names what is there instead. Only that of an
// operation that does not exist is not.
func (c *Compiler) Lua(u Script) (script.Program, error) {
	program, err := c.compile("lua", u, c.compileLua)
	if err != nil || u.Function == "" {
		return program, err
	}
	op, err := u.operation()
	if err != nil {
		return nil, err
	}
	u.Limits = c.limits(u.Limits)
	if failure := noEntry(program, u, op, u.Function); failure != nil {
		return nil, &script.Error{Code: script.Syntax, Position: script.Position{File: u.File}, Message: failure.Message}
	}
	if failure := missingReturn(u, program, u.Function); failure != nil {
		return nil, failure
	}
	return program, nil
}

// CEL compiles an expression. The error is a *script.Error, but for that of an
// operation that does not exist, and of a module: an expression cannot be one.
func (c *Compiler) CEL(u Script) (script.Program, error) {
	if u.Module != "" && u.Function == "" {
		return nil, fmt.Errorf("%s: an expression is no module", u.File)
	}
	return c.compile("cel", u, c.compileCEL)
}

// compile compiles a script within the limits of the compiler, unless it is known.
func (c *Compiler) compile(language string, u Script, compile func(Script, *Operation) (script.Program, error)) (script.Program, error) {
	op, err := u.operation()
	if err != nil {
		return nil, err
	}
	u.Limits = c.limits(u.Limits)
	fresh := func() (*compiled, error) {
		program, err := compile(u, op)
		return &compiled{program, u.File}, err
	}
	get := func() (*compiled, error) { return c.programs.get(u.fingerprint(language), fresh) }
	if u.Coverage != nil || u.Warn != nil || u.Recording != nil {
		get = fresh
	}
	program, err := get()
	if err != nil {
		return nil, err
	}
	return program, nil
}

// operation describes the operation of a script; it is nil for a module that is compiled
// by itself.
func (u Script) operation() (*Operation, error) {
	if u.Module != "" && u.Function == "" {
		return nil, nil
	}
	e, err := entryOf(u.Operation)
	if err != nil {
		return nil, err
	}
	return e.describe(), nil
}

// limits returns the limits of the compiler, lowered by l.
func (c *Compiler) limits(l script.Limits) script.Limits {
	return c.Limits.Or(script.DefaultLimits()).AtMost(l)
}

// compileLua compiles a chunk, runs it, and looks for the function of the operation.
func (c *Compiler) compileLua(u Script, op *Operation) (script.Program, error) {
	program, err := lua.Compile(u.lua(c.modules(u)), u.Limits)
	if err != nil {
		return nil, err
	}
	main := &script.Call{Params: u.Params, Limits: u.Limits}
	if _, err := program.Run(main, decoderFunc(ignoreResults)); err != nil {
		return nil, err
	}
	if u.Module == "" && noEntry(program, u, op, op.Entry) != nil {
		return nil, missingEntry(u, op.Entry)
	}
	if u.Module == "" {
		if failure := missingReturn(u, program, op.Entry); failure != nil {
			return nil, failure
		}
	}
	return program, nil
}

func (c *Compiler) compileCEL(u Script, op *Operation) (script.Program, error) {
	variables := make([]cel.Variable, 0, len(op.Params))
	for _, p := range op.Params {
		variables = append(variables, cel.Variable{Name: p.Name, Type: p.Kind.variableType()})
	}
	program, err := c.cel.CompileSource(cel.Source{
		File: u.File, Text: u.Text, Variables: variables,
		Strict: u.Strict, Params: slices.Sorted(maps.Keys(u.Params)), Warn: u.Warn, Recording: u.Recording,
	}, u.Limits)
	if err != nil {
		return nil, err
	}
	return cel.Covered(program, u.Coverage), nil
}

// lua returns the script in the form of package lua.
func (u Script) lua(modules *lua.Modules) lua.Script {
	return lua.Script{
		File: u.File, Text: u.Text, Module: u.Module, Modules: modules,
		Strict: u.Strict, Params: slices.Sorted(maps.Keys(u.Params)), Coverage: u.Coverage, Recording: u.Recording, Warn: u.Warn,
	}
}
