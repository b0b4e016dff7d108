// SPDX-License-Identifier: Apache-2.0

package author

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Revision is one state of the scripts for some kinds: a bundle, or a file of customizations. It
// is not safe for several goroutines.
type Revision struct {
	path  string
	rules engine.Snapshot
	cases []*cases.Case
	gas   int64
}

// ReadRevision reads a bundle folder, with its cases, or a file of customizations.
func ReadRevision(c *engine.Compiler, fsys fs.FS, name string) (*Revision, error) {
	v := &Revision{path: name}
	i := engine.NewInterpreter(engine.Options{Clock: cases.Clock(), Observe: func(run engine.Run) { v.gas += run.Usage.Gas }})
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
		data, err := yamldoc.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if sets, err = Customizations(c, name, data); err != nil {
			return nil, err
		}
	}
	for _, set := range sets {
		if err := i.Set(layer, set); err != nil {
			return nil, err
		}
	}
	v.rules = i.Snapshot()
	return v, nil
}

// asked is a question and where its object is.
type asked struct {
	request engine.Request
	where   string
}

// Comparison is what changes from one revision of scripts to the next over some questions. Its
// JSON form is that of dragoman diff -o json.
type Comparison struct {
	// Asked is the number of questions that one of the two answered, Same that of equal
	// answers, Changed that of other ones.
	Asked   int `json:"asked"`
	Same    int `json:"same"`
	Changed int `json:"changed"`
	// NewErrors is the number of questions that only the later revision fails, FixedErrors
	// that of those that only the earlier one fails.
	NewErrors   int `json:"newErrors"`
	FixedErrors int `json:"fixedErrors"`
	// GasBefore and GasAfter are the steps that all questions took.
	GasBefore int64 `json:"gasBefore"`
	GasAfter  int64 `json:"gasAfter"`
	// Changes are the answers that are not the same, grouped.
	Changes []Change `json:"changes"`
}

// Change is a difference that several questions have in common.
type Change struct {
	Operation engine.Op `json:"operation"`
	Kind      string    `json:"kind"`
	// What is changed, new error, fixed error, new answer (nothing answered before) or no
	// answer (nothing answers any more).
	What string `json:"what"`
	// Differences are those of the first question; its paths are what the questions share.
	Differences []Difference `json:"differences,omitempty"`
	// Message is that of the error.
	Message string `json:"message,omitempty"`
	// Where are the objects, as file:line, or file and name.
	Where []string `json:"where"`
}

// Difference is one of an answer: the path from the result on, and both values as JSON; one that
// is absent has none.
type Difference struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// Compare asks both revisions the questions of their cases, and all questions about objects
// that need no other arguments than the object has. files are files and folders with objects.
// The error is about reading these.
func Compare(before, after *Revision, fsys fs.FS, files []string) (*Comparison, error) {
	questions := caseQuestions(before, after)
	for _, file := range files {
		more, err := objectQuestions(fsys, file)
		if err != nil {
			return nil, err
		}
		questions = append(questions, more...)
	}
	c := &Comparison{Changes: []Change{}}
	groups := map[string]int{}
	before.gas, after.gas = 0, 0
	for _, q := range questions {
		c.ask(before, after, q, groups)
	}
	c.GasBefore, c.GasAfter = before.gas, after.gas
	slices.SortStableFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(string(a.Operation), string(b.Operation)), strings.Compare(a.What, b.What))
	})
	return c, nil
}

// What became of an answer.
const (
	changedAnswer = "changed"
	newError      = "new error"
	fixedError    = "fixed error"
	newAnswer     = "new answer"
	noAnswer      = "no answer"
)

// ask asks one question of both, and adds what differs to a group.
func (c *Comparison) ask(before, after *Revision, q asked, groups map[string]int) {
	was, errBefore := before.rules.Evaluate(q.request)
	is, errAfter := after.rules.Evaluate(q.request)
	nothingBefore, nothingAfter := errors.Is(errBefore, engine.ErrNoRule), errors.Is(errAfter, engine.ErrNoRule)
	if nothingBefore && nothingAfter {
		return
	}
	c.Asked++
	change := Change{Operation: q.request.Operation, Kind: q.request.Object.GetKind()}
	switch {
	case nothingBefore:
		change.What = newAnswer
	case nothingAfter:
		change.What = noAnswer
	case errBefore != nil && errAfter != nil:
		c.Same++ // how a script fails may change
		return
	case errAfter != nil:
		c.NewErrors++
		change.What, change.Message = newError, firstLine(errAfter.Error())
	case errBefore != nil:
		c.FixedErrors++
		change.What, change.Message = fixedError, firstLine(errBefore.Error())
	default:
		change.Differences = differences(q.request.Operation, was, is)
		if len(change.Differences) == 0 {
			c.Same++
			return
		}
		c.Changed++
		change.What = changedAnswer
	}
	c.group(change, q.where, groups)
}

