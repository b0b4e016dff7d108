// SPDX-License-Identifier: Apache-2.0

// Package reads follows the fields that a source reads below the arguments of its operation, for
// the languages of scripts: paths that are constant, and the variables that stand for them.
package reads

import (
	"fmt"
	"slices"
	"strings"
)

// Path is a constant path below an argument. It is immutable; nil is one that is not known.
type Path struct {
	// Param is the index of the parameter, from 0.
	Param int
	Steps []string
	// Chosen reports whether another value may stand in for the one at the path, Answer
	// whether it comes from a function that returns it only where it is there.
	Chosen, Answer bool
}

// Key identifies the path.
func (p *Path) Key() string { return fmt.Sprintf("%d:%q", p.Param, p.Steps) }

// Below returns the path of what stands below; nil below one that is not known.
func (p *Path) Below(steps ...string) *Path {
	if p == nil {
		return nil
	}
	return &Path{Param: p.Param, Steps: append(slices.Clip(p.Steps), steps...)}
}

// Choice returns the path of a value for which another one may stand in.
func (p *Path) Choice() *Path {
	if p == nil {
		return nil
	}
	return &Path{Param: p.Param, Steps: p.Steps, Chosen: true}
}

// Scope are the variables of a block whose paths are known. The zero value has none.
type Scope struct {
	outer *Scope
	paths map[string]*Path
}

// Inner returns an empty scope inside s, which may be nil.
func (s *Scope) Inner() *Scope { return &Scope{outer: s} }

// Define sets the path of a variable; nil hides one of a scope outside.
func (s *Scope) Define(name string, p *Path) {
	if s.paths == nil {
		s.paths = map[string]*Path{}
	}
	s.paths[name] = p
}

// Lookup returns the path of a variable, nil where none is known.
func (s *Scope) Lookup(name string) *Path {
	for ; s != nil; s = s.outer {
		if p, found := s.paths[name]; found {
			return p
		}
	}
	return nil
}

// Steps returns the steps of a path with dots; none for "".
func Steps(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ".")
}
