// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// The names of the series.
const (
	clusters       = "dragoman_clusters"
	clusterReady   = "dragoman_cluster_ready"
	bindings       = "dragoman_bindings"
	notScheduled   = "dragoman_bindings_not_scheduled"
	notFullApplied = "dragoman_bindings_not_fully_applied"
	works          = "dragoman_works"
	notApplied     = "dragoman_works_not_applied"
	notCleanedUp   = "dragoman_works_not_cleaned_up"
)

// series is a series that an object counts in. label is the value of its only label, empty where it
// has none; weight is what the object adds.
type series struct {
	name, label string
	weight      int
}

// statesOf returns what an object counts in. Nothing in it depends on the time, so that an object is taken
// away as it was added.
func statesOf(o any) []series {
	switch o := o.(type) {
	case *clusterv1alpha1.Cluster:
		return statesOfCluster(o)
	case workv1alpha2.Binding:
		return statesOfBinding(o)
	case *workv1alpha1.Work:
		return statesOfWork(o)
	}
	return nil
}

func statesOfCluster(c *clusterv1alpha1.Cluster) []series {
	ready := 0
	if meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady) {
		ready = 1
	}
	return []series{{clusters, "", 1}, {clusterReady, c.Name, ready}}
}

// statesOfBinding returns those of a binding. One that is being deleted waits for nothing, and an attached one
// has no place of its own.
func statesOfBinding(b workv1alpha2.Binding) []series {
	all := []series{{bindings, "", 1}}
	if b.GetDeletionTimestamp() != nil {
		return all
	}
	spec, conditions := b.GetSpec(), b.GetStatus().Conditions
	if reason := waitReason(meta.FindStatusCondition(conditions, workv1alpha2.Scheduled)); spec.Placement != nil && reason != "" {
		all = append(all, series{notScheduled, reason, 1})
	}
	applied := meta.FindStatusCondition(conditions, workv1alpha2.FullyApplied)
	if len(spec.Clusters) > 0 && (applied == nil || applied.Status != metav1.ConditionTrue && applied.Reason != workv1alpha2.FullyAppliedSuspendedReason) {
		all = append(all, series{notFullApplied, "", 1})
	}
	return all
}

// waitReason returns why a binding is not scheduled by its condition Scheduled: one of the reasons that are known, Other,
// or Pending where nothing was decided yet; empty where it is scheduled.
func waitReason(c *metav1.Condition) string {
	switch {
	case c == nil:
		return "Pending"
	case c.Status == metav1.ConditionTrue:
		return ""
	}
	switch c.Reason {
	case workv1alpha2.BindingReasonSchedulerError, workv1alpha2.BindingReasonNoClusterFit, workv1alpha2.BindingReasonUnschedulable, workv1alpha2.BindingReasonQuotaExceeded:
		return c.Reason
	}
	return "Other"
}

func statesOfWork(w *workv1alpha1.Work) []series {
	cluster, ok := names.Cluster(w.Namespace)
	if !ok {
		return nil
	}
	all := []series{{works, cluster, 1}}
	applied := binding.AppliedNow(w)
	switch {
	case w.DeletionTimestamp != nil:
		if meta.IsStatusConditionFalse(w.Status.Conditions, workv1alpha1.WorkCleanedUp) {
			all = append(all, series{notCleanedUp, cluster, 1})
		}
	case ptr.Deref(w.Spec.SuspendDispatching, false):
	case applied == nil, applied.Status != metav1.ConditionTrue:
		all = append(all, series{notApplied, cluster, 1})
	}
	return all
}