// differences returns how two answers to a question differ.
func differences(name engine.Op, was, is []any) []Difference {
	var all []Difference
	for _, op := range engine.Operations() {
		if op.Name != name {
			continue
		}
		for i, r := range op.Results {
			for _, d := range cases.Differences(r, was[i], is[i]) {
				all = append(all, Difference{Path: d.Path, Before: d.Want, After: d.Got})
			}
		}
	}
	return all
}

// maxWhere is how many objects of a group are named.
const maxWhere = 1000

// group adds a change to those whose differences have the same paths, or the same message.
func (c *Comparison) group(change Change, where string, groups map[string]int) {
	key := fmt.Sprint(change.Kind, "\x00", change.Operation, "\x00", change.What, "\x00", change.Message)
	for _, d := range change.Differences {
		key += "\x00" + d.Path
	}
	i, known := groups[key]
	if !known {
		i = len(c.Changes)
		groups[key] = i
		c.Changes = append(c.Changes, change)
	}
	if g := &c.Changes[i]; len(g.Where) < maxWhere {
		g.Where = append(g.Where, where)
	}
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

// objectQuestions returns the questions about the objects of a file, or of the YAML files below
// a folder; documents of folders that are no objects are passed over.
func objectQuestions(fsys fs.FS, name string) ([]asked, error) {
	var all []asked
	var errs []error
	err := walkFiles(fsys, path.Clean(name), func(err error) { errs = append(errs, err) }, func(file string, d fs.DirEntry) error {
		if d.IsDir() || file != path.Clean(name) && !cases.IsYAML(file) {
			return nil
		}
		data, err := yamldoc.ReadFile(fsys, file)
		if err != nil {
			errs = append(errs, err)
			return nil
		}
		nodes, err := yamldoc.Read(file, data)
		if err != nil {
			errs = append(errs, err)
			return nil
		}
		for _, n := range nodes {
			all = append(all, nodeQuestions(n)...)
		}
		return nil
	})
	return all, errors.Join(append(errs, err)...)
}

// nodeQuestions returns the questions about the object of a document, or of the list in it.
func nodeQuestions(n yamldoc.Node) []asked {
	object, ok := objectAt(n)
	switch {
	case !ok:
		return nil
	case strings.HasSuffix(object.GetKind(), "List") && object.IsList():
		var all []asked
		_ = n.At("items").Items(func(item yamldoc.Node) error { // IsList has seen that it is a list
			item.Path = ""
			all = append(all, nodeQuestions(item)...)
			return nil
		})
		return all
	}
	var all []asked
	where := fmt.Sprintf("%s:%d", n.File, n.Line)
	for _, q := range questionsOf(object) {
		all = append(all, asked{q, where})
	}
	return all
}

// questionsOf returns what can be asked about an object alone: for its revision one replica
// more than it has, for Retain itself as observed, for an aggregation its own status from one
// cluster.
func questionsOf(object *unstructured.Unstructured) []engine.Request {
	var all []engine.Request
	for _, op := range engine.Operations() {
		q := engine.Request{Operation: op.Name, Object: object}
		switch op.Name {
		case engine.RestoreState:
			continue
		case engine.Retain:
			q.Observed = object
		case engine.ReviseReplica:
			replicas, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
			q.Replicas = max(0, replicas) + 1
		case engine.AggregateStatus:
			item, err := engine.StatusItem(&workv1alpha2.AggregatedStatusItem{ClusterName: "member1", Applied: true})
			if err != nil {
				continue
			}
			if status := object.Object["status"]; status != nil {
				item["status"] = status
			}
			q.Items = []any{item}
		}
		all = append(all, q)
	}
	return all
}

// WriteJSON writes the comparison as one indented JSON document.
func (c *Comparison) WriteJSON(w io.Writer) error { return writeJSON(w, c) }

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
func (p Printer) Comparison(c *Comparison) {
	for _, change := range c.Changes {
		fmt.Fprintf(p.Out, "%s of %s: %s, %d of them\n", change.Operation, change.Kind, change.What, len(change.Where))
		if change.Message != "" {
			fmt.Fprintf(p.Out, "     %s\n", change.Message)
		}
		for _, d := range change.Differences {
			fmt.Fprintf(p.Out, "     %s: %s, was %s\n", d.Path, shown(d.After), shown(d.Before))
		}
		for _, where := range change.Where[:min(maxExamples, len(change.Where))] {
			fmt.Fprintf(p.Out, "     at %s\n", where)
		}
		if more := len(change.Where) - maxExamples; more > 0 {
			fmt.Fprintf(p.Out, "     and %d more\n", more)
		}
	}
	fmt.Fprintf(p.Out, "%d asked, %d same, %d changed, %d new errors, %d fixed errors, gas %d to %d\n",
		c.Asked, c.Same, c.Changed, c.NewErrors, c.FixedErrors, c.GasBefore, c.GasAfter)
}
