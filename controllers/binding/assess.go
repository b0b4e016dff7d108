// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Verdict is what happens to a binding's tasks.
type Verdict struct {
	// Keep are the tasks that stay, in their order. Their creation time is when their
	// timeout began.
	Keep []workv1alpha2.GracefulEvictionTask
	// Done are the clusters whose tasks end: their copies may be removed.
	Done []string
	// Restore are clusters to make targets again: their copies became healthy while no
	// other cluster was available.
	Restore []workv1alpha2.TargetCluster
	// Wait is the time until the next reconcile; 0 means that only an event can change
	// anything.
	Wait time.Duration
}

// DefaultEvictionTimeout is how long a task without a grace period of its own may last.
const DefaultEvictionTimeout = 10 * time.Minute

// Assess returns what happens to the tasks of a binding at a time. timeout is for tasks
// without a grace period of their own.
//
// A task ends when the user confirms it (suppressDeletion false), when all new targets
// are scheduled and healthy, or when it times out. It does not end, and no copy is
// removed, as long as there is no target at all; if the application becomes healthy again
// where it failed, that cluster becomes a target again.
//
// The timeout of a task counts only while there is a target, and that of a Directly task,
// which carries the state for the new copies, only once they have been applied.
func Assess(b workv1alpha2.Binding, timeout time.Duration, now time.Time) Verdict {
	var v Verdict
	spec, status := b.GetSpec(), b.GetStatus()
	scheduled, applied := status.SchedulerObservedGeneration == b.GetGeneration(), all(spec, status, isApplied)
	for _, task := range spec.GracefulEvictionTasks {
		directly := isDirect(&task)
		switch {
		case task.SuppressDeletion != nil && *task.SuppressDeletion:
			v.Keep = append(v.Keep, task)
		case task.SuppressDeletion != nil:
			v.Done = append(v.Done, task.FromCluster)
		case len(spec.Clusters) == 0 && recovered(&task, status):
			v.Restore = append(v.Restore, target(&task))
		case len(spec.Clusters) == 0, directly && !applied:
			task.CreationTimestamp = nil
			v.Keep = append(v.Keep, task)
		case scheduled && all(spec, status, isHealthy):
			v.Done = append(v.Done, task.FromCluster)
		default:
			v.keepOrExpire(task, timeout, now)
		}
	}
	return v
}

// Apply writes the verdict into the spec that it was made from, and reports whether it
// changed anything.
func (v Verdict) Apply(spec *workv1alpha2.ResourceBindingSpec) bool {
	if len(v.Restore) == 0 && equality.Semantic.DeepEqual(v.Keep, spec.GracefulEvictionTasks) {
		return false
	}
	spec.GracefulEvictionTasks = v.Keep
	spec.Clusters = append(slices.Clone(spec.Clusters), v.Restore...)
	return true
}

// keepOrExpire ends a task that has timed out, or keeps it. The timeout of a task without
// a creation time begins now.
func (v *Verdict) keepOrExpire(task workv1alpha2.GracefulEvictionTask, timeout time.Duration, now time.Time) {
	if task.CreationTimestamp.IsZero() {
		stamp := metav1.NewTime(now)
		task.CreationTimestamp = &stamp
	}
	left := deadline(&task, timeout).Sub(now)
	if left <= 0 {
		v.Done = append(v.Done, task.FromCluster)
		return
	}
	v.Keep = append(v.Keep, task)
	if v.Wait == 0 || left < v.Wait {
		v.Wait = left
	}
}

// deadline returns when a task times out.
func deadline(task *workv1alpha2.GracefulEvictionTask, timeout time.Duration) time.Time {
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

// all reports whether is returns true for the reported item of each target; a target
// without an item counts as false.
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

// recovered reports whether the application, which was evicted because it failed, is
// healthy again. The health in a cluster that was left for another reason does not
// matter.
func recovered(task *workv1alpha2.GracefulEvictionTask, status *workv1alpha2.ResourceBindingStatus) bool {
	return task.Reason == workv1alpha2.EvictionReasonApplicationFailure &&
		slices.ContainsFunc(status.AggregatedStatus, func(item workv1alpha2.AggregatedStatusItem) bool {
			return item.ClusterName == task.FromCluster && isHealthy(&item)
		})
}
