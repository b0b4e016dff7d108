// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// evict takes the application off a cluster: out of the targets, into a task that
// says how the old copy goes and what state goes along. before are the targets as
// they were. The creation time is left to the eviction controller, whose clock it is.
func evict(spec *workv1alpha2.ResourceBindingSpec, cluster, producer string, s state, before []string) {
	behavior := spec.Failover.Application
	task := workv1alpha2.GracefulEvictionTask{
		FromCluster: cluster, PurgeMode: behavior.PurgeMode.Canonical(), Reason: workv1alpha2.EvictionReasonApplicationFailure,
		Producer: producer, PreservedLabelState: s.labels, PreservedState: s.values,
	}
	i := slices.IndexFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
	if i < 0 {
		return
	}
	if n := spec.Clusters[i].Replicas; n > 0 {
		task.Replicas = &n
	}
	switch behavior.PurgeMode.Canonical() {
	case policyv1alpha1.PurgeModeNever:
		suppress := true
		task.SuppressDeletion = &suppress
	case policyv1alpha1.PurgeModeDirectly:
	default:
		task.GracePeriodSeconds = behavior.GracePeriodSeconds
	}
	if len(s.labels) > 0 || len(s.values) > 0 {
		task.ClustersBeforeFailover = before
	}
	spec.Clusters = slices.Delete(slices.Clone(spec.Clusters), i, i+1)
	already := slices.ContainsFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool { return t.FromCluster == cluster })
	if !already {
		spec.GracefulEvictionTasks = append(slices.Clone(spec.GracefulEvictionTasks), task)
	}
}
