// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Eviction describes how and why a copy is evicted from a cluster.
type Eviction struct {
	Cluster string
	// Producer names the controller that evicts, Reason its reason in one word.
	Producer, Reason string
	// PurgeMode may have a published older name.
	PurgeMode policyv1alpha1.PurgeMode
	// GracePeriodSeconds bounds a graceful eviction; nil leaves that to Assess.
	GracePeriodSeconds *int32
	// State is carried over to the next cluster.
	State State
	// Before are the clusters of the binding before the decision evicted any; they are
	// recorded if state is carried over.
	Before []string
}

// Evict removes a cluster from the targets and adds a task with how the old copy is
// removed and which state is carried over. It changes nothing if the cluster is not a
// target or has a task already. Assess sets the creation time when the timeout begins.
func Evict(spec *workv1alpha2.ResourceBindingSpec, e Eviction) {
	i := slices.IndexFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == e.Cluster })
	if i < 0 {
		return
	}
	task := workv1alpha2.GracefulEvictionTask{
		FromCluster: e.Cluster, PurgeMode: e.PurgeMode.Canonical(), Reason: e.Reason, Producer: e.Producer,
		PreservedLabelState: e.State.Labels, PreservedState: e.State.Values,
	}
	if n := spec.Clusters[i].Replicas; n > 0 {
		task.Replicas = &n
	}
	switch task.PurgeMode {
	case policyv1alpha1.PurgeModeNever:
		task.SuppressDeletion = new(true)
	case policyv1alpha1.PurgeModeDirectly:
	default:
		task.GracePeriodSeconds = e.GracePeriodSeconds
	}
	if !e.State.IsEmpty() {
		task.ClustersBeforeFailover = e.Before
	}
	spec.Clusters = slices.Delete(slices.Clone(spec.Clusters), i, i+1)
	if !Evicting(spec)[e.Cluster] {
		spec.GracefulEvictionTasks = append(slices.Clone(spec.GracefulEvictionTasks), task)
	}
}

// Release removes a cluster that leaves the control plane from the targets and the
// evictions of a binding.
func Release(spec *workv1alpha2.ResourceBindingSpec, cluster string) {
	spec.Clusters = slices.DeleteFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
	spec.GracefulEvictionTasks = slices.DeleteFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool {
		return t.FromCluster == cluster
	})
}
