// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// unused finds local variables and functions that nothing reads. Parameters and the variables
// of loops are what the caller or the loop gives, and a name that begins with _ is there to be
// ignored; so is one in front of another name of the same declaration, as in local _, b = f().
func unused(f *file) {
	for _, v := range f.names.variables {
		if v.reads > 0 || strings.HasPrefix(v.name, "_") {
			continue
		}
		switch {
		case v.kind == localFunction:
			f.report(lint.Unused, v.at, "nothing calls the function %s", v.name)
		case v.kind == local && v.last && v.writes > 0:
			f.report(lint.Unused, v.at, "nothing reads the variable %s, which is assigned", v.name)
		case v.kind == local && v.last:
			f.report(lint.Unused, v.at, "nothing reads the variable %s", v.name)
		}
	}
}
