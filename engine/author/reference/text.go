// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
)

// functionsText writes the functions for people.
func functionsText(w io.Writer, functions []builtin.Function) error {
	var b strings.Builder
	for i, f := range functions {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "kube.%s -> %s\n%s", f.Signature(), f.Result, wrapped("   ", f.Doc))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// operationsText writes the operations for people.
func operationsText(w io.Writer, operations []engine.Operation) error {
	var b strings.Builder
	for i, op := range operations {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n%s", op.Name, wrapped("   ", op.Doc))
		fmt.Fprintf(&b, "    Lua    function %s(%s), in %s.lua\n", op.Entry, strings.Join(op.ParamNames(), ", "), op.File)
		fmt.Fprintf(&b, "    CEL    an expression of %s, in %s.cel%s\n", strings.Join(op.ParamNames(), ", "), op.File, patchNote(op))
		fmt.Fprintf(&b, "    field  spec.customizations.%s\n", op.Field)
		fmt.Fprintf(&b, "    result %s\n", strings.Join(op.ResultNames(), ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// patchNote returns a note for an operation whose expression is a patch; "" for others.
func patchNote(op engine.Operation) string {
	if !op.Patch {
		return ""
	}
	return "; it is a merge patch on " + op.Params[0].Name
}
