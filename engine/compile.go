package engine

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/cel"
	"github.com/dragoman-io/dragoman/engine/lua"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Compiler makes programs of scripts. It holds what all scripts share, so one is
// enough for a process. It is safe for many goroutines.
type Compiler struct {
	cel *cel.Compiler
}

// NewCompiler gives a compiler with the functions of package builtin.
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

// celFunction gives a function in the form that CEL wants: with bounds for the number
// of its arguments.
func celFunction(f builtin.Function) cel.Function {
	least := 0
	for _, p := range f.Params {
		if !p.Optional {
			least++
		}
	}
	most := len(f.Params)
	if f.Variadic {
		most = maxVariadic
	}
	return cel.Function{Name: f.Name, Min: least, Max: most, Call: f.Call}
}

// Unit is a script before it is compiled.
type Unit struct {
	// File names the script in messages.
	File      string
	Source    string
	Operation Operation
	// Limits bound the source, and the runs that test a chunk; zero fields take the
	// default.
	Limits script.Limits
	// Params are what the main chunk of a script finds in params.
	Params map[string]any
}

// Lua compiles a chunk, and runs its main chunk to see that it defines the function
// of the operation.
//
// The error is a *script.Error: the chunk does not parse, its main chunk fails, or
// the function is missing; the last names what is there instead.
func (c *Compiler) Lua(u Unit) (script.Program, error) {
	program, err := lua.Compile(lua.Source{File: u.File, Text: u.Source}, u.Limits)
	if err != nil {
		return nil, err
	}
	main := &script.Call{Params: u.Params, Limits: u.Limits.Or(script.DefaultLimits)}
	if _, err := program.Run(main, taker(ignore)); err != nil {
		return nil, err
	}
	if !hasEntry(program, u) {
		return nil, missingEntry(u)
	}
	return program, nil
}

// CEL compiles an expression. The error is a *script.Error.
func (c *Compiler) CEL(u Unit) (script.Program, error) {
	return c.cel.Compile(u.File, u.Source, u.Operation.Params, u.Limits)
}

// Smoke runs a rule once on an object that has nothing but its identity, and says
// whether it is fit to be activated: a run that meets a limit or breaks the engine
// is an error. That a script fails otherwise on so bare an object is its right.
func (c *Compiler) Smoke(kind schema.GroupVersionKind, op Operation, rule *Rule) error {
	call := &script.Call{Entry: op.Entry, Names: op.Params, Params: rule.Params, Limits: rule.Limits.Or(script.DefaultLimits)}
	for _, name := range op.Params {
		call.Args = append(call.Args, bareArgument(name, kind))
	}
	_, err := rule.Program.Run(call, taker(ignore))
	var failure *script.Error
	if errors.As(err, &failure) {
		switch failure.Code {
		case script.Gas, script.Memory, script.Depth, script.Internal:
			return fmt.Errorf("a run on an empty %s failed: %w", kind.Kind, err)
		}
	}
	return nil
}

// bareArgument gives the least value of a parameter.
func bareArgument(name string, kind schema.GroupVersionKind) any {
	switch name {
	case "items":
		return []any{}
	case "replicas":
		return int64(1)
	case "state":
		return map[string]any{}
	}
	apiVersion, kindName := kind.ToAPIVersionAndKind()
	return map[string]any{
		"apiVersion": apiVersion,
		"kind":       kindName,
		"metadata":   map[string]any{"namespace": "smoke", "name": "smoke"},
	}
}

// taker makes a script.Taker of a function.
type taker func([]any) error

// Take calls the function.
func (t taker) Take(results []any) error { return t(results) }

func ignore([]any) error { return nil }

// hasEntry says whether the program has the function of its operation. The program
// tells it: an error of a call that stands at no line came before the call.
func hasEntry(program script.Program, u Unit) bool {
	op := u.Operation
	call := &script.Call{Entry: op.Entry, Args: make([]any, len(op.Params)), Params: u.Params, Limits: u.Limits.Or(script.DefaultLimits)}
	_, err := program.Run(call, taker(ignore))
	var failure *script.Error
	return !errors.As(err, &failure) || failure.Line > 0 || len(failure.Trace) > 0 || failure.Code != script.Type
}

// defined finds the functions that a chunk defines by name.
var defined = regexp.MustCompile(`(?m)^[ \t]*(local[ \t]+)?function[ \t]+([A-Za-z_][\w.:]*)|^[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*function\b`)

// missingEntry says that a chunk lacks the function of its operation, at the line
// of the one that was probably meant for it.
func missingEntry(u Unit) error {
	source, entry := u.Source, u.Operation.Entry
	e := script.Errorf(script.Syntax, "the script does not define the function %s", entry)
	e.File, e.Line = u.File, 1
	var names []string
	lines := map[string]int{}
	for _, m := range defined.FindAllStringSubmatchIndex(source, -1) {
		at := m[4]
		if at < 0 {
			at = m[6]
		}
		name := source[at:max(m[5], m[7])]
		if m[2] >= 0 && name == entry {
			e.Line = 1 + strings.Count(source[:at], "\n")
			e.Message = fmt.Sprintf("the function %s is local; remove the word local", entry)
			return e
		}
		names = append(names, name)
		lines[name] = 1 + strings.Count(source[:at], "\n")
	}
	switch near := script.Nearest(entry, names); {
	case near != "":
		e.Line = lines[near]
		e.Message += fmt.Sprintf("; is %s meant for it?", near)
	case len(names) > 0:
		e.Line = lines[names[0]]
		e.Message += "; it defines " + strings.Join(names, ", ")
	}
	return e
}
