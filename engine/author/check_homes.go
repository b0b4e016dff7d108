// SPDX-License-Identifier: Apache-2.0

package author

import (
	"io/fs"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// Home checks what makes a home: a bundle as a whole, also where its manifest cannot be read, or the files with
// customizations or PlacementRules, without the cases.
func (c *Checker) Home(files fs.FS, h *source.Home) *Findings {
	f := newFindings()
	tree := source.New(files)
	if h.Kind == source.Manifest {
		c.bundle(f, tree, h.Dir)
		return f
	}
	for _, file := range h.Files {
		c.file(f, tree, file, h.IsNamed())
	}
	c.shadowed(f, tree, h)
	f.errors("", "", tree.Untested(h))
	return f
}

// shadowed adds the scripts of the customizations of a home that never answer, because others do.
func (c *Checker) shadowed(f *Findings, tree *source.Tree, h *source.Home) {
	if h.Kind != source.Customizations {
		return
	}
	set := &customizationSet{customizationReader: customizationReader{compiler: c.compiler, named: h.IsNamed()}}
	for _, name := range h.Files {
		if file, err := tree.File(name); err == nil {
			_ = set.read(file) // what is wrong with each is found in the file
		}
	}
	f.errors("", "", set.shadowed())
}

// Cases checks the cases of a file as a run of them reads them: by the rules of the home of the file.
func (c *Checker) Cases(files fs.FS, name string) *Findings {
	f := newFindings()
	c.cases(f, source.New(files), name)
	return f
}

func (c *Checker) cases(f *Findings, tree *source.Tree, name string) {
	file, err := tree.File(name)
	if err != nil {
		f.errors("", "", err)
		return
	}
	h := tree.Look(name).Home
	if h != nil && h.Kind == source.PlacementRules {
		rules := newPlacementRules(h)
		_ = rules.read(c.compiler, tree) // what is wrong with the rules is found in their file
		f.errors("", "", rules.readCases(file))
		f.Checked += len(rules.cases)
		return
	}
	g := &Group{published: h != nil && h.Kind == source.Customizations}
	if h != nil && h.Kind == source.Manifest {
		g.reader = cases.BundleReader(c.compiler)
	}
	found, err := g.read(c.compiler, file)
	f.errors("", "", err)
	f.Checked += len(found)
	if err == nil && len(found) == 0 && h != nil {
		f.errors("", "", neitherCaseNorObject(file))
	}
}

// namedCases checks the cases of a file, and reports whether it has some, or what should be.
func (c *Checker) namedCases(f *Findings, tree *source.Tree, p source.Path) bool {
	file, err := tree.File(p.Name)
	if err != nil || file.HoldsObjects(p.Home) {
		return false
	}
	found := newFindings()
	c.cases(found, tree, p.Name)
	f.Add(found)
	return found.Checked > 0 || len(found.Problems) > 0
}
