// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/compare"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
)

// Revision is one state of the scripts for some kinds: a bundle, or a file of customizations. It
// is not safe for several goroutines.
type Revision struct {
	path  string
	side  compare.Side
	cases []*cases.Case
}

// ReadRevision reads a bundle folder, with its cases, or a file of customizations.
func ReadRevision(c *engine.Compiler, fsys fs.FS, name string) (*Revision, error) {
	v := &Revision{path: name}
	i := engine.NewInterpreter(engine.Options{Clock: cases.Clock(), Observe: v.side.Observe})
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	layer, sets := engine.Customizations, []engine.RuleSet(nil)
	if info.IsDir() {
		b, err := bundle.Loader{Compiler: c}.Load(fsys, name, nil)
		if err != nil {
			return nil, err
		}
		if v.cases, err = cases.InBundle(fsys, b); err != nil {
			return nil, err
		}
		layer, sets = engine.Embedded, []engine.RuleSet{b.Source}
	} else {
		file, err := source.New(fsys).File(name)
		if err != nil {
			return nil, err
		}
		if sets, _, err = Customizations(c, file, nil); err != nil {
			return nil, err
		}
	}
	for _, set := range sets {
		if err := i.Set(layer, set); err != nil {
			return nil, err
		}
	}
	v.side.Rules = i.Snapshot()
	return v, nil
}

// asked is a question and where its object is.
type asked struct {
	request engine.Request
	where   string
}

// located is an object and where it is.
type located struct {
	object *unstructured.Unstructured
	where  string
}

// Compare asks both revisions the questions of their cases, and all questions about objects: what a
// question takes beside its object, the earlier revision answers about the object, or the later one where
// that does not. files are files and folders with objects.
// The error is about reading these.
func Compare(before, after *Revision, fsys fs.FS, files []string) (*compare.Comparison, error) {
	var objects []located
	for _, file := range files {
		more, err := objectsBelow(fsys, file)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	c := compare.New()
	for _, q := range caseQuestions(before, after) {
		c.Ask(&before.side, &after.side, q.request, q.where)
	}
	for _, o := range objects {
		questions, left := compare.Questions(o.object, engine.Operations(), before.side.Rules, after.side.Rules)
		c.Leave(left...)
		for _, q := range questions {
			c.Ask(&before.side, &after.side, q, o.where)
		}
	}
	c.Sort()
	return c, nil
}

// caseQuestions returns the questions of the cases of both revisions, each once: those of the
// later one, and what the earlier one asks beside them.
func caseQuestions(before, after *Revision) []asked {
	var all []asked
	seen := map[string]bool{}
	for _, v := range []*Revision{after, before} {
		for _, c := range v.cases {
			if len(c.Parameters) > 0 {
				continue // other values than those of the revision
			}
			key, err := json.Marshal(c.Question)
			if err == nil && seen[string(key)] {
				continue
			}
			seen[string(key)] = true
			all = append(all, asked{c.Question, c.Where()})
		}
	}
	return all
}

// objectsBelow returns the objects of a file, or of the YAML files below
// a folder; documents of folders that are no objects are passed over.
func objectsBelow(fsys fs.FS, name string) ([]located, error) {
	var all []located
	var errs []error
	tree := source.New(fsys)
	err := source.Walk(tree, path.Clean(name), func(err error) { errs = append(errs, err) }, func(file string, d fs.DirEntry) error {
		if d.IsDir() || file != path.Clean(name) && !cases.IsYAML(file) {
			return nil
		}
		found, err := objectsIn(tree, file)
		all, errs = append(all, found...), append(errs, err)
		return nil
	})
	return all, errors.Join(append(errs, err)...)
}

// objectsIn returns the objects of a file. The error joins those of documents that do not parse.
func objectsIn(tree *source.Tree, name string) ([]located, error) {
	f, err := tree.File(name)
	if err != nil {
		return nil, err
	}
	documents, err := f.Documents()
	errs := []error{err}
	var all []located
	for _, d := range documents {
		errs = append(errs, d.Err)
		found, _ := d.Objects() // what is no object is passed over
		for _, o := range found {
			all = append(all, located{o.Object, fmt.Sprintf("%s:%d", o.Node.File, o.Node.Line)})
		}
	}
	return all, errors.Join(errs...)
}

// WriteComparison writes a comparison as one indented JSON document.
func WriteComparison(w io.Writer, c *compare.Comparison) error { return writeJSON(w, c) }

// shown returns a value for people.
func shown(value json.RawMessage) string {
	if value == nil {
		return "nothing"
	}
	return diag.Clip(string(value))
}

// maxExamples is how many objects of a change are printed for people.
const maxExamples = 3

// Comparison prints the changes, and the counts.
func (p Printer) Comparison(c *compare.Comparison) {
	for _, change := range c.Changes {
		fmt.Fprintf(p.Out, "%s of %s: %s, %d of them\n", change.Operation, change.Kind, change.What, change.Count)
		if change.Message != "" {
			fmt.Fprintf(p.Out, "     %s\n", change.Message)
		}
		for _, d := range change.Differences {
			fmt.Fprintf(p.Out, "     %s: %s, was %s\n", d.Path, shown(d.After), shown(d.Before))
		}
		for _, where := range change.Where[:min(maxExamples, len(change.Where))] {
			fmt.Fprintf(p.Out, "     at %s\n", where)
		}
		if more := change.Count - maxExamples; more > 0 {
			fmt.Fprintf(p.Out, "     and %d more\n", more)
		}
	}
	for _, u := range c.Unasked {
		fmt.Fprintf(p.Out, "%s of %s: not asked about %d of them: %s\n", u.Operation, u.Kind, u.Count, u.Reason)
	}
	fmt.Fprintf(p.Out, "%d asked, %d same, %d changed, %d new errors, %d fixed errors, gas %d to %d\n",
		c.Asked, c.Same, c.Changed, c.NewErrors, c.FixedErrors, c.GasBefore, c.GasAfter)
}
