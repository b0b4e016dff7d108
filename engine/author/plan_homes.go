// SPDX-License-Identifier: Apache-2.0

package author

import (
	"io/fs"
	"slices"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// isAnswered reports whether the selection says what answers all cases.
func (p *Plan) isAnswered() bool { return p.selection.Bundle != "" || p.selection.Customization != "" }

// nearestHome returns the nearest home at name or above, nil where there is none, or none counts.
func (p *Plan) nearestHome(name string) *source.Home {
	if p.isAnswered() {
		return nil
	}
	return p.tree.Home(name)
}

// homeAt returns the home that a folder is, nil where it is none, or none counts.
func (p *Plan) homeAt(dir string) *source.Home {
	if p.isAnswered() {
		return nil
	}
	return p.tree.HomeAt(dir)
}

// addCases adds the cases below name, which the scripts of h answer.
func (p *Plan) addCases(h *source.Home, name string) {
	switch h.Kind {
	case source.Customizations:
		p.addCustomized(h, name)
	case source.PlacementRules:
		p.addPlacement(h, name)
	default:
		p.addBundled(h.Dir, name)
	}
}

// addBundled adds the cases below name, which lies in the bundle at dir.
func (p *Plan) addBundled(dir, name string) {
	b, err := p.loader.Load(p.tree, dir, nil)
	if err != nil {
		p.fail(err)
		return
	}
	g := &Group{Bundles: []*bundle.Bundle{b}, Laws: true, Complete: name == dir, reader: cases.BundleReader(p.loader.Compiler), where: "in " + dir}
	p.Groups = append(p.Groups, g)
	p.walk(name, p.tree.HomeAt(dir), func(file string, named bool) { p.file(file, g, named) })
}

// addCustomized adds the cases below name, which belong to the customizations of h. Where
// customizations are broken, their cases still run, and fail.
func (p *Plan) addCustomized(h *source.Home, name string) {
	set := p.readCustomizations(h.Files, h.IsNamed())
	g := &Group{Customizations: set.sets, Laws: true, Complete: name == h.Dir, published: true, set: set}
	p.fail(p.tree.Untested(h))
	p.Groups = append(p.Groups, g)
	p.walk(name, h, func(file string, named bool) { p.file(file, g, named) })
}

// addPlacement adds the cases below name, which are about the PlacementRules of h.
func (p *Plan) addPlacement(h *source.Home, name string) {
	r := newPlacementRules(h)
	r.complete = name == h.Dir
	p.fail(r.read(p.loader.Compiler, p.tree))
	p.placement = append(p.placement, r)
	p.walk(name, h, func(name string, _ bool) {
		f, err := p.tree.File(name)
		if err == nil {
			err = r.readCases(f)
		}
		p.fail(err)
	})
}

// walk calls read for each file of cases at root, a file or a tree, that belongs to h, and whether the user named it. The
// cases of a folder below that is a home itself are added to that.
func (p *Plan) walk(root string, h *source.Home, read func(file string, named bool)) {
	err := source.Walk(p.tree, root, p.fail, func(file string, d fs.DirEntry) error {
		switch {
		case file != root && d.IsDir() && (h.Ignores(file, true) || h.IsReference(file)):
			return fs.SkipDir
		case file != root && d.IsDir():
			if inner := p.homeAt(file); inner != nil {
				p.addCases(inner, file)
				return fs.SkipDir
			}
		case d.IsDir(), h.Ignores(file, false), slices.Contains(h.Files, file):
		case h.Kind != source.Manifest && source.IsScript(file):
			p.fail(p.tree.Stray(file))
		case file == root || cases.IsCaseFile(file):
			read(file, file == root)
		}
		return nil
	})
	if err != nil {
		p.fail(err)
	}
}

// walkShared adds the cases of a tree without a home. Where there are stray files in it or
// above it, they are errors, and the cases are not run.
func (p *Plan) walkShared(root string) {
	var (
		files  []string
		strays yamldoc.Problems
	)
	if !p.isAnswered() {
		strays.Add(p.tree.StraysAbove(root))
	}
	err := source.Walk(p.tree, root, p.fail, func(file string, d fs.DirEntry) error {
		h := (*source.Home)(nil)
		if d.IsDir() && file != root {
			h = p.homeAt(file)
		}
		switch {
		case h != nil:
			p.addCases(h, file)
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !p.isAnswered():
			strays.Add(p.tree.Stray(file))
		}
		if file == root || cases.IsCaseFile(file) {
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		p.fail(err)
	}
	if err := strays.Err(); err != nil {
		p.fail(err)
		return
	}
	for _, file := range files {
		p.file(file, p.shared(), file == root)
	}
}
