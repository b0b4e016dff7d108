// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/validation"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Checker finds what is wrong with objects of the kinds of package api, and with
// bundles: fields that do not exist, values that the schema or the validation of a kind
// refuses, and scripts that do not compile. Defaults are applied first, as the control
// plane applies them. What needs other objects, such as the clusters that a policy
// names, is not checked.
//
// It is safe for many goroutines.
type Checker struct {
	compiler  *engine.Compiler
	namespace string
	kinds     validation.Kinds
}

// Findings are the result of a check. Its JSON form is that of dragoman check -o json.
type Findings struct {
	// Checked is the number of objects and bundles that were checked, Skipped the number
	// of documents that are neither.
	Checked  int              `json:"checked"`
	Skipped  int              `json:"skipped"`
	Problems []source.Problem `json:"problems"`
	// Warnings are what is probably not meant.
	Warnings []source.Problem `json:"warnings"`
	// Errors are the texts of Errs: what could not be read.
	Errors []string `json:"errors"`
	Errs   []error  `json:"-"`

	// objects and bundles were checked; definitions are the CRDs among what was skipped.
	objects     []checked
	bundles     []checkedBundle
	definitions []*unstructured.Unstructured
	// texts are the lines of files with scripts in them.
	texts map[string][]string
}

// checked is an object that was checked, and where it is.
type checked struct {
	node   yamldoc.Node
	object runtime.Object
	name   string
	kind   string
	// broken are the fields of scripts that do not compile.
	broken []string
}

// Note is what a review finds about a field.
type Note struct{ Field, Message string }

// Review returns what is wrong with an object, and warnings, in view of the CRDs that were
// found beside it.
type Review func(object runtime.Object, definitions []*unstructured.Unstructured) (problems, warnings []Note)

// Review adds what a review finds about the objects that were checked. It is called once,
// after all files.
func (f *Findings) Review(review Review) {
	for _, o := range f.objects {
		problems, warnings := review(o.object, f.definitions)
		for _, n := range problems {
			f.Problems = append(f.Problems, o.problem(n))
		}
		for _, n := range warnings {
			f.Warnings = append(f.Warnings, o.problem(n))
		}
	}
}

func (o *checked) problem(n Note) source.Problem {
	at := o.node.At(n.Field)
	return source.Problem{File: at.File, Line: at.Line, Kind: o.kind, Name: o.name, Field: n.Field, Message: diag.Clip(n.Message)}
}

// NewChecker returns a checker. A namespaced object that has no namespace is checked as
// one in namespace; "" is default.
func NewChecker(c *engine.Compiler, namespace string) (*Checker, error) {
	known, err := validation.New()
	if err != nil {
		return nil, err
	}
	return &Checker{compiler: c, namespace: cmp.Or(namespace, "default"), kinds: known}, nil
}

// Text checks the YAML documents of one file. A document that is not an object is a
// problem.
func (c *Checker) Text(file string, data []byte) *Findings {
	f := newFindings()
	c.text(f, source.Read(file, data), true)
	return f
}

// Files checks files, and the YAML files in folders. In a folder, a document that is not
// an object is skipped, as are hidden folders; a bundle is checked as a whole. A file that is named is checked as what
// it is: the manifest and the scripts of a bundle with the bundle, cases by the rules of their home.
func (c *Checker) Files(fsys fs.FS, paths []string) *Findings {
	f := newFindings()
	tree := source.New(fsys)
	for _, root := range paths {
		root = path.Clean(root)
		err := source.Walk(tree, root, f.fail, func(name string, d fs.DirEntry) error {
			switch {
			case d.IsDir():
				return c.folder(f, tree, name)
			case name == root:
				c.named(f, tree, name)
			case cases.IsYAML(name):
				c.file(f, tree, name, false)
			}
			return nil
		})
		if err != nil {
			f.fail(err)
		}
	}
	return f
}

// folder checks a folder that is a home, and returns fs.SkipDir for one of which no file is checked by itself.
func (c *Checker) folder(f *Findings, tree *source.Tree, dir string) error {
	h := tree.HomeAt(dir)
	switch {
	case h != nil && h.Kind == source.Manifest:
		c.bundle(f, tree, dir)
		return fs.SkipDir
	case h != nil:
		c.shadowed(f, tree, h)
	}
	return nil
}

// named checks a file that a user names, as what it is.
func (c *Checker) named(f *Findings, tree *source.Tree, name string) {
	switch p := tree.Look(name); {
	case p.Kind == source.Manifest, p.Kind == source.Script && p.Home != nil && p.Home.Kind == source.Manifest:
		c.bundle(f, tree, p.Home.Dir)
	case p.Kind == source.Script:
		f.errors("", "", tree.Stray(name))
	case p.Kind != source.Cases || !c.namedCases(f, tree, p):
		c.file(f, tree, name, true)
	}
}

// Add adds the findings of another check.
func (f *Findings) Add(other *Findings) {
	f.Checked += other.Checked
	f.Skipped += other.Skipped
	f.Problems = append(f.Problems, other.Problems...)
	f.Warnings = append(f.Warnings, other.Warnings...)
	f.objects = append(f.objects, other.objects...)
	f.bundles = append(f.bundles, other.bundles...)
	f.definitions = append(f.definitions, other.definitions...)
	maps.Copy(f.texts, other.texts)
	f.Errors = append(f.Errors, other.Errors...)
	f.Errs = append(f.Errs, other.Errs...)
}

