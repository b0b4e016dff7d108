// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// AwaitsTarget reports whether the copies of a binding that are evicted Directly stay
// although it has other targets: the scheduler has not decided yet whether another cluster
// replaces them, which it does not while scheduling is suspended, or the cluster that it chose
// refused the new copy and no other one fits.
//
// Where the scheduler is content with the targets that are left, or where it found none and
// no cluster refused, nothing replaces the copy and it goes.
func AwaitsTarget(b workv1alpha2.Binding) bool {
	return isMovedDirectly(b) && (!IsDecided(b) || isRefused(b))
}

// isMovedDirectly reports whether a binding with targets is being evicted Directly, and
// something has it scheduled.
func isMovedDirectly(b workv1alpha2.Binding) bool {
	spec := b.GetSpec()
	leaves := slices.ContainsFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool {
		return isDirect(&t) && !isReleased(&t) && !isTarget(spec, t.FromCluster)
	})
	return leaves && len(spec.Clusters) > 0 && isScheduled(b)
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
