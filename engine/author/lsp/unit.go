// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"io/fs"
	"path"
	"strings"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// unit is what is checked as a whole: a home, or a file that is in none. The zero unit is
// nothing.
type unit struct {
	// dir is the folder of a home, file the path of a document; one of them is "".
	dir, file string
	// kind is that of the home.
	kind source.Kind
}

// unitOf returns the unit of a document: its home, or itself where it is in none or no part of it.
func unitOf(tree *source.Tree, d *document) unit {
	if d.language == otherLanguage {
		return unit{}
	}
	if !hasFile(d.path) {
		return unit{file: d.path}
	}
	p := tree.Look(d.path)
	if p.Home == nil || p.Kind == source.Other {
		return unit{file: d.path}
	}
	return unit{dir: p.Home.Dir, kind: p.Home.Kind}
}

// bundleDir returns the folder of the bundle that the unit is, "" where it is none.
func (u unit) bundleDir() string {
	if u.kind == source.Manifest {
		return u.dir
	}
	return ""
}

// makesHome reports whether a document makes its folder a home, so that a change of it can move others.
func (d *document) makesHome() bool {
	switch path.Base(d.path) {
	case bundle.ManifestFile, bundle.IgnoreFile, source.CustomizationsFile, source.PlacementRulesFile:
		return true
	}
	return d.language == yamlLanguage && strings.Contains(d.text, source.CustomizationKind().Kind)
}

// noFiles is a file system without files.
type noFiles struct{}

// Open returns fs.ErrNotExist.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