// WriteJSON writes the findings as one indented JSON document.
func (f *Findings) WriteJSON(w io.Writer) error { return writeJSON(w, f) }

// Findings prints a line for each of the first problems, and the counts.
func (p Printer) Findings(f *Findings) {
	for _, problem := range f.Problems[:min(maxLines, len(f.Problems))] {
		fmt.Fprintln(p.Out, problem)
	}
	if n := len(f.Problems) - maxLines; n > 0 {
		fmt.Fprintf(p.Out, "%v; the form json has all\n", yamldoc.More(n))
	}
	p.Warnings(f.Warnings)
	if f.Checked == 0 && len(f.Problems) == 0 {
		return
	}
	warnings := ""
	if n := len(f.Warnings); n > 0 {
		warnings = fmt.Sprintf(", %d warnings", n)
	}
	fmt.Fprintf(p.Out, "%d checked, %d skipped, %d problems%s\n", f.Checked, f.Skipped, len(f.Problems), warnings)
}

// Warnings prints a line for each of the first warnings.
func (p Printer) Warnings(all []source.Problem) {
	for _, w := range all[:min(maxLines, len(all))] {
		fmt.Fprintf(p.Out, "warning: %v\n", w)
	}
}

func newFindings() *Findings {
	return &Findings{Problems: []source.Problem{}, Warnings: []source.Problem{}, Errors: []string{}, texts: map[string][]string{}}
}

func (f *Findings) fail(err error) {
	f.Errs = append(f.Errs, err)
	f.Errors = append(f.Errors, err.Error())
}

// file checks one file of a file system.
func (c *Checker) file(f *Findings, tree *source.Tree, name string, named bool) {
	file, err := tree.File(name)
	if err != nil {
		f.errors("", "", err)
		return
	}
	c.text(f, file, named)
}

// text checks the documents of a file, and sorts their problems by line.
func (c *Checker) text(f *Findings, file *source.File, named bool) {
	first := len(f.Problems)
	if bytes.Contains(file.Text, []byte(source.CustomizationKind().Kind)) || bytes.Contains(file.Text, []byte(source.PlacementKind().Kind)) {
		f.texts[file.Name] = strings.Split(string(file.Text), "\n")
	}
	documents, err := file.Documents()
	f.errors("", "", err)
	for _, d := range documents {
		if d.Err != nil {
			f.errors("", "", d.Err)
			continue
		}
		c.document(f, d.Node, named)
	}
	slices.SortStableFunc(f.Problems[first:], func(a, b source.Problem) int { return cmp.Compare(a.Line, b.Line) })
	f.cut(first+maxProblems, source.Problem{File: file.Name})
}

const (
	// maxProblems is how many problems of a file are kept.
	maxProblems = 1000
	// maxLines is how many problems are printed for people.
	maxLines = 200
)

// cut puts one problem with their number in place of those from n on.
func (f *Findings) cut(n int, instead source.Problem) {
	if len(f.Problems) > n {
		instead.Message = yamldoc.More(len(f.Problems) - n).Error()
		f.Problems = append(slices.Clone(f.Problems[:n]), instead)
	}
}

// document checks a document: an object, or a list of objects.
func (c *Checker) document(f *Findings, n yamldoc.Node, named bool) {
	object, ok := source.ObjectAt(n)
	switch {
	case !ok && named:
		f.Problems = append(f.Problems, source.Problem{File: n.File, Line: n.Line, Message: "want a Kubernetes object with apiVersion and kind"})
	case !ok:
		f.Skipped++
	case source.IsList(object):
		if err := n.At("items").Items(func(item yamldoc.Node) error {
			item.Path = ""
			c.document(f, item, named)
			return nil
		}); err != nil {
			f.errors(object.GetKind(), object.GetName(), err)
		}
	default:
		c.object(f, n, object)
	}
}

// bundle checks a bundle by loading it, as the control plane does.
func (c *Checker) bundle(f *Findings, tree *source.Tree, dir string) {
	f.Checked++
	b, err := bundle.Loader{Compiler: c.compiler}.Load(tree, dir, nil)
	f.errors("Bundle", path.Base(dir), err)
	if err == nil {
		f.bundles = append(f.bundles, checkedBundle{tree, b})
		c.bundledCRDs(f, tree, b)
	}
}

// bundledCRDs reads the CRDs that a bundle brings along, for the fields of its scripts.
func (c *Checker) bundledCRDs(f *Findings, tree *source.Tree, b *bundle.Bundle) {
	dir := path.Join(b.Dir, bundle.CRDsDir)
	if info, err := fs.Stat(tree, dir); err != nil || !info.IsDir() {
		return
	}
	err := source.Walk(tree, dir, f.fail, func(name string, d fs.DirEntry) error {
		if !d.IsDir() && cases.IsCaseFile(name) && !b.Ignores(name, false) {
			c.file(f, tree, name, false)
		}
		return nil
	})
	if err != nil {
		f.fail(err)
	}
}

// errors adds the problems of a joined error; an error without a position is one of
// reading.
func (f *Findings) errors(kind, name string, err error) {
	for _, e := range source.Flatten(err) {
		p, placed := source.ProblemOf(e)
		if !placed {
			f.fail(e)
			continue
		}
		p.Kind, p.Name = kind, name
		f.Problems = append(f.Problems, p)
	}
}
