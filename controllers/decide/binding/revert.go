// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Revert makes the clusters of a binding targets again in which the application recovered
// before its move began: the copy there was not asked to go, and some target has no Work
// yet, which the cluster takes the place of, or one is missing and does not come. It
// returns these clusters. The Works are all those of the binding.
func Revert(b workv1alpha2.Binding, works []workv1alpha1.Work) ([]string, error) {
	going := map[string]bool{}
	for i := range works {
		going[ClusterOf(&works[i])] = works[i].DeletionTimestamp != nil
	}
	spec := b.GetSpec()
	begun := func(t workv1alpha2.TargetCluster) bool { _, exists := going[t.Name]; return exists }
	free := slices.DeleteFunc(slices.Clone(spec.Clusters), begun)
	stays := func(cluster string) bool { leaves, exists := going[cluster]; return exists && !leaves }
	missing := isHeld(b)
	var reverted []string
	for _, task := range slices.Clone(spec.GracefulEvictionTasks) {
		if len(free) == 0 && !missing || !stays(task.FromCluster) || isTarget(spec, task.FromCluster) || !recovered(&task, b.GetStatus()) {
			continue
		}
		if len(free) == 0 {
			missing = false
		} else {
			if err := dropTarget(b, free[0].Name, stays); err != nil {
				return nil, err
			}
			free = free[1:]
		}
		spec.Clusters = append(spec.Clusters, target(&task))
		spec.GracefulEvictionTasks = slices.DeleteFunc(slices.Clone(spec.GracefulEvictionTasks), func(t workv1alpha2.GracefulEvictionTask) bool {
			return t.FromCluster == task.FromCluster
		})
		reverted = append(reverted, task.FromCluster)
	}
	return reverted, nil
}

// MayRevert reports whether the application recovered in a cluster that the binding is
// being evicted from.
func MayRevert(b workv1alpha2.Binding) bool {
	spec := b.GetSpec()
	return slices.ContainsFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool { return recovered(&t, b.GetStatus()) })
}
