// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// View is what a decision reads. Nothing of it is changed.
type View struct {
	// Clusters lists all clusters.
	Clusters func() ([]*clusterv1alpha1.Cluster, error)
	// Rules returns the placement rules for a binding; nil if there are none. A nil Rules has none.
	Rules func(workv1alpha2.Binding) (placement.Rules, error)
	// Estimates asks the estimators of clusters about a binding's object. Nil asks none.
	Estimates func(b workv1alpha2.Binding, clusters []string) Estimates
	// PushOnly asks none about clusters in pull mode.
	PushOnly bool
	// Peers lists the bindings of the namespace that are in a group of a binding, with itself
	// or without. It is called while other decisions wait, so it must not wait for a write: what
	// was decided and does not show yet is assumed. It is not called for a binding without groups.
	Peers func(workv1alpha2.Binding) ([]workv1alpha2.Binding, error)
	// Shortages has a decision that found too little room keep what it was made by.
	Shortages bool
}

// Decision is what was decided about a binding.
type Decision struct {
	// Cause is why it was placed. NotNeeded means that its targets stay, and that the rest is
	// empty.
	Cause placement.Cause
	placement.Result
	// Problem is why the binding is placed nowhere; nil if it is placed.
	Problem error
	// Awaited is how long to wait before it is decided, since clusters are about to report
	// for the first time what is free in them; 0 means that it is decided. Such a report
	// enqueues the binding. Problem has the clusters.
	Awaited time.Duration

	// Undo takes back what was assumed. It must be called if the result is not written.
	Undo func()
	// Wait is the time until the binding is excluded from one cluster less; 0 is never.
	Wait time.Duration
	// Shortage is what was decided by, if there was too little room and View has Shortages.
	Shortage *placement.Shortage
}

// Moves reports whether a decision is made, and has other targets than these.
func (d *Decision) Moves(targets []workv1alpha2.TargetCluster) bool {
	return d.Cause != placement.NotNeeded && d.Awaited == 0 && d.Problem == nil && !equality.Semantic.DeepEqual(d.Clusters, targets)
}

// Decide decides about a binding at a time, and assumes what it places. A cluster in which
// the application failed is chosen only if there is no other, or if it goes to all. The controllers call it for
// each binding that is theirs, and so does a simulation, with assumptions of its own. It
// fails if a list does.
func (a *Assumptions) Decide(b workv1alpha2.Binding, now time.Time, view View) (Decision, error) {
	clusters, err := view.Clusters()
	if err != nil {
		return Decision{}, err
	}
	excluded := binding.Excluded(b, now)
	if placement.RescheduleAsked(b.GetSpec(), b.GetStatus()) {
		excluded = excluded.WithoutFailures()
	}
	in := placement.Input{Spec: b.GetSpec(), Status: b.GetStatus(), Clusters: clusters, Excluded: excluded.Clusters, Now: now}
	cause := placement.Needed(in, AppliedPlacement(b))
	if cause == placement.NotNeeded {
		return Decision{Undo: func() {}}, nil
	}
	if in.Rules, err = view.rulesFor(b); err != nil {
		return Decision{}, err
	}
	if awaited, wait := placement.AwaitSummaries(in, now); wait > 0 {
		return Decision{Cause: cause, Problem: awaits(awaited), Awaited: wait, Undo: func() {}}, nil
	}
	lenient, estimates := in, view.estimatesOf(b, in)
	in.Excluded = excluded.Strict()
	d, err := a.place(b, in, estimates, now, view)
	if err == nil && len(excluded.Rested) > 0 {
		d, err = orRested(d, in, lenient, func(in placement.Input) (Decision, error) { return a.place(b, in, estimates, now, view) })
	}
	d.Cause, d.Wait = cause, excluded.Wait
	if again := a.asksAgain(b, estimates, now); d.Problem != nil && again > 0 && (d.Wait == 0 || d.Wait > again) {
		d.Wait = again
	}
	return d, err
}

// rulesFor returns the placement rules for a binding; nil if there are none.
func (v View) rulesFor(b workv1alpha2.Binding) (placement.Rules, error) {
	if v.Rules == nil {
		return nil, nil
	}
	return v.Rules(b)
}

// estimatesOf asks the estimators of the clusters that pass the filters, if room matters. The
// placement rules are asked here, and not while other decisions wait.
func (v View) estimatesOf(b workv1alpha2.Binding, in placement.Input) Estimates {
	asks := v.Estimates != nil && placement.NeedsCapacity(in.Spec)
	if !asks && in.Rules == nil {
		return nil
	}
	candidates := placement.Candidates(in)
	if !asks {
		return nil
	}
	return v.Estimates(b, v.asked(candidates, in.Clusters))
}

// asked returns the candidates whose estimators are asked.
func (v View) asked(candidates []string, clusters []*clusterv1alpha1.Cluster) []string {
	if !v.PushOnly {
		return candidates
	}
	pulls := map[string]bool{}
	for _, c := range clusters {
		pulls[c.Name] = c.Spec.SyncMode == clusterv1alpha1.Pull
	}
	return slices.DeleteFunc(candidates, func(name string) bool { return pulls[name] })
}

// awaits returns why nothing is decided yet.
func awaits(clusters []string) error {
	return &placement.UnschedulableError{Message: "waiting for the resource summaries of clusters " + strings.Join(clusters, ", ")}
}

// orRested returns a decision about all clusters in place of the strict one, which leaves out
// those in which the application failed, if that found none, or if it is copied to all
// clusters and has more of them then.
func orRested(strict Decision, in, lenient placement.Input, place func(placement.Input) (Decision, error)) (Decision, error) {
	if strict.Problem != nil {
		return place(lenient)
	}
	if !placement.Copies(in.Spec) {
		return strict, nil
	}
	strict.Undo()
	all, err := place(lenient)
	if err != nil || all.Problem == nil && len(all.Clusters) > len(strict.Clusters) {
		return all, err
	}
	if all.Problem == nil {
		all.Undo()
	}
	return place(in)
}

// AppliedPlacement returns the placement that the targets of a binding were chosen by;
// nil if the binding does not have it, or has something else in its place.
func AppliedPlacement(b workv1alpha2.Binding) *policyv1alpha1.Placement {
	var applied policyv1alpha1.Placement
	if err := json.Unmarshal([]byte(b.GetAnnotations()[policyv1alpha1.AppliedPlacementAnnotation]), &applied); err != nil {
		return nil
	}
	return &applied
}
