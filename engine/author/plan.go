// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// CustomizationsFile is the name of a file with customizations. The cases below its
// folder are answered by them alone, by the rules of the published form.
const CustomizationsFile = "customizations.yaml"

// Selection is which cases to run and what answers them. A case in a folder with a
// bundle.yaml, or below it, is answered by that bundle; one below a CustomizationsFile
// by the customizations in it; one below a PlacementRulesFile is about the rules in it; any
// other is answered by Bundles.
type Selection struct {
	// Files holds Paths and Bundle. The folders above a path are searched for a bundle
	// as far as Files has them: as fs.FS has it, up to the root; a file system that
	// takes "..", such as one of the host, also beyond.
	Files fs.FS
	// Paths are the files and folders with cases, with slashes.
	Paths []string
	// Bundle is the folder of a bundle that answers all cases; "" for none.
	Bundle string
	// Bundles has bundles as folders at its root; they are read when a case needs them. Those
	// for any kind answer only their own cases.
	Bundles fs.FS
	// Parameters set parameters of bundles, as bundle.Choose reads them.
	Parameters []string
	// AllowUnchecked allows results that the output of a case does not name, and unknown
	// keys in cases outside of bundles.
	AllowUnchecked bool
	// Coverage counts which lines of the bundles' scripts the cases run.
	Coverage bool
}

// Plan is a selection after reading: what Run does, in order.
type Plan struct {
	Groups []*Group
	// Skipped are the YAML files without cases in folders.
	Skipped []string
	// Errs are the errors of what could not be read or loaded; the rest runs.
	Errs []error

	selection Selection
	loader    bundle.Loader
	// placement are the PlacementRules with their cases.
	placement []*placementRules
	// common are the bundles of cases that are in none; read when needed.
	common *Group
}

// Group holds the cases that the same scripts answer.
type Group struct {
	Bundles []*bundle.Bundle
	// Customizations are the scripts in place of bundles, of the published form.
	Customizations []engine.RuleSet
	Cases          []*cases.Case
	// Laws reports whether the laws are checked on the objects of the cases, because
	// these are the bundle's own.
	Laws bool
	// Complete reports whether these are all cases of the bundle, which must then leave
	// no gap.
	Complete bool

	published bool
	// reader reads the cases of a bundle; nil for others, which are bounded by file.
	reader *cases.Reader
}

// NewPlan reads the cases and the scripts that answer them. The error means that nothing
// can run, because a path or a parameter is wrong. All other errors are in Errs.
func NewPlan(c *engine.Compiler, s Selection) (*Plan, error) {
	p := &Plan{selection: s, loader: bundle.Loader{Compiler: c}}
	if s.Coverage {
		p.loader.Coverage = script.NewCoverage()
	}
	for _, name := range s.Paths {
		info, err := fs.Stat(s.Files, name)
		if err != nil {
			return nil, err
		}
		name = path.Clean(name)
		switch home := p.scriptsFolder(name); {
		case s.Bundle != "" && name == path.Clean(s.Bundle):
			p.addBundled(name, name)
		case home != "":
			p.addCases(home, name)
		case info.IsDir():
			p.walk(name, nil, "")
		default:
			p.file(name, p.shared(), true)
		}
	}
	return p, p.choose(s.Parameters)
}

// scriptsFolder returns the nearest folder above name whose scripts answer its cases, or
// "".
func (p *Plan) scriptsFolder(name string) string {
	for dir := name; ; {
		if p.holdsScripts(dir) {
			return dir
		}
		parent := path.Join(dir, "..")
		if _, err := fs.Stat(p.selection.Files, parent); err != nil || parent == dir {
			return ""
		}
		dir = parent
	}
}

// holdsScripts reports whether a folder holds the scripts that answer the cases in it: a bundle,
// customizations or placement rules.
func (p *Plan) holdsScripts(dir string) bool {
	return p.selection.Bundle == "" && (p.has(dir, bundle.ManifestFile) || p.has(dir, CustomizationsFile) || p.has(dir, PlacementRulesFile))
}

func (p *Plan) has(dir, file string) bool {
	info, err := fs.Stat(p.selection.Files, path.Join(dir, file))
	return err == nil && info.Mode().IsRegular()
}

// addCases adds the cases below name, which the scripts in home answer.
func (p *Plan) addCases(home, name string) {
	switch {
	case p.has(home, bundle.ManifestFile):
		p.addBundled(home, name)
	case p.has(home, CustomizationsFile):
		p.addCustomized(home, name)
	default:
		p.addPlacement(home, name)
	}
}

