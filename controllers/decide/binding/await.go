// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// AwaitsTarget reports whether the copies of a binding that are evicted Directly stay
// although it has other targets: the scheduler has not decided yet whether another cluster
// replaces them, or they stay for longer, as isHeld has it.
//
// Where the scheduler is content with the targets that are left, or where it found none and
// no cluster refused, nothing replaces the copy and it goes.
func AwaitsTarget(b workv1alpha2.Binding) bool {
	return isHeld(b) || isMovedDirectly(b) && !IsDecided(b) && !isPaused(b)
}

// isHeld reports whether copies of a binding that are evicted Directly stay for longer than
// the scheduler takes, beside its other targets: the cluster that it chose refused the new copy and no other one
// fits, or nothing chooses a cluster now, and the binding has too few.
func isHeld(b workv1alpha2.Binding) bool {
	switch {
	case isRefused(b):
		return true
	case !isPaused(b) || !isMovedDirectly(b):
		return false
	}
	short, known := lacks(b)
	return short || !known
}

// isMovedDirectly reports whether a binding with targets is being evicted Directly.
func isMovedDirectly(b workv1alpha2.Binding) bool {
	spec := b.GetSpec()
	leaves := slices.ContainsFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool {
		return isDirect(&t) && !isReleased(&t) && !isTarget(spec, t.FromCluster)
	})
	return leaves && len(spec.Clusters) > 0 && isRequested(b)
}

// isPaused reports whether nothing chooses clusters for the present spec of a binding: its
// scheduling is suspended, or its policy is gone.
func isPaused(b workv1alpha2.Binding) bool {
	return isRequested(b) && !IsMovable(b) && !IsDecided(b)
}

// isShort reports whether a binding that is evicted is known to have too little, and nothing chooses more.
func isShort(b workv1alpha2.Binding) bool {
	if !isPaused(b) {
		return false
	}
	short, _ := lacks(b)
	return short
}

// lacks reports whether a binding that is evicted has fewer clusters than before, or of divided
// replicas fewer than it asks for. Known is whether that can be told; if not it is not short.
func lacks(b workv1alpha2.Binding) (short, known bool) {
	spec := b.GetSpec()
	if r := spec.Placement.ReplicaScheduling; spec.Replicas > 0 && r != nil && r.ReplicaSchedulingType == policyv1alpha1.ReplicaSchedulingTypeDivided {
		placed := int32(0)
		for i := range spec.Clusters {
			placed += spec.Clusters[i].Replicas
		}
		return placed < spec.Replicas, true
	}
	before := 0
	for i := range spec.GracefulEvictionTasks {
		before = max(before, len(spec.GracefulEvictionTasks[i].ClustersBeforeFailover))
	}
	for _, c := range CarriedStates(b) {
		before = max(before, c.Copies)
	}
	// State may have been carried from more copies than there were at one time.
	return len(spec.Clusters) < min(before, mostCopies(spec.Placement)), before > 0
}

// IsDecided reports whether the scheduler has decided about the present spec of a binding,
// be it that it found too few clusters.
func IsDecided(b workv1alpha2.Binding) bool {
	return b.GetStatus().SchedulerObservedGeneration == b.GetGeneration() || isUnplaced(b)
}

// isUnplaced reports whether the scheduler found too few clusters for the present spec.
func isUnplaced(b workv1alpha2.Binding) bool {
	status := b.GetStatus()
	c := meta.FindStatusCondition(status.Conditions, workv1alpha2.Scheduled)
	return c != nil && c.Status == metav1.ConditionFalse && c.ObservedGeneration == b.GetGeneration() && status.SchedulerObservedGeneration != b.GetGeneration()
}

// isRefused reports whether a binding has fewer targets than it needs since a cluster
// refused the present template, so that a copy which is evicted Directly stays.
func isRefused(b workv1alpha2.Binding) bool {
	return isMovedDirectly(b) && isUnplaced(b) && len(refusing(b)) > 0
}

// refusing returns what clusters answered that would not take the present template and are
// no targets, by cluster.
func refusing(b workv1alpha2.Binding) map[string]string {
	spec, refused := b.GetSpec(), map[string]string{}
	for cluster, f := range Failures(b) {
		if f.Refused != "" && f.Template == spec.Resource.ResourceVersion && !isTarget(spec, cluster) {
			refused[cluster] = f.Refused
		}
	}
	return refused
}
