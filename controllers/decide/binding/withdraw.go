// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Withdraw takes clusters from the targets of a binding that somebody withdrew them from, and lets
// their copies go. While there is another target no more is needed. Without one all copies stay, so
// that each cluster gets a task that says otherwise, as one that a person has confirmed.
func Withdraw(b workv1alpha2.Binding, clusters []string) {
	spec := b.GetSpec()
	var taken []workv1alpha2.TargetCluster
	spec.Clusters = slices.DeleteFunc(slices.Clone(spec.Clusters), func(t workv1alpha2.TargetCluster) bool {
		withdrawn := slices.Contains(clusters, t.Name)
		if withdrawn {
			taken = append(taken, t)
		}
		return withdrawn
	})
	if !CopiesOf(spec).Stranded() {
		return
	}
	for _, t := range taken {
		task := workv1alpha2.GracefulEvictionTask{
			FromCluster: t.Name, PurgeMode: policyv1alpha1.PurgeModeGracefully, SuppressDeletion: new(bool),
			Reason: workv1alpha2.EvictionReasonUnmatched, Producer: workv1alpha2.EvictionProducerScheduler,
			Message: "the cluster does not match the placement any more",
		}
		if t.Replicas > 0 {
			task.Replicas = &t.Replicas
		}
		spec.GracefulEvictionTasks = slices.DeleteFunc(slices.Clone(spec.GracefulEvictionTasks), func(old workv1alpha2.GracefulEvictionTask) bool {
			return old.FromCluster == t.Name
		})
		spec.GracefulEvictionTasks = append(spec.GracefulEvictionTasks, task)
	}
}

// isWithdrawn reports whether a task is of Withdraw. Its cluster is chosen again as soon as it matches.
func isWithdrawn(t *workv1alpha2.GracefulEvictionTask) bool {
	return t.Reason == workv1alpha2.EvictionReasonUnmatched
}

// EvictedFrom returns the clusters that a binding is being evicted from, without those that it was
// withdrawn from: these are chosen again as soon as they match.
func EvictedFrom(spec *workv1alpha2.ResourceBindingSpec) map[string]bool {
	clusters := Evicting(spec)
	for i := range spec.GracefulEvictionTasks {
		if t := &spec.GracefulEvictionTasks[i]; isWithdrawn(t) {
			delete(clusters, t.FromCluster)
		}
	}
	return clusters
}
