// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

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
	// Carried is the state that no healthy copy has taken over.
	Carried []Carried
	// Kept is the state that copies do not report any more: that which they took over is
	// among it.
	Kept []Kept
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
// are scheduled and healthy, or when it times out. It does not end as long as there is no
// target at all; if the application becomes healthy again where it failed, that cluster
// becomes a target again. Of several copies that only the user lets go, one does, since the
// scheduler may have to choose among targets. A task from a cluster that is a target again
// ends without a word.
//
// The timeout of a task counts only once all new copies have been applied: what could not
// be created replaces nothing. Neither does it while there are fewer targets than before and nothing
// chooses more. After it a copy stays that is healthy, or may be, while the
// new ones are not. Without any target the copy that was evicted last replaces those that
// were before it.
func Assess(b workv1alpha2.Binding, timeout time.Duration, now time.Time) Verdict {
	var v Verdict
	spec, status := b.GetSpec(), b.GetStatus()
	scheduled := status.SchedulerObservedGeneration == b.GetGeneration()
	short, known := false, false
	if isPaused(b) {
		short, known = lacks(b)
		scheduled = known && !short // it has all that it is to have
	}
	for i, task := range spec.GracefulEvictionTasks {
		switch {
		case isTarget(spec, task.FromCluster):
		case len(spec.Clusters) == 0:
			v.assessHomeless(task, spec.GracefulEvictionTasks[i+1:], status, timeout, now)
		case isKept(&task):
			stamp(&task, now)
			v.Keep = append(v.Keep, task)
		case isReleased(&task):
			v.Done = append(v.Done, task.FromCluster)
		case short && !isDirect(&task), !all(spec, status, isApplied):
			task.CreationTimestamp = nil
			v.Keep = append(v.Keep, task)
		case scheduled && all(spec, status, isHealthy):
			v.Done = append(v.Done, task.FromCluster)
		default:
			v.keepOrExpire(task, status, timeout, now)
		}
	}
	v.carry(b)
	return v
}

// assessHomeless decides about the task of a binding that has no target. later are the tasks
// behind it.
func (v *Verdict) assessHomeless(task workv1alpha2.GracefulEvictionTask, later []workv1alpha2.GracefulEvictionTask, status *workv1alpha2.ResourceBindingStatus, timeout time.Duration, now time.Time) {
	switch {
	case recovered(&task, status) && (!isKept(&task) || len(v.Restore) == 0):
		v.Restore = append(v.Restore, target(&task))
	case isKept(&task):
		stamp(&task, now)
		v.Keep = append(v.Keep, task)
	case isReleased(&task) && itemOn(status, task.FromCluster) != nil:
		v.Keep = append(v.Keep, task) // its Work goes by it
	case isReleased(&task):
		v.Done = append(v.Done, task.FromCluster)
	case !isDirect(&task) && replaced(later, status):
		v.keepOrRelease(task, status, timeout, now)
	default:
		task.CreationTimestamp = nil
		v.Keep = append(v.Keep, task)
	}
}

// isKept reports whether only the user ends a task.
func isKept(task *workv1alpha2.GracefulEvictionTask) bool {
	return ptr.Deref(task.SuppressDeletion, false)
}

// carry sets the state that is carried on. A task whose state was taken over has none any
// more.
func (v *Verdict) carry(b workv1alpha2.Binding) {
	targets := TargetNames(b.GetSpec())
	for _, t := range v.Restore {
		targets = append(targets, t.Name)
	}
	before := CarriedStates(b)
	for _, t := range v.Restore {
		before = keepsOwn(before, t.Name)
	}
	owned := ownedWhereItRuns(before, b.GetStatus(), targets)
	assigned := assign(owned, targets, occupied(reportedCopies(b.GetStatus())))
	v.Carried, v.Kept = takenOver(assigned, b, targets, len(v.Restore) == 0), KeptStates(b)
	if WantsState(b) {
		v.Kept = keepTaken(v.Kept, before, owned, assigned, func(c *Carried) bool { return c.isTaken(b.GetStatus(), targets) })
	}
	for i := range v.Keep {
		from := func(c Carried) bool { return c.From == v.Keep[i].FromCluster }
		// A copy that was evicted before it took over a state has that of another cluster: without
		// any state that is carried on, the one in its task would be again.
		gone := len(before) > 0 && len(v.Carried) == 0 && isDirect(&v.Keep[i])
		if gone || slices.ContainsFunc(before, from) && !slices.ContainsFunc(v.Carried, from) {
			v.Keep[i].PreservedLabelState, v.Keep[i].PreservedState = nil, nil
		}
	}
}

func isTarget(spec *workv1alpha2.ResourceBindingSpec, cluster string) bool {
	return slices.ContainsFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
}

