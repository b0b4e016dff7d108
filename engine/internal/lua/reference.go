// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"slices"
	"strings"
)

// Functions returns the names of all functions that a script can call, such as pairs and
// string.rep, sorted.
func Functions() []string {
	var names []string
	for name, v := range standard().globals {
		if _, isFunction := v.(*native); isFunction {
			names = append(names, name)
		}
	}
	for _, l := range standard().modules {
		for member, v := range l.members {
			if _, isFunction := v.(*native); isFunction {
				names = append(names, l.name+"."+member)
			}
		}
	}
	slices.SortFunc(names, strings.Compare)
	return names
}

// IsFunction reports whether scripts of the published form can call a function of this name,
// such as pairs or string.rep.
func IsFunction(name string) bool {
	of, member, isMember := strings.Cut(name, ".")
	v := published().globals[of]
	if l, isLibrary := v.(*library); isMember && isLibrary {
		v = l.members[member]
	} else if isMember {
		return false
	}
	_, isFunction := v.(*native)
	return isFunction
}
