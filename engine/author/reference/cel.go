// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/builtin"
)

// celHeader begins the declarations.
const celHeader = `// Written by dragoman docs kube -o cel. To the type checker all of these take and
// return dyn; a value of another type is an error of the call. The examples are Lua:
// {a, b} is [a, b] here.
`

// celDeclarations writes the functions as declarations of CEL, one for each number
// of arguments.
func celDeclarations(w io.Writer, functions []builtin.Function) error {
	var b strings.Builder
	b.WriteString(celHeader)
	for _, f := range functions {
		b.WriteString("\n" + wrapped("//", f.Doc))
		for _, declaration := range celWays(f) {
			b.WriteString(declaration + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// celWays returns the declarations of a function.
func celWays(f builtin.Function) []string {
	var all []string
	least, most := f.Arguments()
	for n := least; n <= max(most, len(f.Params)); n++ {
		all = append(all, fmt.Sprintf("kube.%s(%s) -> %s", f.Name, celArguments(f, n), celType(f.Result)))
	}
	return all
}

// celArguments lists the types of the first n parameters.
func celArguments(f builtin.Function, n int) string {
	var types []string
	for i, p := range f.Params[:n] {
		t := celType(p.Type)
		if p.Optional {
			t = celType(p.Type + " or nil")
		}
		if f.Variadic && i == len(f.Params)-1 {
			t += "..."
		}
		types = append(types, t)
	}
	return strings.Join(types, ", ")
}

// celType writes a type of builtin, such as "map or nil", with the words of CEL.
func celType(t string) string {
	var all []string
	for _, one := range strings.Split(t, " or ") {
		switch one {
		case "any":
			return "dyn"
		case "boolean":
			one = "bool"
		case "number":
			one = "int|double"
		case "quantity":
			one = "string|int|double"
		case "path":
			one = "string|list(string)"
		case "map":
			one = "map(string, dyn)"
		case "list":
			one = "list(dyn)"
		case "nil":
			one = "null"
		}
		all = append(all, one)
	}
	return strings.Join(all, "|")
}
