// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// group is cases that the same bundles answer.
type group struct {
	bundles []*bundle.Bundle
	// own reports whether the cases lie in the one bundle; whole, that they are all of its
	// cases.
	own, whole bool
	// published reports whether customizations answer in place of bundles: those of a file
	// beside the cases, which are of the published form.
	published      bool
	customizations []engine.RuleSet
	cases          []*cases.Case
}

// runner returns what runs the cases of the group.
func (g *group) runner(allowUnchecked bool) *cases.Runner {
	return &cases.Runner{
		Bundles: g.bundles, Customizations: g.customizations, AllowUnchecked: allowUnchecked || g.published,
	}
}

// customizationsFile is the file beside whose testdata folder the cases are run with
// its customizations alone.
const customizationsFile = "customizations.yaml"

// plan is all that a run of test has to do.
type plan struct {
	groups []*group
	// skipped are the YAML files without cases that a walk met.
	skipped []string
	// errs are what could not be read or loaded; the rest runs.
	errs []error

	loader bundle.Loader
	// lenient reports whether cases in no bundle may have keys that are not known.
	lenient bool
	// common are the bundles of cases that are in none; read when needed.
	common *group
	dir    string
}

// plan finds the cases and the bundles that answer them. The error names that nothing
// can be run: a path or a parameter is wrong.
func (o *testOptions) plan(l bundle.Loader) (*plan, error) {
	p := &plan{loader: l, dir: o.bundle, lenient: o.allowUnchecked}
	for _, path := range o.paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		path = filepath.Clean(path)
		switch home := p.home(path); {
		case p.dir != "" && path == filepath.Clean(p.dir):
			p.inBundle(path, path)
		case home != "":
			p.enter(home, path)
		case info.IsDir():
			p.walk(path, nil, "")
		default:
			p.file(path, p.shared(), true)
		}
	}
	return p, p.choose(o.parameters)
}

// home returns the nearest folder that path is in whose scripts answer its cases, or "".
func (p *plan) home(path string) string {
	for dir := path; ; dir = filepath.Join(dir, "..") {
		if p.isHome(dir) {
			return dir
		}
		absolute, err := filepath.Abs(dir)
		if err != nil || absolute == filepath.Dir(absolute) {
			return ""
		}
	}
}

// isHome reports whether a folder holds the scripts that answer the cases in it: a bundle or
// customizations.
func (p *plan) isHome(dir string) bool {
	return p.dir == "" && (has(dir, bundle.ManifestFile) || has(dir, customizationsFile))
}

func has(dir, file string) bool {
	info, err := os.Stat(filepath.Join(dir, file))
	return err == nil && info.Mode().IsRegular()
}

// enter adds the cases below path, which the scripts in home answer.
func (p *plan) enter(home, path string) {
	if has(home, bundle.ManifestFile) {
		p.inBundle(home, path)
	} else {
		p.customized(home, path)
	}
}

// customized adds the cases below path, which belong to the customizations in home.
// What is wrong with the customizations leaves their cases to run, and fail.
func (p *plan) customized(home, path string) {
	file := filepath.Join(home, customizationsFile)
	data, err := os.ReadFile(file)
	g := &group{published: true}
	if err == nil {
		g.customizations, err = compileCustomizations(p.loader.Compiler, file, data)
	}
	if err != nil {
		p.fail(err)
	}
	p.groups = append(p.groups, g)
	p.walk(path, g, file)
}

// inBundle adds the cases below path, which lies in the bundle at home.
func (p *plan) inBundle(home, path string) {
	b, err := p.loader.Load(hostFS{}, home, nil)
	if err != nil {
		p.fail(err)
		return
	}
	g := &group{bundles: []*bundle.Bundle{b}, own: true, whole: path == home}
	p.groups = append(p.groups, g)
	p.walk(path, g, filepath.Join(home, bundle.ManifestFile))
}

// walk adds the cases of path, a file or a tree, to a group, or where it is nil to the
// one that the bundles of this program answer. A folder below that has scripts of its
// own goes to these. The file except holds no cases.
func (p *plan) walk(path string, g *group, except string) {
	p.visit(path, func(file string, d fs.DirEntry) error {
		switch {
		case d.IsDir() && file != path && p.isHome(file):
			p.enter(file, file)
			return fs.SkipDir
		case d.IsDir() || file == except || file != path && !cases.IsYAML(file):
			return nil
		case g == nil:
			p.file(file, p.shared(), file == path)
		default:
			p.file(file, g, file == path)
		}
		return nil
	})
}

// visit walks a tree without the hidden folders; the root may be a link.
func (p *plan) visit(root string, f func(path string, d fs.DirEntry) error) {
	start := root
	if info, err := os.Stat(root); err == nil && info.IsDir() {
		start += string(filepath.Separator)
	}
	err := filepath.WalkDir(start, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			p.fail(err)
			return fs.SkipDir
		}
		path = filepath.Clean(path)
		if name := d.Name(); d.IsDir() && path != root && len(name) > 1 && name[0] == '.' {
			return fs.SkipDir
		}
		return f(path, d)
	})
	if err != nil {
		p.fail(err)
	}
}

// shared returns the group of the cases that are in no bundle.
func (p *plan) shared() *group {
	if p.common != nil {
		return p.common
	}
	p.common = &group{}
	bundles, err := loadBundles(p.loader, p.dir)
	if err != nil {
		p.fail(err)
	}
	p.common.bundles = bundles
	p.groups = append(p.groups, p.common)
	return p.common
}

// file adds the cases of one file. That a file holds none is an error where the user
// named it.
func (p *plan) file(path string, g *group, named bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		p.fail(err)
		return
	}
	name := filepath.ToSlash(path)
	found, err := cases.Read(name, data)
	if g.published || err != nil && p.lenient && !g.own {
		found, err = cases.ReadPublished(name, data)
	}
	if err != nil {
		p.fail(err)
	}
	if err == nil && len(found) == 0 {
		if named {
			p.fail(fmt.Errorf("%s: there is no case in it", path))
		}
		p.skipped = append(p.skipped, path)
	}
	g.cases = append(g.cases, found...)
}

func (p *plan) fail(err error) { p.errs = append(p.errs, flat(err)...) }

// choose sets parameters of all bundles.
func (p *plan) choose(choices []string) error {
	if len(choices) == 0 {
		return nil
	}
	p.shared()
	var all []*bundle.Bundle
	for _, g := range p.groups {
		all = append(all, g.bundles...)
	}
	all, err := bundle.Choose(all, choices)
	if err != nil {
		return err
	}
	for _, g := range p.groups {
		n := len(g.bundles)
		g.bundles, all = all[:n:n], all[n:]
	}
	return nil
}