// addCustomized adds the cases below name, which belong to the customizations in home.
// Where customizations are broken, their cases still run, and fail.
func (p *Plan) addCustomized(home, name string) {
	file := path.Join(home, CustomizationsFile)
	data, err := yamldoc.ReadFile(p.selection.Files, file)
	g := &Group{published: true}
	if err == nil {
		g.Customizations, err = Customizations(p.loader.Compiler, file, data)
	}
	if err != nil {
		p.fail(err)
	}
	p.Groups = append(p.Groups, g)
	p.walk(name, g, file)
}

// addBundled adds the cases below name, which lies in the bundle at home.
func (p *Plan) addBundled(home, name string) {
	b, err := p.loader.Load(p.selection.Files, home, nil)
	if err != nil {
		p.fail(err)
		return
	}
	g := &Group{Bundles: []*bundle.Bundle{b}, Laws: true, Complete: name == home, reader: cases.BundleReader()}
	p.Groups = append(p.Groups, g)
	p.walk(name, g, path.Join(home, bundle.ManifestFile))
}

// walk adds the cases of root, a file or a tree, to a group, or if it is nil to that of
// the shared bundles. The cases of a folder with scripts of its own go to the group of
// these. The file except is skipped.
func (p *Plan) walk(root string, g *Group, except string) {
	err := walkFiles(p.selection.Files, root, p.fail, func(file string, d fs.DirEntry) error {
		switch {
		case d.IsDir() && file != root && p.holdsScripts(file):
			p.addCases(file, file)
			return fs.SkipDir
		case d.IsDir() || file == except || file != root && !cases.IsYAML(file):
			return nil
		case g == nil:
			p.file(file, p.shared(), file == root)
		default:
			p.file(file, g, file == root)
		}
		return nil
	})
	if err != nil {
		p.fail(err)
	}
}

// walkFiles calls f for root and all files below it, without hidden folders. It calls
// failed for a folder that cannot be read, and continues.
func walkFiles(fsys fs.FS, root string, failed func(error), f func(name string, d fs.DirEntry) error) error {
	return fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			failed(err)
			return fs.SkipDir
		}
		if base := d.Name(); d.IsDir() && name != root && len(base) > 1 && base[0] == '.' {
			return fs.SkipDir
		}
		return f(name, d)
	})
}

// shared returns the group of the cases that are in no bundle.
func (p *Plan) shared() *Group {
	if p.common == nil {
		p.common = &Group{}
		p.Groups = append(p.Groups, p.common)
		bundles, err := p.sharedBundles()
		if err != nil {
			p.fail(err)
		}
		p.common.Bundles = bundles
	}
	return p.common
}

func (p *Plan) sharedBundles() ([]*bundle.Bundle, error) {
	s := p.selection
	switch {
	case s.Bundle != "":
		b, err := p.loader.Load(s.Files, s.Bundle, nil)
		if err != nil {
			return nil, err
		}
		return []*bundle.Bundle{b}, nil
	case s.Bundles != nil:
		all, err := p.loader.LoadAll(s.Bundles)
		return slices.DeleteFunc(all, answersForAnyKind), err
	}
	return nil, nil
}

// answersForAnyKind reports whether a bundle has rules for any kind. Outside of its folder it
// answers no case: a case of a kind whose script is missing would pass by accident.
func answersForAnyKind(b *bundle.Bundle) bool { return slices.Contains(b.Kinds, engine.AnyKind) }

// file adds the cases of one file. A file without cases is an error if the user named it.
func (p *Plan) file(name string, g *Group, named bool) {
	data, err := yamldoc.ReadFile(p.selection.Files, name)
	if err != nil {
		p.fail(err)
		return
	}
	read := cases.Read
	if g.reader != nil {
		read = g.reader.Read
	}
	found, err := read(name, data)
	if g.published || err != nil && p.selection.AllowUnchecked && !g.Laws {
		found, err = cases.ReadPublished(name, data)
	}
	if err != nil {
		p.fail(err)
	}
	if err == nil && len(found) == 0 {
		if named {
			p.fail(fmt.Errorf("%s: there is no case in it", name))
		}
		p.Skipped = append(p.Skipped, name)
	}
	g.Cases = append(g.Cases, found...)
}

func (p *Plan) fail(err error) { p.Errs = append(p.Errs, Flatten(err)...) }

// choose sets parameters of all bundles.
func (p *Plan) choose(choices []string) error {
	if len(choices) == 0 {
		return nil
	}
	p.shared()
	var all []*bundle.Bundle
	for _, g := range p.Groups {
		all = append(all, g.Bundles...)
	}
	all, err := bundle.Choose(all, choices)
	if err != nil {
		return err
	}
	for _, g := range p.Groups {
		n := len(g.Bundles)
		g.Bundles, all = all[:n:n], all[n:]
	}
	return nil
}
