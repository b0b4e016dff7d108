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
	get *native
}

// standard returns the environment of strict scripts, published that of scripts in the
// published form. They differ in the functions of kube alone.
var (
	standard  = sync.OnceValue(func() *environment { return newEnvironment(builtin.Functions()) })
	published = sync.OnceValue(func() *environment { return newEnvironment(builtin.Published()) })
)

// environment returns what the script finds when it starts.
func (src *Script) environment() *environment {
	if src.Strict {
		return standard()
	}
	return published()
}

func newEnvironment(kube []builtin.Function) *environment {
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
	for _, l := range []*library{stringLibrary(), tableLibrary(), mathLibrary(), osLibrary(), kubeLibrary(kube)} {
		e.globals[l.name] = l
		e.modules[l.name] = l
	}
	e.strings = e.modules["string"]
	e.get = e.modules["kube"].members["get"].(*native)
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
