// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Selection is which cases to run and what answers them. A case in a folder with a
// bundle.yaml, or below it, is answered by that bundle; one below a customizations.yaml, or
// below a folder of which a file holds customizations, by these; one below a
// placementrules.yaml is about the rules in it; any other is answered by Bundles. Where
// scripts lie beside such a case that belong to none of these, it is not run, and there is
// an error.
type Selection struct {
	// Files holds Paths and Bundle. The folders above a path are searched for a bundle
	// as far as Files has them: as fs.FS has it, up to the root; a file system that
	// takes "..", such as one of the host, also beyond.
	Files fs.FS
	// Paths are the files and folders with cases, with slashes.
	Paths []string
	// Bundle is the folder of a bundle that answers all cases; "" for none.
	Bundle string
	// Customization is a file of customizations that answer all cases; "" for none.
	Customization string
	// Run chooses cases by their names; nil is all.
	Run *regexp.Regexp
	// Bundles has bundles as folders at its root; they are read when a case needs them. Those
	// for any kind answer only their own cases.
	Bundles fs.FS
	// Parameters set parameters of bundles, as bundle.Choose reads them.
	Parameters []string
	// AllowUnchecked allows results that the output of a case does not name, and unknown
	// keys in cases outside of bundles.
	AllowUnchecked bool
	// WithoutLaws leaves out the laws.
	WithoutLaws bool
	// Coverage counts which lines of the scripts the cases run.
	Coverage bool
}

// Plan is a selection after reading: what Run does, in order.
type Plan struct {
	Groups []*Group
	// Skipped are the YAML files without cases in folders.
	Skipped []string
	// Errs are the errors of what could not be read or loaded; the rest runs.
	Errs []error
	// Warnings are what is probably not meant in customizations.
	Warnings []source.Problem

	selection Selection
	// failing are the cases whose answers are not as expected.
	failing []failing
	// incomplete reports whether something could not be read, loaded or run.
	incomplete bool
	loader     bundle.Loader
	tree       *source.Tree
	// placement are the PlacementRules with their cases.
	placement []*placementRules
	// onlyFolders reports whether all paths are folders.
	onlyFolders bool
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
	// these are those of the scripts.
	Laws bool
	// Complete reports whether these are all cases of the scripts, which must then leave
	// no gap.
	Complete bool

	published bool
	// all are the cases before some were chosen; nil is Cases.
	all []*cases.Case
	// where says where the scripts are, after the name of a bundle.
	where string
	// set are the customizations; nil for bundles.
	set *customizationSet
	// reader reads the cases of a bundle; nil for others, which are bounded by file.
	reader *cases.Reader
}

// NewPlan reads the cases and the scripts that answer them. The error means that nothing
// can run, because a path or a parameter is wrong. All other errors are in Errs.
func NewPlan(c *engine.Compiler, s Selection) (*Plan, error) {
	p := &Plan{selection: s, loader: bundle.Loader{Compiler: c}, tree: source.New(s.Files)}
	if s.Coverage {
		p.loader.Coverage = script.NewCoverage()
	}
	roots, err := p.roots()
	if err != nil {
		return nil, err
	}
	var empty []error
	p.onlyFolders = !slices.ContainsFunc(roots, func(r root) bool { return !r.info.IsDir() })
	for _, r := range roots {
		cases, errs := p.size(), len(p.Errs)
		p.add(r)
		if p.size() == cases && len(p.Errs) == errs {
			empty = append(empty, fmt.Errorf("%s: there are no cases in it", r.name))
		}
	}
	if len(empty) < len(roots) {
		p.fail(errors.Join(empty...))
	}
	p.checkNames()
	if s.Run != nil {
		p.choosesCases(s.Run)
	}
	return p, p.choose(s.Parameters)
}

// choosesCases keeps the cases whose names match. What they leave out is no gap then.
func (p *Plan) choosesCases(name *regexp.Regexp) {
	for _, g := range p.Groups {
		g.all = g.Cases
		g.Complete = false
		g.Cases = slices.DeleteFunc(slices.Clone(g.Cases), func(c *cases.Case) bool { return !name.MatchString(c.Name) })
	}
	for _, r := range p.placement {
		r.complete = false
		r.cases = slices.DeleteFunc(r.cases, func(c *placementCase) bool { return !name.MatchString(c.name) })
	}
}

