// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// globals finds variables that are assigned without local, which in the published form is no
// error: each once, at its first assignment. A function at the top level is what a chunk
// defines; one that neither the engine nor the chunk calls is never used, and one with the name
// of another operation's function stands in the wrong script.
func globals(f *file) {
	seen := map[string]bool{}
	for _, w := range f.names.writes {
		name := w.name.Value
		if seen[name] {
			continue
		}
		seen[name] = true
		at := f.Of(w.name)
		_, isFunction := w.value.(*ast.FunctionExpr)
		switch {
		case !w.top || !isFunction:
			if !f.Chunk.Source.Strict {
				f.report(lint.GlobalWrite, at, "assignment to the global %s; declare it with local", name)
			}
		case slices.Contains(f.Asked, name) || f.names.isRead(name):
		case f.Entries[name] != "":
			f.report(lint.WrongEntryName, at, "nothing calls %s here: it answers %s, and stands in another script", name, f.Entries[name])
		default:
			f.report(lint.Unused, at, "nothing calls the function %s", name)
		}
	}
}