// Apply writes the verdict into the binding that it was made from, and reports whether it
// changed anything.
func (v Verdict) Apply(b workv1alpha2.Binding) (bool, error) {
	spec, carried, kept := b.GetSpec(), b.GetAnnotations()[CarriedStateAnnotation], b.GetAnnotations()[KeptStateAnnotation]
	if err := SetCarriedStates(b, v.Carried); err != nil {
		return false, err
	}
	if _, err := SetKeptStates(b, v.Kept); err != nil {
		return false, err
	}
	if len(v.Restore) == 0 && equality.Semantic.DeepEqual(v.Keep, spec.GracefulEvictionTasks) {
		return carried != b.GetAnnotations()[CarriedStateAnnotation] || kept != b.GetAnnotations()[KeptStateAnnotation], nil
	}
	spec.GracefulEvictionTasks = v.Keep
	spec.Clusters = append(slices.Clone(spec.Clusters), v.Restore...)
	return true, nil
}

// keepOrExpire ends a task that has timed out, or keeps it. The timeout of a task without
// a creation time begins now.
func (v *Verdict) keepOrExpire(task workv1alpha2.GracefulEvictionTask, status *workv1alpha2.ResourceBindingStatus, timeout time.Duration, now time.Time) {
	if v.keep(&task, status, timeout, now) {
		v.Keep = append(v.Keep, task)
		return
	}
	v.Done = append(v.Done, task.FromCluster)
}

// keepOrRelease is keepOrExpire for a task of a binding without targets: all copies stay
// then but those of which a task says otherwise.
func (v *Verdict) keepOrRelease(task workv1alpha2.GracefulEvictionTask, status *workv1alpha2.ResourceBindingStatus, timeout time.Duration, now time.Time) {
	if !v.keep(&task, status, timeout, now) {
		task.SuppressDeletion, task.GracePeriodSeconds = new(bool), nil // they exclude each other
	}
	v.Keep = append(v.Keep, task)
}

// keep reports whether a task has time left, or its copy is better than the new ones.
func (v *Verdict) keep(task *workv1alpha2.GracefulEvictionTask, status *workv1alpha2.ResourceBindingStatus, timeout time.Duration, now time.Time) bool {
	stamp(task, now)
	left := deadline(task, timeout).Sub(now)
	if left <= 0 {
		return !isDirect(task) && mayBeHealthy(itemOn(status, task.FromCluster))
	}
	if v.Wait == 0 || left < v.Wait {
		v.Wait = left
	}
	return true
}

// mayBeHealthy reports whether the copy of an item is healthy, or was when its cluster
// became unreachable as far as anybody knows.
func mayBeHealthy(item *workv1alpha2.AggregatedStatusItem) bool {
	return item != nil && (Unreachable(item) || item.Applied && isHealthy(item))
}

// replaced reports whether one of the copies that were evicted later is there.
func replaced(later []workv1alpha2.GracefulEvictionTask, status *workv1alpha2.ResourceBindingStatus) bool {
	return slices.ContainsFunc(later, func(t workv1alpha2.GracefulEvictionTask) bool {
		item := itemOn(status, t.FromCluster)
		return item != nil && item.Applied && !isReleased(&t)
	})
}

// isReleased reports whether the user confirmed that the copy may go, or Assess did.
func isReleased(task *workv1alpha2.GracefulEvictionTask) bool {
	return task.SuppressDeletion != nil && !*task.SuppressDeletion
}

// itemOn returns what is reported of a cluster; nil if there is nothing.
func itemOn(status *workv1alpha2.ResourceBindingStatus, cluster string) *workv1alpha2.AggregatedStatusItem {
	for i := range status.AggregatedStatus {
		if status.AggregatedStatus[i].ClusterName == cluster {
			return &status.AggregatedStatus[i]
		}
	}
	return nil
}

// stamp sets the creation time of a task that has none.
func stamp(task *workv1alpha2.GracefulEvictionTask, now time.Time) {
	if task.CreationTimestamp.IsZero() {
		task.CreationTimestamp = new(metav1.NewTime(now))
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

// isApplied reports whether a copy is there, be it of an earlier generation of its Work.
func isApplied(item *workv1alpha2.AggregatedStatusItem) bool { return item.Applied || Outdated(item) }

// all reports whether is returns true for the reported item of each target; a target
// without an item counts as false.
func all(spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus, is func(*workv1alpha2.AggregatedStatusItem) bool) bool {
	return !slices.ContainsFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool {
		item := itemOn(status, t.Name)
		return item == nil || !is(item)
	})
}

// recovered reports whether the application, which was evicted because it failed, is
// healthy again. The health in a cluster that was left for another reason does not
// matter.
func recovered(task *workv1alpha2.GracefulEvictionTask, status *workv1alpha2.ResourceBindingStatus) bool {
	item := itemOn(status, task.FromCluster)
	return task.Reason == workv1alpha2.EvictionReasonApplicationFailure && item != nil && item.Applied && isHealthy(item)
}