// expectations are the cases of which expected errors break no law: all of the group.
func (g *Group) expectations() []*cases.Case {
	if g.all != nil {
		return g.all
	}
	return g.Cases
}

// add adds the cases of a path.
func (p *Plan) add(r root) {
	switch h := p.nearestHome(r.name); {
	case p.selection.Bundle != "" && r.name == path.Clean(p.selection.Bundle):
		p.addBundled(r.name, r.name)
	case h != nil:
		p.addCases(h, r.name)
	default:
		p.walkShared(r.name)
	}
}

// size returns the number of cases so far.
func (p *Plan) size() int {
	n := 0
	for _, g := range p.Groups {
		n += len(g.Cases)
	}
	for _, r := range p.placement {
		n += len(r.cases)
	}
	return n
}

// shared returns the group of the cases that are in no bundle.
func (p *Plan) shared() *Group {
	if p.common == nil {
		p.common = &Group{where: p.whereShared()}
		p.Groups = append(p.Groups, p.common)
		if file := p.selection.Customization; file != "" {
			set := p.readCustomizations([]string{file}, false)
			p.common.Customizations, p.common.set, p.common.published, p.common.Laws = set.sets, set, true, true
			p.common.Complete = p.onlyFolders
			return p.common
		}
		bundles, err := p.sharedBundles()
		if err != nil {
			p.fail(err)
		}
		p.common.Bundles = bundles
	}
	return p.common
}

// whereShared says where the shared bundles are.
func (p *Plan) whereShared() string {
	if p.selection.Bundle != "" {
		return "in " + p.selection.Bundle
	}
	return "of this program"
}

func (p *Plan) sharedBundles() ([]*bundle.Bundle, error) {
	s := p.selection
	switch {
	case s.Bundle != "":
		b, err := p.loader.Load(p.tree, s.Bundle, nil)
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
	f, err := p.tree.File(name)
	if err != nil {
		p.fail(err)
		return
	}
	found, err := g.read(p.loader.Compiler, f)
	if err != nil && p.selection.AllowUnchecked && !g.Laws {
		found, err = cases.ReadPublished(name, f.Text)
	}
	switch {
	case err != nil && !named && isOtherJSON(name, f.Text):
		p.Skipped = append(p.Skipped, name)
	case err != nil:
		p.fail(err)
	case len(found) == 0:
		p.noCases(f, g, named)
	}
	g.Cases = append(g.Cases, found...)
}

// read returns the cases of a file, by the rules of the group.
func (g *Group) read(c *engine.Compiler, f *source.File) ([]*cases.Case, error) {
	switch {
	case g.published:
		return cases.ReadPublished(f.Name, f.Text)
	case g.reader != nil:
		return g.reader.Read(f.Name, f.Text)
	}
	return cases.Read(c, f.Name, f.Text)
}

// isOtherJSON reports whether a file that is no YAML is that of another tool, such as JSON with
// comments: one outside of testdata that does not name an operation.
func isOtherJSON(name string, data []byte) bool {
	return !cases.IsYAML(name) && !slices.Contains(strings.Split(name, "/"), bundle.CasesDir) && !bytes.Contains(data, []byte("operation"))
}

// noCases notes a file without cases: an error for one that the user named, and for one
// among the cases of a home that holds no objects either; any other was passed over.
func (p *Plan) noCases(f *source.File, g *Group, named bool) {
	switch {
	case named:
		p.fail(fmt.Errorf("%s: there is no case in it", f.Name))
	case g != p.common:
		p.fail(neitherCaseNorObject(f))
	}
	p.Skipped = append(p.Skipped, f.Name)
}

// neitherCaseNorObject returns an error for the first document of a file without cases that is no object
// either, if the file is in a folder for cases.
func neitherCaseNorObject(f *source.File) error {
	documents, _ := f.Documents()
	broken := func(d source.Document) bool { return d.Err != nil }
	if slices.ContainsFunc(documents, broken) || !slices.Contains(strings.Split(f.Name, "/"), bundle.CasesDir) {
		return nil
	}
	for _, d := range documents {
		if d.Object == nil && d.Node.Value != nil {
			return &yamldoc.Error{File: f.Name, Line: d.Node.Line, Message: "neither a case nor a Kubernetes object; a case has " +
				"name, operation, desiredObj or observedObj, and output, changes, expectSubset, assert or expectError"}
		}
	}
	return nil
}

func (p *Plan) fail(err error) { p.Errs = append(p.Errs, source.Flatten(err)...) }

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
