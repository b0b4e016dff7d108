// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/compare"
)

// Workload is what there is of one template.
type Workload struct {
	Template *unstructured.Unstructured
	// Binding is nil for what is not propagated.
	Binding workv1alpha2.Binding
	// Copies are those of the clusters that could be read.
	Copies []Copy
	// Unread are the clusters whose copies could not be, with the reason.
	Unread map[string]string
}

// unread notes that the copy of a cluster could not be read.
func (w *Workload) unread(cluster, reason string) {
	if w.Unread == nil {
		w.Unread = map[string]string{}
	}
	w.Unread[cluster] = reason
}

// Copy is what a cluster has of a template.
type Copy struct {
	Cluster string
	// Desired is the manifest of the Work, Observed the object in the cluster.
	Desired, Observed *unstructured.Unstructured
}

// Workloads reads the workloads of a kind, and calls f with each; an error of f ends it.
type Workloads func(ctx context.Context, kind schema.GroupVersionKind, f func(Workload) error) error

// Result is what one set of rules would change of what another one answers.
type Result struct {
	*compare.Comparison
	// Objects is how many templates and copies were asked about.
	Objects int `json:"objects"`
	// Unread are the clusters of which not all copies could be read, with the first reason.
	Unread map[string]string `json:"unread,omitempty"`
	// Effects say what the changes mean for workloads.
	Effects []string `json:"effects"`
}

// Evaluate asks both sides all questions about all workloads of some kinds. Nothing is written. The
// error is about reading the workloads.
func Evaluate(ctx context.Context, read Workloads, kinds []schema.GroupVersionKind, before, after *compare.Side) (*Result, error) {
	r := &Result{Comparison: compare.New(), Effects: []string{}}
	e := effects{}
	for _, kind := range kinds {
		err := read(ctx, kind, func(w Workload) error {
			r.add(w, before, after, &e)
			return ctx.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("read the objects of %s %s: %w", kind.GroupVersion(), kind.Kind, err)
		}
	}
	r.Sort()
	r.Effects = e.texts()
	return r, nil
}

// add asks about one workload.
func (r *Result) add(w Workload, before, after *compare.Side, e *effects) {
	r.Objects++
	name := nameOf(w.Template)
	asked, left := templateQuestions(w, before.Rules, after.Rules)
	r.Leave(left...)
	for _, q := range asked {
		e.note(subject{name: name}, w.Binding, q, r.Ask(before, after, q, name))
	}
	for _, c := range w.Copies {
		r.Objects++
		asked, left := copyQuestions(w, c, before.Rules, after.Rules)
		r.Leave(left...)
		for _, q := range asked {
			e.note(subject{name, c.Cluster}, w.Binding, q, r.Ask(before, after, q, name+" @ "+c.Cluster))
		}
	}
	for cluster, reason := range w.Unread {
		if r.Unread == nil {
			r.Unread = map[string]string{}
		}
		if _, known := r.Unread[cluster]; !known {
			r.Unread[cluster] = reason
		}
	}
}

// nameOf names an object to people.
func nameOf(o *unstructured.Unstructured) string {
	return strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/")
}

// Operations that are asked about a template, and about what a cluster has of it: about the copy, about
// both, and about the template that goes on with what the copy leaves.
var (
	ofTemplates = slices.DeleteFunc(engine.Operations(), func(op engine.Operation) bool { return op.About != engine.AboutTemplate })
	ofCopies    = slices.DeleteFunc(engine.Operations(), func(op engine.Operation) bool {
		return op.About == engine.AboutTemplate && !op.Takes(engine.StateParam)
	})
)

// templateQuestions returns what is asked about a template by itself. An aggregation has the status that
// the clusters report now; state is that of copies, where there are any.
func templateQuestions(w Workload, rules ...engine.Snapshot) ([]engine.Request, []compare.Unasked) {
	operations, items := ofTemplates, itemsOf(w.Binding)
	if len(w.Copies) > 0 || items == nil {
		operations = slices.DeleteFunc(slices.Clone(operations), func(op engine.Operation) bool {
			return len(w.Copies) > 0 && op.Takes(engine.StateParam) || items == nil && op.Takes(engine.ItemsParam)
		})
	}
	all, left := compare.Questions(w.Template, operations, rules...)
	for i := range all {
		if all[i].Items != nil {
			all[i].Items = items
		}
	}
	return all, left
}

// itemsOf returns what the clusters of a binding report now; nil where there is no binding, or a report
// that is no JSON.
func itemsOf(b workv1alpha2.Binding) []any {
	if b == nil {
		return nil
	}
	items, reported := []any{}, binding.WithoutRefused(b.GetStatus().AggregatedStatus)
	for i := range reported {
		item, err := engine.StatusItem(&reported[i])
		if err != nil {
			return nil
		}
		items = append(items, item)
	}
	return items
}

// copyQuestions returns what is asked about the copy of a cluster.
func copyQuestions(w Workload, c Copy, rules ...engine.Snapshot) ([]engine.Request, []compare.Unasked) {
	all, left := compare.Questions(c.Observed, ofCopies, rules...)
	for i := range all {
		switch q := &all[i]; {
		case q.Observed != nil:
			q.Object = c.Desired
		case q.State != nil:
			q.Object = w.Template
		}
	}
	return all, left
}
