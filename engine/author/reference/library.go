// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"

	"github.com/dragoman-io/dragoman/engine/internal/cel"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// LuaFunctions lists the names of all functions that a script in Lua can call, such as
// string.rep and kube.get, sorted. It is read from the tables that the engine uses.
func LuaFunctions() []string { return lua.Functions() }

// LuaSyntax returns a *script.Error for a text that is no Lua, nil for any other. What its names
// and modules are does not matter.
func LuaSyntax(file, text string) error {
	return lua.Syntax(lua.Script{File: file, Text: text})
}

// Call is a way in which an expression in CEL can call a function, an operator or a macro.
type Call struct {
	// Function is its name as cel-go has it, such as contains or _+_; Overload is which
	// of several, "" for a macro.
	Function, Overload string
	// Form is a call in which $ stands for each argument, such as $.contains($). That of
	// a macro is its name.
	Form string
	// Args are the types of the arguments.
	Args []string
	// Macro reports whether it is one.
	Macro bool
}

// CELCalls lists what an expression in CEL can call, but for the functions of kube, which
// take any values. It is sorted, and read from the environment that the engine uses.
func CELCalls() ([]Call, error) {
	c, err := cel.New(nil)
	if err != nil {
		return nil, fmt.Errorf("make the CEL environment: %w", err)
	}
	var all []Call
	for _, call := range c.Calls() {
		all = append(all, Call(call))
	}
	return all, nil
}
