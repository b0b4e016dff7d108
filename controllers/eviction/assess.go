// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// verdict is what becomes of a binding's tasks.
type verdict struct {
	// keep are the tasks that stay, in their order. Their creation time is when their
	// time began to run.
	keep []workv1alpha2.GracefulEvictionTask
	// done are the clusters whose tasks end: their copies may go.
	done []string
	// restore are targets to take back: their copies became healthy while there was
	// no other place for them.
	restore []workv1alpha2.TargetCluster
	// wait is when to look again; 0 means that only an event can change anything.
	wait time.Duration
}

// assess looks at the tasks of a binding.
//
// A task ends when the user says so (suppressDeletion false), when all new targets
// are scheduled and healthy, or when its time is up. It does not end, and no copy
// goes, as long as there is no target at all; should the application become healthy
// where it failed meanwhile, it is taken back.
//
// The time of a task runs only while there is a target, and that of a Directly task,
// which carries the state for the new copies, only once they have been applied.
func assess(spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus, generation int64, timeout time.Duration, now time.Time) verdict {
	var v verdict
	scheduled, applied := status.SchedulerObservedGeneration == generation, all(spec, status, isApplied)
	for _, task := range spec.GracefulEvictionTasks {
		directly := task.PurgeMode.Canonical() == policyv1alpha1.PurgeModeDirectly
		switch {
		case task.SuppressDeletion != nil && *task.SuppressDeletion:
			v.keep = append(v.keep, task)
		case task.SuppressDeletion != nil:
			v.done = append(v.done, task.FromCluster)
		case len(spec.Clusters) == 0 && recovered(&task, status):
			v.restore = append(v.restore, target(&task))
		case len(spec.Clusters) == 0, directly && !applied:
			task.CreationTimestamp = nil
			v.keep = append(v.keep, task)
		case scheduled && all(spec, status, isHealthy):
			v.done = append(v.done, task.FromCluster)
		default:
			v.timed(task, timeout, now)
		}
	}
	return v
}

// timed ends a task whose time is up, or keeps it until then. The time of a task that
// has none begins.
func (v *verdict) timed(task workv1alpha2.GracefulEvictionTask, timeout time.Duration, now time.Time) {
	if task.CreationTimestamp.IsZero() {
		stamp := metav1.NewTime(now)
		task.CreationTimestamp = &stamp
	}
	left := due(&task, timeout).Sub(now)
	if left <= 0 {
		v.done = append(v.done, task.FromCluster)
		return
	}
	v.keep = append(v.keep, task)
	if v.wait == 0 || left < v.wait {
		v.wait = left
	}
}

// due is when a task's time is up.
func due(task *workv1alpha2.GracefulEvictionTask, timeout time.Duration) time.Time {
	if task.GracePeriodSeconds != nil {
		timeout = time.Duration(*task.GracePeriodSeconds) * time.Second
	}
	return task.CreationTimestamp.Add(timeout)
}

func target(task *workv1alpha2.GracefulEvictionTask) workv1alpha2.TargetCluster {
	t := workv1alpha2.TargetCluster{Name: task.FromCluster}
	if task.Replicas != nil {
		t.Replicas = *task.Replicas
	}
	return t
}

func isHealthy(item *workv1alpha2.AggregatedStatusItem) bool {
	return item.Health == workv1alpha2.ResourceHealthy
}

func isApplied(item *workv1alpha2.AggregatedStatusItem) bool { return item.Applied }

// all reports whether each target has reported an item for which is holds.
func all(spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus, is func(*workv1alpha2.AggregatedStatusItem) bool) bool {
	for i := range spec.Clusters {
		k := slices.IndexFunc(status.AggregatedStatus, func(item workv1alpha2.AggregatedStatusItem) bool {
			return item.ClusterName == spec.Clusters[i].Name
		})
		if k < 0 || !is(&status.AggregatedStatus[k]) {
			return false
		}
	}
	return true
}

// recovered reports whether the application, which was evicted because it failed, is healthy
// again. Of a cluster that was left for another reason, that would say nothing.
func recovered(task *workv1alpha2.GracefulEvictionTask, status *workv1alpha2.ResourceBindingStatus) bool {
	return task.Reason == workv1alpha2.EvictionReasonApplicationFailure &&
		slices.ContainsFunc(status.AggregatedStatus, func(item workv1alpha2.AggregatedStatusItem) bool {
			return item.ClusterName == task.FromCluster && isHealthy(&item)
		})
}
