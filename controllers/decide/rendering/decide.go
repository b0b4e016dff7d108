// SPDX-License-Identifier: Apache-2.0

// Package rendering decides which Works of a binding are written and deleted, and when old copies go
// for new ones. The controller that renders and the model of failovers call it. It takes values and
// returns values; what time it is goes in.
//
//	decide.go    which Works are removed, rendered and replaced
//	concerns.go  which changes of a binding matter to that
//	exchange.go  whether old copies go now, by what the clusters of the new ones answered
package rendering

import (
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// View is what a decision reads beside the binding.
type View struct {
	// Works are all those of the binding.
	Works []workv1alpha1.Work
	// Cluster returns a cluster; nil where there is none, or it cannot be read.
	Cluster func(name string) *clusterv1alpha1.Cluster
}

// isFenced reports whether somebody confirmed that nothing runs in a cluster. One that does not exist
// is not fenced: its Work is about to go.
func (v View) isFenced(name string) bool {
	c := v.Cluster(name)
	return c != nil && binding.IsFenced(c)
}

// Plan is what becomes of the Works of a binding.
type Plan struct {
	binding.Plan
	// Reverted are the clusters that are targets again, since the application recovered there before
	// its move began. The binding has that and is to be written; nothing else is done then.
	Reverted []string

	view View
}

// Decide returns what becomes of the Works of a binding. It drops reports of copies that are gone from
// its status, which is not to be written, and notes in it which copies were made with the state that is
// carried over, which the eviction writes.
func Decide(b workv1alpha2.Binding, view View) (Plan, error) {
	// 1. Reports of copies that are gone say nothing.
	binding.DropGone(b, view.Works)
	// 2. Which copies were made with the state that is carried over.
	if _, err := binding.NoteCopies(b, view.Works); err != nil {
		return Plan{}, err
	}
	// 3. An application that is well again where it was is not moved.
	if binding.MayRevert(b) {
		if clusters, err := binding.Revert(b, view.Works); err != nil || len(clusters) > 0 {
			return Plan{Reverted: clusters}, err
		}
	}
	// 4. Which Works are removed, rendered and replaced.
	return Plan{Plan: binding.PlanWorks(b, view.Works, view.isFenced), view: view}, nil
}
