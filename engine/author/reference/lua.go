// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
)

// luaMark is the first lines of the definition file, and luaHeader its beginning.
const luaMark = "---@meta\n-- Written by dragoman docs kube -o lua.\n"

const luaHeader = luaMark + `
---The parameters of the bundle of a script.
---@type table<string, any>
params = {}

---What one cluster reports of an object.
---@class StatusItem
---@field clusterName string
---@field status? table<string, any>
---@field applied? boolean
---@field appliedMessage? string
---@field health? string

---Functions for all scripts. They never change their arguments.
---@class kube
kube = {}
`

// luaDefinitions writes a definition file for the Lua language server.
func luaDefinitions(w io.Writer, functions []builtin.Function, operations []engine.Operation) error {
	var b strings.Builder
	b.WriteString(luaHeader)
	for _, f := range functions {
		luaFunction(&b, f)
	}
	for _, op := range operations {
		luaEntry(&b, op, "")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// luaFunction writes one function of kube.
func luaFunction(b *strings.Builder, f builtin.Function) {
	b.WriteString("\n" + wrapped("---", f.Doc))
	least, _ := f.Arguments()
	var names []string
	for i, p := range f.Params {
		switch last := i == len(f.Params)-1; {
		case f.Variadic && last:
			fmt.Fprintf(b, "---@param ... %s %s\n", luaType(p.Type+" or nil"), p.Name)
			names = append(names, "...")
			continue
		case p.Optional && i >= least:
			fmt.Fprintf(b, "---@param %s? %s\n", p.Name, luaType(p.Type))
		case p.Optional:
			fmt.Fprintf(b, "---@param %s %s\n", p.Name, luaType(p.Type+" or nil"))
		default:
			fmt.Fprintf(b, "---@param %s %s\n", p.Name, luaType(p.Type))
		}
		names = append(names, p.Name)
	}
	fmt.Fprintf(b, "---@return %s\n", luaType(f.Result))
	fmt.Fprintf(b, "function kube.%s(%s) end\n", f.Name, strings.Join(names, ", "))
}

// luaEntry writes the function that answers an operation; object is the type of objects, "" any map.
func luaEntry(b *strings.Builder, op engine.Operation, object string) {
	b.WriteString("\n" + wrapped("---", string(op.Name)+": "+op.Doc))
	for _, p := range op.Params {
		mark := ""
		if p.Kind.IsOptional() {
			mark = "?"
		}
		fmt.Fprintf(b, "---@param %s%s %s\n", p.Name, mark, luaParam(p, object))
	}
	for _, r := range op.Results {
		fmt.Fprintf(b, "---@return %s %s\n", luaType(r.Type), r.Name)
	}
	fmt.Fprintf(b, "function %s(%s) end\n", op.Entry, strings.Join(op.ParamNames(), ", "))
}

// luaParam returns the type of a parameter of an operation.
func luaParam(p engine.Param, object string) string {
	switch {
	case object != "" && p.Kind == engine.ObjectParam:
		return object
	case object != "" && p.Kind == engine.ObservedParam:
		return object + "|nil"
	}
	return luaType(p.Kind.Type())
}

// luaType returns a type in the words of builtin, such as "map or nil", as the language
// server has it.
func luaType(t string) string {
	var all []string
	for _, one := range strings.Split(t, " or ") {
		switch one {
		case "any":
			return "any"
		case "quantity":
			one = "string|number"
		case "path":
			one = "string|string[]"
		case "map":
			one = "table<string, any>"
		case "map of strings":
			one = "table<string, string>"
		case "list":
			one = "any[]"
		case "list of maps":
			one = "table<string, any>[]"
		case "list of status items":
			one = "StatusItem[]"
		}
		all = append(all, one)
	}
	return strings.Join(all, "|")
}
