// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/dragoman-io/dragoman/engine/internal/lua"
	"github.com/dragoman-io/dragoman/engine/script"
)

// UndefinedGlobals returns the globals that a script in Lua of the published form reads and
// that nothing defines, each once, with its first line. Such a script is legal: the name is
// nil. It is probably not meant, and an error in a bundle.
func UndefinedGlobals(text string) []*script.Error {
	return lua.Undefined(lua.Script{Text: text})
}
