// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"errors"
	"slices"
	"time"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Input is all that a decision depends on. Nothing in it is changed or kept.
type Input struct {
	// Spec is the binding's spec: what the object needs, the policy's placement
	// and where the object is now. Never nil.
	Spec *workv1alpha2.ResourceBindingSpec

	// Status has the affinity group in force and the time when the binding was scheduled
	// last. Nil means that it never was.
	Status *workv1alpha2.ResourceBindingStatus

	// Clusters are all members in any order, each once. They may be shared with
	// other goroutines that read them.
	Clusters []*clusterv1alpha1.Cluster

	// Excluded are clusters that must not be chosen. Nil means those that the binding is
	// being evicted from; one that it was withdrawn from may be chosen.
	Excluded map[string]bool

	// Peers are where the workloads are that its workload affinity is about.
	Peers Peers

	// Rules are the operators' rules for its workload; nil are none. They are asked about
	// clusters that pass all other filters.
	Rules Rules

	// Capacity is what the clusters can still take. It is read only if NeedsCapacity
	// returns true.
	Capacity Capacity

	// Refine returns the capacity of clusters of which Capacity has a bound; nil means that it has
	// no bounds. It is asked about those that a set of components may go to.
	Refine Refine

	// Now is when that is decided. A cluster gets no new copy for which a toleration of one
	// of its taints is over by then. Zero means that each toleration holds.
	Now time.Time

	// Fresh divides the replicas again and starts at the first affinity group. If
	// RescheduleAsked returns true, that happens without it too.
	Fresh bool
}

// Rules are rules beside the policy's for where a workload goes. What they answer about a cluster
// stays the same for all of a decision.
type Rules interface {
	// Reject returns why a cluster may not get the workload, worded to follow "cluster(s)", or
	// "" if it may.
	Reject(*clusterv1alpha1.Cluster) string
	// Score returns how well a cluster suits: the more the better.
	Score(*clusterv1alpha1.Cluster) int64
}

// Result is where the binding goes.
type Result struct {
	// Clusters are the targets, sorted by name. It is what spec.clusters should
	// be; it is never empty when the placement is not nil.
	Clusters []workv1alpha2.TargetCluster

	// AffinityName is the group of placement.clusterAffinities that the targets
	// are from; empty when the placement has no groups.
	AffinityName string
}

// Select decides where the binding goes. A nil placement asks for nothing, so
// its binding stays where it is.
//
// # Errors
//
//   - *FitError: no cluster passes the filters, in any affinity group that was
//     tried. Karmada takes the object off all clusters then; Unmatched returns those
//     that it is to be taken off here.
//   - *UnschedulableError: clusters pass, but are too few or have no room. What
//     is placed should stay.
//   - any other: the placement is invalid; a retry does not help.
func Select(in Input) (Result, error) {
	if in.Spec.Placement == nil {
		return Result{Clusters: byName(slices.Clone(in.Spec.Clusters))}, nil
	}
	r := newRequest(in)
	unfit := &FitError{Reasons: map[string]string{}}
	var short *UnschedulableError
	for _, g := range r.groups(in.Status) {
		clusters, err := r.selectInGroup(g)
		if err == nil {
			return Result{Clusters: byName(clusters), AffinityName: g.name}, nil
		}
		if fit, ok := errors.AsType[*FitError](err); ok {
			unfit.add(fit)
			continue
		}
		missing, ok := errors.AsType[*UnschedulableError](err)
		if !ok {
			return Result{}, err
		}
		short = cmp.Or(short, &UnschedulableError{Message: g.prefix() + missing.Message})
	}
	if short != nil {
		return Result{}, short
	}
	return Result{}, unfit
}

// RescheduleAsked reports whether a fresh decision was requested since the last one. A
// binding that was never scheduled waits for its first one instead.
func RescheduleAsked(spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus) bool {
	if spec.RescheduleTriggeredAt == nil || status == nil || status.LastScheduledTime == nil {
		return false
	}
	return spec.RescheduleTriggeredAt.After(status.LastScheduledTime.Time)
}

// request is an Input, prepared for look-ups.
type request struct {
	spec      *workv1alpha2.ResourceBindingSpec
	placement *policyv1alpha1.Placement
	strategy  strategy
	clusters  []*clusterv1alpha1.Cluster
	capacity  Capacity
	refine    Refine
	fresh     bool
	now       time.Time
	peers     Peers
	rules     Rules
	targets   map[string]int32 // cluster to its replicas now
	excluded  map[string]bool  // clusters that a copy is leaving, or failed in
	api, kind int              // where the last cluster listed the object's kind
}

func newRequest(in Input) *request {
	r := &request{
		spec:      in.Spec,
		placement: in.Spec.Placement,
		strategy:  strategyOf(in.Spec.Placement.ReplicaScheduling),
		clusters:  in.Clusters,
		capacity:  in.Capacity,
		refine:    in.Refine,
		fresh:     in.Fresh || RescheduleAsked(in.Spec, in.Status),
		now:       in.Now,
		peers:     in.Peers,
		rules:     in.Rules,
		targets:   make(map[string]int32, len(in.Spec.Clusters)),
		excluded:  in.Excluded,
	}
	if r.excluded == nil {
		r.excluded = binding.EvictedFrom(in.Spec)
	}
	for _, t := range in.Spec.Clusters {
		r.targets[t.Name] = max(t.Replicas, 0)
	}
	return r
}

// candidate is a cluster that passed the filters.
type candidate struct {
	cluster  *clusterv1alpha1.Cluster
	target   bool  // the object is there now
	assigned int32 // replicas that are there now
	tier     int   // 0 for the affinity itself, i for its i-th overflow group
	score    int64 // by the rules; 0 without any
	known    bool  // whether free is known; measure sets both
	free     int64 // how many more replicas, or sets of components, fit
	refined  bool  // whether free is no bound any more
}

// available is how many replicas could be on the cluster: the present ones and
// as many as still fit.
func (c *candidate) available() int64 { return c.free + int64(c.assigned) }

// selectInGroup runs all steps for one affinity group.
func (r *request) selectInGroup(g group) ([]workv1alpha2.TargetCluster, error) {
	feasible, err := r.filter(g)
	if err != nil {
		return nil, err
	}
	if together(r.spec) {
		return r.placeTogether(feasible)
	}
	if divides(r.spec) {
		r.measure(feasible)
	}
	chosen, err := r.spread(feasible)
	if err != nil {
		return nil, err
	}
	return r.assign(chosen)
}

func byName(clusters []workv1alpha2.TargetCluster) []workv1alpha2.TargetCluster {
	slices.SortFunc(clusters, func(a, b workv1alpha2.TargetCluster) int { return cmp.Compare(a.Name, b.Name) })
	return clusters
}
