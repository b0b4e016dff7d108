// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"strings"

	"github.com/dragoman-io/dragoman/builtin"
)

// Symbol is a function that scripts can call, for an editor.
type Symbol struct {
	// Name is how it is called, such as kube.get.
	Name string
	// Signature is a line for each way to call it.
	Signature string
	// Doc is one or two sentences.
	Doc string
}

// LuaSymbols returns the functions of kube for scripts in Lua, by their names, as Functions
// has them.
func LuaSymbols() []Symbol {
	var all []Symbol
	for _, f := range builtin.Functions() {
		all = append(all, Symbol{"kube." + f.Name, "kube." + f.Signature() + " -> " + f.Result, f.Doc})
	}
	return all
}

// CELSymbols returns the functions of kube for expressions in CEL, by their names, as
// Functions has them.
func CELSymbols() []Symbol {
	var all []Symbol
	for _, f := range builtin.Functions() {
		all = append(all, Symbol{"kube." + f.Name, strings.Join(celWays(f), "\n"), f.Doc})
	}
	return all
}
