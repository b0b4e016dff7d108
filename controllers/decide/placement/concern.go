// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/modeling"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// Change is a change of one cluster. Before is nil for a cluster that joins, After for one
// that is gone.
type Change struct {
	Before, After *clusterv1alpha1.Cluster
	// Ruled means that there are Rules, which may look at anything of a cluster: any change of one
	// concerns what is not scheduled, and one that moved it what is copied.
	Ruled bool
}

// IsLoss reports whether the cluster leaves: those that have it as a target are placed
// again.
func (c Change) IsLoss() bool { return leaves(c.After) && !leaves(c.Before) }

// moved reports whether the cluster may pass the filters of other bindings than before.
func (c Change) moved() bool {
	if c.Before == nil || c.After == nil {
		return true
	}
	a, b := c.Before, c.After
	return leaves(a) != leaves(b) || a.IDConflict() != b.IDConflict() || a.OwnerConflict() != b.OwnerConflict() || a.Spec.Provider != b.Spec.Provider || a.Spec.Region != b.Spec.Region ||
		!slices.Equal(a.Spec.Zones, b.Spec.Zones) ||
		!equality.Semantic.DeepEqual(a.Labels, b.Labels) || !equality.Semantic.DeepEqual(binding.StandingTaints(a), binding.StandingTaints(b))
}

// hasMoreRoom reports whether more of any resource is free than before, or more nodes are in
// any grade: a node that moved down may be one of which the pods were assumed before.
func (c Change) hasMoreRoom() bool {
	if c.After == nil || c.After.Status.ResourceSummary == nil {
		return false
	}
	if c.Before == nil || c.Before.Status.ResourceSummary == nil {
		return true
	}
	before, after := c.Before.Status.ResourceSummary, c.After.Status.ResourceSummary
	if !modeling.Grades(c.Before.Spec.ResourceModels).Equal(c.After.Spec.ResourceModels) {
		return true
	}
	if equality.Semantic.DeepEqual(before, after) {
		return false
	}
	for name := range after.Allocatable {
		a, b := free(before, nil, name), free(after, nil, name)
		if b.Cmp(a) > 0 {
			return true
		}
	}
	return growsAGrade(before.AllocatableModelings, after.AllocatableModelings)
}

// Concerns reports whether a change of a cluster can change the decision about a binding.
// One that is not scheduled is concerned by a cluster that begins to pass the filters, in
// any affinity group, by one that ceases to if it has targets, and by more room if it needs room. A copied one is concerned by a
// cluster that begins or ceases to pass them, in the group in force. Both are by another
// region of a cluster if they spread by region. A divided one is concerned, as all are, by
// the loss of a target.
func (c Change) Concerns(spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus) bool {
	if spec.Placement == nil {
		return false
	}
	r := newRequest(Input{Spec: spec, Status: status})
	groups, waits := r.groups(status), !isScheduled(status)
	switch {
	case c.IsLoss() && r.isTarget(c.Before.Name):
		return true
	case !waits && !Copies(spec):
		return false
	case !waits:
		groups = groups[:1]
	}
	more := waits && NeedsCapacity(spec) && c.hasMoreRoom()
	return slices.ContainsFunc(groups, func(g group) bool { return r.concernedIn(g, c, waits, more) })
}

// concernedIn is Concerns for one affinity group. more means that there is more room, and
// that it matters.
func (r *request) concernedIn(g group, c Change, waits, more bool) bool {
	tiers, err := g.compile()
	if err != nil {
		return false
	}
	before, after := r.accepts(c.Before, tiers), r.accepts(c.After, tiers)
	if after && r.isFreed(c) {
		return true
	}
	if waits && !after {
		return before && len(r.targets) > 0 // it may leave one when no cluster passes
	}
	if waits {
		return !before || more || c.Ruled || r.regroups(c)
	}
	return after != before || after && (c.Ruled || r.regroups(c))
}

// isFreed reports whether a cluster lost a taint that is tolerated for a time: it may have
// been over, which nothing but the taint ends.
func (r *request) isFreed(c Change) bool {
	return c.Before != nil && binding.Leaves(r.spec, binding.StandingTaints(c.Before)) && !binding.Leaves(r.spec, binding.StandingTaints(c.After))
}

// regroups reports whether a cluster that stays is in another group of the spread
// constraints than before.
func (r *request) regroups(c Change) bool {
	return slices.ContainsFunc(r.placement.SpreadConstraints, func(s policyv1alpha1.SpreadConstraint) bool {
		if byCluster(s) {
			return false
		}
		g := groupingBy(&s)
		return !slices.Equal(g.of(c.Before), g.of(c.After))
	})
}

// accepts reports whether a cluster passes the filters; a nil one does not.
func (r *request) accepts(c *clusterv1alpha1.Cluster, tiers []selector.Affinity) bool {
	return c != nil && r.reject(c, tierOf(c, tiers)) == ""
}

func (r *request) isTarget(cluster string) bool {
	_, ok := r.targets[cluster]
	return ok
}

// leaves reports whether a cluster is gone or being deleted.
func leaves(c *clusterv1alpha1.Cluster) bool { return c == nil || !c.DeletionTimestamp.IsZero() }

func isScheduled(status *workv1alpha2.ResourceBindingStatus) bool {
	return status != nil && meta.IsStatusConditionTrue(status.Conditions, workv1alpha2.Scheduled)
}
