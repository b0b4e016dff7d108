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
	for _, q := range templateQuestions(w) {
		e.note(subject{name: name}, w.Binding, q, r.Ask(before, after, q, name))
	}
	for _, c := range w.Copies {
		r.Objects++
		for _, q := range copyQuestions(c) {
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

// aboutTemplates are the operations that are asked about templates, and aboutCopies those that are
// asked about what a cluster has.
var (
	aboutTemplates = []engine.Op{engine.InterpretReplica, engine.InterpretComponent, engine.ReviseReplica, engine.InterpretDependency, engine.PruneTemplate}
	aboutCopies    = []engine.Op{engine.InterpretStatus, engine.InterpretHealth, engine.InterpretFinished, engine.InterpretState}
)

// templateQuestions returns what is asked about a template: an aggregation has the status that the
// clusters report now.
func templateQuestions(w Workload) []engine.Request {
	all := slices.DeleteFunc(compare.Questions(w.Template), func(q engine.Request) bool { return !slices.Contains(aboutTemplates, q.Operation) })
	if w.Binding == nil {
		return all
	}
	items := []any{}
	for i := range w.Binding.GetStatus().AggregatedStatus {
		item, err := engine.StatusItem(&w.Binding.GetStatus().AggregatedStatus[i])
		if err != nil {
			return all // the status of a cluster that is no JSON
		}
		items = append(items, item)
	}
	return append(all, engine.Request{Operation: engine.AggregateStatus, Object: w.Template, Items: items})
}

// copyQuestions returns what is asked about the copy of a cluster.
func copyQuestions(c Copy) []engine.Request {
	all := slices.DeleteFunc(compare.Questions(c.Observed), func(q engine.Request) bool { return !slices.Contains(aboutCopies, q.Operation) })
	return append(all, engine.Request{Operation: engine.Retain, Object: c.Desired, Observed: c.Observed})
}
