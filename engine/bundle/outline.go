// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"
	"slices"
)

// Outline is what a bundle answers, without its code.
type Outline struct {
	Manifest
	// Answers are its scripts, sorted by file.
	Answers []Answer
}

// Answer is a script, and what it answers.
type Answer struct {
	// Kinds are names of kinds, each in all its groups and versions; a file has one.
	Kinds []string
	// Operation is the name of the operation's file, such as health.
	Operation string
	// File is the path of the script within the bundle.
	File string
	// Function is the function of a module that the manifest names; "" for a file of its own.
	Function string
}

// ReadOutline reads the manifest of the bundle in dir and the names of its files, and compiles
// nothing. The error is that of the same stage of Load.
func ReadOutline(fsys fs.FS, dir string) (Outline, error) {
	d, err := read(fsys, dir)
	if err != nil {
		return Outline{}, err
	}
	o := Outline{Manifest: d.bundle.Manifest}
	for _, s := range d.scripts {
		a := Answer{Kinds: slices.Clone(s.kinds), Operation: s.operation.File, File: d.bundle.within(s.path)}
		if s.function != nil {
			a.Function = s.function.Name
		}
		o.Answers = append(o.Answers, a)
	}
	return o, nil
}
