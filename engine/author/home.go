// SPDX-License-Identifier: Apache-2.0

package author

import (
	"io/fs"
	"path"
	"slices"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// homeKind is what the scripts of a home are.
type homeKind int

const (
	bundleHome homeKind = iota
	customizedHome
	placementHome
)

// home is a folder with scripts. They, and nothing else, answer the cases below it, as far
// as these are in no home of their own.
type home struct {
	kind homeKind
	dir  string
	// files hold the customizations, or the PlacementRules.
	files []string
}

// nearestHome returns the nearest home at name or above, nil where there is none.
func (p *Plan) nearestHome(name string) *home {
	for dir := range p.upwards(name) {
		if h := p.homeAt(dir); h != nil {
			return h
		}
	}
	return nil
}

// Home returns the folder whose scripts answer the cases below a file: the nearest one above it that holds a
// bundle, customizations or PlacementRules. It is "" where there is none.
func Home(files fs.FS, name string) string {
	p := &Plan{selection: Selection{Files: files}, homes: map[string]*home{}}
	if h := p.nearestHome(path.Dir(name)); h != nil {
		return h.dir
	}
	return ""
}

// upwards yields name and the folders above it, as far as the files reach.
func (p *Plan) upwards(name string) func(yield func(dir string) bool) {
	return func(yield func(string) bool) {
		for dir := name; yield(dir); {
			parent := path.Join(dir, "..")
			if _, err := fs.Stat(p.selection.Files, parent); err != nil || parent == dir {
				return
			}
			dir = parent
		}
	}
}

// isAnswered reports whether the selection says what answers all cases.
func (p *Plan) isAnswered() bool { return p.selection.Bundle != "" || p.selection.Customization != "" }

// homeAt returns the home that a folder is, nil where it is none. A folder without one of
// the names that make a home is one if files in it hold customizations.
func (p *Plan) homeAt(dir string) *home {
	if p.isAnswered() {
		return nil
	}
	if h, known := p.homes[dir]; known {
		return h
	}
	h := p.findHome(dir)
	p.homes[dir] = h
	return h
}

func (p *Plan) findHome(dir string) *home {
	switch {
	case p.has(dir, bundle.ManifestFile):
		return &home{kind: bundleHome, dir: dir}
	case p.has(dir, CustomizationsFile):
		return &home{kind: customizedHome, dir: dir, files: []string{path.Join(dir, CustomizationsFile)}}
	case p.has(dir, PlacementRulesFile):
		return &home{kind: placementHome, dir: dir, files: []string{path.Join(dir, PlacementRulesFile)}}
	}
	if files := p.customizationFiles(dir); len(files) > 0 {
		return &home{kind: customizedHome, dir: dir, files: files}
	}
	return nil
}

func (p *Plan) has(dir, file string) bool {
	info, err := fs.Stat(p.selection.Files, path.Join(dir, file))
	return err == nil && info.Mode().IsRegular()
}

// customizationFiles returns the files in a folder that hold customizations. A file that
// cannot be read holds none.
func (p *Plan) customizationFiles(dir string) []string {
	var files []string
	entries, _ := fs.ReadDir(p.selection.Files, dir)
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		if e.IsDir() || bundle.Hidden(e.Name()) || !cases.IsCaseFile(e.Name()) {
			continue
		}
		data, err := yamldoc.ReadFile(p.selection.Files, file)
		if err == nil && holdsCustomizations(file, data) {
			files = append(files, file)
		}
	}
	return files
}

// addCases adds the cases below name, which the scripts of h answer.
func (p *Plan) addCases(h *home, name string) {
	switch h.kind {
	case bundleHome:
		p.addBundled(h.dir, name)
	case customizedHome:
		p.addCustomized(h, name)
	case placementHome:
		p.addPlacement(h.dir, name)
	}
}

// addBundled adds the cases below name, which lies in the bundle at dir.
func (p *Plan) addBundled(dir, name string) {
	b, err := p.loader.Load(p.selection.Files, dir, nil)
	if err != nil {
		p.fail(err)
		return
	}
	g := &Group{Bundles: []*bundle.Bundle{b}, Laws: true, Complete: name == dir, reader: cases.BundleReader(p.loader.Compiler), where: "in " + dir}
	p.Groups = append(p.Groups, g)
	crds, samples := path.Join(dir, bundle.CRDsDir), path.Join(dir, bundle.SamplesDir)
	p.walk(name, g, func(file string, isDir bool) bool {
		return !isDir && file == path.Join(dir, bundle.ManifestFile) || isDir && (file == crds || file == samples) || b.Ignores(file, isDir)
	})
}

// addCustomized adds the cases below name, which belong to the customizations of h. Where
// customizations are broken, their cases still run, and fail.
func (p *Plan) addCustomized(h *home, name string) {
	set := p.readCustomizations(h.files, h.isNamed())
	g := &Group{Customizations: set.sets, Laws: true, Complete: name == h.dir, published: true, set: set}
	if h.isNamed() {
		p.refuseOthers(h)
	}
	p.Groups = append(p.Groups, g)
	p.walk(name, g, func(file string, isDir bool) bool { return !isDir && slices.Contains(h.files, file) })
}

// isNamed reports whether the name of the file makes the home.
func (h *home) isNamed() bool {
	return len(h.files) == 1 && path.Base(h.files[0]) == CustomizationsFile
}

// refuseOthers adds an error for each other file with scripts beside customizations that
// their name makes a home: nothing would test them.
func (p *Plan) refuseOthers(h *home) {
	for _, file := range p.customizationFiles(h.dir) {
		if !slices.Contains(h.files, file) {
			p.fail(&yamldoc.Error{File: file, Message: "holds customizations that nothing tests: " + h.files[0] +
				" alone answers the cases of this folder; put them into it, or into a folder of their own"})
		}
	}
	if p.has(h.dir, PlacementRulesFile) {
		p.fail(&yamldoc.Error{File: path.Join(h.dir, PlacementRulesFile), Message: "nothing tests it: " + h.files[0] +
			" answers the cases of this folder; put it into a folder of its own"})
	}
}
