// SPDX-License-Identifier: Apache-2.0

package source

import (
	"path"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// Kind is what a file is to the tools.
type Kind int

const (
	// Other is a file that no tool reads: of another form, hidden, or ignored by its bundle.
	Other Kind = iota
	// Manifest is the manifest of a bundle.
	Manifest
	// Customizations is a file with ResourceInterpreterCustomizations that make its folder a home.
	Customizations
	// PlacementRules is a file with PlacementRules that make its folder a home.
	PlacementRules
	// Script is a script or a module, in Lua or CEL.
	Script
	// Reference is a file with Kubernetes objects for people and checks: the CRDs or samples of a bundle.
	Reference
	// Cases is any other file of YAML or JSON. Its documents are cases, unless they are objects: see
	// File.HoldsObjects.
	Cases
)

// String returns the kind in words.
func (k Kind) String() string {
	return [...]string{"other", "manifest", "customizations", "placement rules", "script", "reference", "cases"}[k]
}

// Path is what a path is: a kind of file, and the home that it belongs to.
type Path struct {
	Name string
	Kind Kind
	// Home is nil where the path belongs to none.
	Home *Home
}

// Look returns what a file is by its name and its home. The file need not be there, but its folder.
func (t *Tree) Look(name string) Path {
	name = path.Clean(name)
	p := Path{Name: name, Home: t.Home(path.Dir(name))}
	switch {
	case p.Home != nil && p.Home.LeavesOut(name, false), p.Home == nil && bundle.Hidden(path.Base(name)):
	case p.Home != nil && slices.Contains(p.Home.Files, name):
		p.Kind = p.Home.Kind
	case IsScript(name):
		p.Kind = Script
	case !cases.IsCaseFile(name):
	case p.Home != nil && p.Home.IsReference(name):
		p.Kind = Reference
	default:
		p.Kind = Cases
	}
	return p
}

// IsScript reports whether a file is a script by its name.
func IsScript(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".lua", ".cel":
		return true
	}
	return false
}
