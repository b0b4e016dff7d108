// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"cmp"
	"errors"
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
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
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

// Problem is one thing that is wrong.
type Problem struct {
	File string `json:"file"`
	// Line is the line of the field, or if it is missing, that of the nearest field above
	// it; for a script, the line in the script. It starts at 1; 0 means the file as a
	// whole.
	Line int `json:"line"`
	// Column is that of a script, in bytes from 1; 0 where it is not known.
	Column int `json:"column,omitempty"`
	// Kind and Name are those of the object; "" where there is none.
	Kind string `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
	// Field is the path of the field within the object; "" for the object as a whole.
	Field string `json:"field,omitempty"`
	// Rule is the id of the rule that found it; "" for what no rule is about.
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
}

// String returns file:line:column: kind/name: field: message [rule], without the parts that are
// empty.
func (p Problem) String() string {
	text := p.File
	if p.Line > 0 {
		text = script.Position{File: text, Line: p.Line, Column: p.Column}.String()
	}
	if p.Kind != "" {
		text += ": " + p.Kind
	}
	if p.Name != "" {
		text += "/" + p.Name
	}
	if p.Field != "" {
		text += ": " + p.Field
	}
	if text += ": " + p.Message; p.Rule != "" {
		text += " [" + p.Rule + "]"
	}
	return text
}

// Findings are the result of a check. Its JSON form is that of dragoman check -o json.
type Findings struct {
	// Checked is the number of objects and bundles that were checked, Skipped the number
	// of documents that are neither.
	Checked  int       `json:"checked"`
	Skipped  int       `json:"skipped"`
	Problems []Problem `json:"problems"`
	// Warnings are what is probably not meant.
	Warnings []Problem `json:"warnings"`
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

func (o *checked) problem(n Note) Problem {
	at := o.node.At(n.Field)
	return Problem{File: at.File, Line: at.Line, Kind: o.kind, Name: o.name, Field: n.Field, Message: diag.Clip(n.Message)}
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
	c.text(f, file, data, true)
	return f
}

// Files checks files, and the YAML files in folders. In a folder, a document that is not
// an object is skipped, as are hidden folders; a bundle is checked as a whole.
func (c *Checker) Files(fsys fs.FS, paths []string) *Findings {
	f := newFindings()
	for _, root := range paths {
		root = path.Clean(root)
		err := walkFiles(fsys, root, f.fail, func(name string, d fs.DirEntry) error {
			switch {
			case d.IsDir() && isBundle(fsys, name):
				c.bundle(f, fsys, name)
				return fs.SkipDir
			case path.Base(name) == bundle.ManifestFile && isBundle(fsys, path.Dir(name)):
				c.bundle(f, fsys, path.Dir(name))
			case !d.IsDir() && (name == root || cases.IsYAML(name)):
				c.file(f, fsys, name, name == root)
			}
			return nil
		})
		if err != nil {
			f.fail(err)
		}
	}
	return f
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
func (p Printer) Warnings(all []Problem) {
	for _, w := range all[:min(maxLines, len(all))] {
		fmt.Fprintf(p.Out, "warning: %v\n", w)
	}
}

func newFindings() *Findings {
	return &Findings{Problems: []Problem{}, Warnings: []Problem{}, Errors: []string{}, texts: map[string][]string{}}
}

func (f *Findings) fail(err error) {
	f.Errs = append(f.Errs, err)
	f.Errors = append(f.Errors, err.Error())
}

// file checks one file of a file system.
func (c *Checker) file(f *Findings, fsys fs.FS, name string, named bool) {
	data, err := yamldoc.ReadFile(fsys, name)
	if err != nil {
		f.errors("", "", err)
		return
	}
	c.text(f, name, data, named)
}

// text checks the documents of a file, and sorts their problems by line.
func (c *Checker) text(f *Findings, file string, data []byte, named bool) {
	first := len(f.Problems)
	if bytes.Contains(data, []byte(customizationKind.Kind)) || bytes.Contains(data, []byte("PlacementRule")) {
		f.texts[file] = strings.Split(string(data), "\n")
	}
	documents, err := yamldoc.Split(file, data)
	f.errors("", "", err)
	for _, d := range documents {
		n, err := d.Parse()
		if err != nil {
			f.errors("", "", err)
			continue
		}
		c.document(f, n, named)
	}
	slices.SortStableFunc(f.Problems[first:], func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	f.cut(first+maxProblems, Problem{File: file})
}

const (
	// maxProblems is how many problems of a file are kept.
	maxProblems = 1000
	// maxLines is how many problems are printed for people.
	maxLines = 200
)

// cut puts one problem with their number in place of those from n on.
func (f *Findings) cut(n int, instead Problem) {
	if len(f.Problems) > n {
		instead.Message = yamldoc.More(len(f.Problems) - n).Error()
		f.Problems = append(slices.Clone(f.Problems[:n]), instead)
	}
}

// document checks a document: an object, or a list of objects.
func (c *Checker) document(f *Findings, n yamldoc.Node, named bool) {
	object, ok := objectAt(n)
	switch {
	case !ok && named:
		f.Problems = append(f.Problems, Problem{File: n.File, Line: n.Line, Message: "want a Kubernetes object with apiVersion and kind"})
	case !ok:
		f.Skipped++
	case strings.HasSuffix(object.GetKind(), "List") && object.IsList():
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

// Bundle checks the bundle in a folder, also where its manifest cannot be read.
func (c *Checker) Bundle(fsys fs.FS, dir string) *Findings {
	f := newFindings()
	c.bundle(f, fsys, path.Clean(dir))
	return f
}

// isBundle reports whether a folder holds a bundle.
func isBundle(fsys fs.FS, dir string) bool {
	data, err := yamldoc.ReadFile(fsys, path.Join(dir, bundle.ManifestFile))
	if err != nil {
		return false
	}
	nodes, err := yamldoc.Read(dir, data)
	if err != nil || len(nodes) == 0 {
		return false
	}
	object, ok := objectAt(nodes[0])
	return ok && object.GetAPIVersion() == bundle.APIVersion
}

// bundle checks a bundle by loading it, as the control plane does.
func (c *Checker) bundle(f *Findings, fsys fs.FS, dir string) {
	f.Checked++
	b, err := bundle.Loader{Compiler: c.compiler}.Load(fsys, dir, nil)
	f.errors("Bundle", path.Base(dir), err)
	if err == nil {
		f.bundles = append(f.bundles, checkedBundle{fsys, b})
		c.bundledCRDs(f, fsys, b)
	}
}

// bundledCRDs reads the CRDs that a bundle brings along, for the fields of its scripts.
func (c *Checker) bundledCRDs(f *Findings, fsys fs.FS, b *bundle.Bundle) {
	dir := path.Join(b.Dir, bundle.CRDsDir)
	if info, err := fs.Stat(fsys, dir); err != nil || !info.IsDir() {
		return
	}
	err := walkFiles(fsys, dir, f.fail, func(name string, d fs.DirEntry) error {
		if !d.IsDir() && cases.IsCaseFile(name) && !bundle.Hidden(d.Name()) && !b.Ignores(name, false) {
			c.file(f, fsys, name, false)
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
	for _, e := range Flatten(err) {
		var place *yamldoc.Error
		var failure *script.Error
		switch {
		case errors.As(e, &place):
			f.Problems = append(f.Problems, Problem{File: place.File, Line: place.Line, Kind: kind, Name: name, Message: place.Message})
		case errors.As(e, &failure):
			f.Problems = append(f.Problems, Problem{
				File: failure.File, Line: failure.Line, Column: failure.Column, Kind: kind, Name: name, Rule: failure.Rule, Message: failure.Message,
			})
		default:
			f.fail(e)
		}
	}
}
