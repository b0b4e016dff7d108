// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Eviction is how and why a copy leaves a cluster.
type Eviction struct {
	Cluster string
	// Producer names the controller that evicts, Reason its reason in one word.
	Producer, Reason string
	// PurgeMode may have a published older name.
	PurgeMode policyv1alpha1.PurgeMode
	// GracePeriodSeconds bounds a graceful eviction; nil leaves that to Assess.
	GracePeriodSeconds *int32
	// State is what goes along to the next cluster.
	State State
	// Before are the clusters of the binding before anything of the same decision was
	// evicted; they are recorded where state goes along.
	Before []string
}

// Evict takes a copy off a cluster: out of the targets, into a task that holds how the old
// copy goes and which state goes along. A binding that does not have the cluster is left
// as it is, and so is a task that the cluster has already. The creation time is left to
// Assess, which starts it when it begins to count.
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

// Release takes a cluster that leaves the control plane out of the targets and the
// evictions of a binding.
func Release(spec *workv1alpha2.ResourceBindingSpec, cluster string) {
	spec.Clusters = slices.DeleteFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
	spec.GracefulEvictionTasks = slices.DeleteFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool {
		return t.FromCluster == cluster
	})
}
