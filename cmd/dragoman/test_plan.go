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
	// customizations answer in place of bundles, for cases beside a file of them.
	customizations []engine.Source
	cases          []*cases.Case
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

	compiler *engine.Compiler
	// common are the bundles of cases that are in none; read when needed.
	common *group
	dir    string
}

// plan finds the cases and the bundles that answer them. The error says that nothing
// can be run: a path or a parameter is wrong.
func (o *testOptions) plan(c *engine.Compiler) (*plan, error) {
	p := &plan{compiler: c, dir: o.bundle}
	for _, path := range o.paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if home := p.home(path, bundle.ManifestFile); home != "" {
			p.inBundle(home, path)
		} else if home := p.home(path, customizationsFile); home != "" {
			p.customized(home, path)
		} else if info.IsDir() {
			p.walk(path)
		} else {
			p.file(path, p.shared(), true)
		}
	}
	return p, p.choose(o.parameters)
}

// home gives the folder with the file that path is in, or "".
func (p *plan) home(path, file string) string {
	if p.dir != "" {
		return ""
	}
	for dir := filepath.Clean(path); ; dir = filepath.Join(dir, "..") {
		if has(dir, file) {
			return dir
		}
		absolute, err := filepath.Abs(dir)
		if err != nil || absolute == filepath.Dir(absolute) {
			return ""
		}
	}
}

func has(dir, file string) bool {
	info, err := os.Stat(filepath.Join(dir, file))
	return err == nil && info.Mode().IsRegular()
}

// customized adds the cases below path, which belong to the customizations in home.
func (p *plan) customized(home, path string) {
	file := filepath.Join(home, customizationsFile)
	sources, err := loadCustomizations(p.compiler, file)
	if err != nil {
		p.fail(err)
		return
	}
	g := &group{customizations: sources}
	p.groups = append(p.groups, g)
	p.files(path, func(name string, named bool) {
		if name != file {
			p.file(name, g, named)
		}
	})
}

// inBundle adds the cases below path, which lies in the bundle at home.
func (p *plan) inBundle(home, path string) {
	b, err := bundle.Load(hostFS{}, home, p.compiler, nil)
	if err != nil {
		p.fail(err)
		return
	}
	g := &group{bundles: []*bundle.Bundle{b}}
	p.groups = append(p.groups, g)
	p.files(path, func(file string, named bool) {
		if file != filepath.Join(home, bundle.ManifestFile) {
			p.file(file, g, named)
		}
	})
}

// walk adds the cases below a folder that lies in no bundle.
func (p *plan) walk(root string) {
	p.visit(root, func(path string, d fs.DirEntry) error {
		switch {
		case d.IsDir() && p.dir == "" && has(path, bundle.ManifestFile):
			p.inBundle(path, path)
			return filepath.SkipDir
		case d.IsDir() && p.dir == "" && has(path, customizationsFile):
			p.customized(path, path)
			return filepath.SkipDir
		case !d.IsDir() && cases.IsYAML(path):
			p.file(path, p.shared(), false)
		}
		return nil
	})
}

// files calls f for path, or the YAML files below it, and says whether the user named
// the file.
func (p *plan) files(path string, f func(file string, named bool)) {
	p.visit(path, func(file string, d fs.DirEntry) error {
		if !d.IsDir() && (file == path || cases.IsYAML(file)) {
			f(file, file == path)
		}
		return nil
	})
}

// visit walks a tree without the hidden folders.
func (p *plan) visit(root string, f func(path string, d fs.DirEntry) error) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != root && len(name) > 1 && name[0] == '.' {
			return filepath.SkipDir
		}
		return f(path, d)
	})
	if err != nil {
		p.fail(err)
	}
}

// shared gives the group of the cases that are in no bundle.
func (p *plan) shared() *group {
	if p.common != nil {
		return p.common
	}
	p.common = &group{}
	bundles, err := loadBundles(p.compiler, p.dir)
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
	found, err := cases.Read(filepath.ToSlash(path), data)
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
		g.bundles, all = all[:n], all[n:]
	}
	return nil
}
