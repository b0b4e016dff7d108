// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Verdict is what becomes of a binding's tasks.
type Verdict struct {
	// Keep are the tasks that stay, in their order. Their creation time is when their
	// time began to run.
	Keep []workv1alpha2.GracefulEvictionTask
	// Done are the clusters whose tasks end: their copies may go.
	Done []string
	// Restore are targets to take back: their copies became healthy while there was
	// no other place for them.
	Restore []workv1alpha2.TargetCluster
	// Wait is when to look again; 0 means that only an event can change anything.
	Wait time.Duration
}

// DefaultEvictionTimeout is how long a task without a grace period of its own may last.
const DefaultEvictionTimeout = 10 * time.Minute

// Assess returns what becomes of the tasks of a binding at a time. timeout is for tasks
// without a grace period of their own.
//
// A task ends when the user says so (suppressDeletion false), when all new targets
// are scheduled and healthy, or when its time is up. It does not end, and no copy
// goes, as long as there is no target at all; should the application become healthy
// where it failed meanwhile, it is taken back.
//
// The time of a task runs only while there is a target, and that of a Directly task,
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

// keepOrExpire ends a task whose time is up, or keeps it until then. The time of a task that
// has none begins.
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

// deadline is when a task's time is up.
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
