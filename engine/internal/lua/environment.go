// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"sync"

	"github.com/dragoman-io/dragoman/builtin"
)

// environment is what scripts find when they start. It is made once and never
// changed.
type environment struct {
	// globals holds values, libraries, and *absent for what a sandbox lacks.
	globals map[string]any
	// strings are the methods of a string.
	strings *library
	// modules are what require returns.
	modules map[string]*library
	// next is the iterator of pairs, step that of ipairs.
	next *native
	step *native
	// get is kube.get.
	get any
}

// standard returns the one environment of the package.
var standard = sync.OnceValue(newEnvironment)

func newEnvironment() *environment {
	e := &environment{globals: map[string]any{}, modules: map[string]*library{}}
	for name, reason := range absentGlobals() {
		e.globals[name] = &absent{name: name, reason: reason}
	}
	for _, n := range baseFunctions() {
		e.globals[n.name] = n
	}
	e.next = e.globals["next"].(*native)
	e.step = &native{name: "ipairs iterator", many: ipairsStep}
	e.globals["_VERSION"] = "Lua 5.1"
	for _, l := range []*library{stringLibrary(), tableLibrary(), mathLibrary(), osLibrary(), kubeLibrary(builtin.Functions())} {
		e.globals[l.name] = l
		e.modules[l.name] = l
	}
	e.strings = e.modules["string"]
	e.get = e.modules["kube"].members["get"]
	return e
}

// newLibrary makes a library of functions. Their names get that of the library
// in front.
func newLibrary(name string, functions []*native) *library {
	l := &library{name: name, members: map[string]any{}, absent: absentMembers()[name]}
	for _, n := range functions {
		l.members[n.name] = n
		n.name = name + "." + n.name
	}
	return l
}
