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

// templateQuestions returns what is asked about a template by itself. An aggregation has the status that
// the clusters report now.
func templateQuestions(w Workload, rules ...engine.Snapshot) ([]engine.Request, []compare.Unasked) {
	all, left := compare.Questions(w.Template, rules...)
	all = about(engine.AboutTemplate, all)
	left = slices.DeleteFunc(left, func(u compare.Unasked) bool { return len(w.Copies) > 0 && takes(u.Operation, engine.StateParam) })
	items := itemsOf(w.Binding)
	all = slices.DeleteFunc(all, func(q engine.Request) bool {
		return takes(q.Operation, engine.ItemsParam) && items == nil || takes(q.Operation, engine.StateParam)
	})
	for i := range all {
		if takes(all[i].Operation, engine.ItemsParam) {
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
	items := []any{}
	for i := range b.GetStatus().AggregatedStatus {
		item, err := engine.StatusItem(&b.GetStatus().AggregatedStatus[i])
		if err != nil {
			return nil
		}
		items = append(items, item)
	}
	return items
}

// copyQuestions returns what is asked about the copy of a cluster, about both, and about the template
// that goes on with what the copy leaves.
func copyQuestions(w Workload, c Copy, rules ...engine.Snapshot) ([]engine.Request, []compare.Unasked) {
	all, left := compare.Questions(c.Observed, rules...)
	left = slices.DeleteFunc(left, func(u compare.Unasked) bool { return !takes(u.Operation, engine.StateParam) })
	kept := about(engine.AboutCopy, all)
	for _, q := range all {
		op, err := engine.Describe(q.Operation)
		switch {
		case err != nil:
		case op.About == engine.AboutBoth:
			q.Object, q.Observed = c.Desired, c.Observed
			kept = append(kept, q)
		case op.Takes(engine.StateParam):
			q.Object = w.Template
			kept = append(kept, q)
		}
	}
	return kept, left
}

// about returns the questions about one object only.
func about(a engine.About, all []engine.Request) []engine.Request {
	var kept []engine.Request
	for _, q := range all {
		if op, err := engine.Describe(q.Operation); err == nil && op.About == a {
			kept = append(kept, q)
		}
	}
	return kept
}

// takes reports whether an operation has a parameter of a kind.
func takes(name engine.Op, kind engine.ParamKind) bool {
	op, err := engine.Describe(name)
	return err == nil && op.Takes(kind)
}
