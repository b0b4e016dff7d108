// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// SetReady writes into the status of a binding the condition Ready, and the generation that it is
// about, by the other conditions.
func SetReady(b workv1alpha2.Binding) {
	status := b.GetStatus()
	status.ObservedGeneration = b.GetGeneration()
	meta.SetStatusCondition(&status.Conditions, Ready(b))
}

// IsReadyOutdated reports whether the condition Ready is not what the other conditions of a binding make
// it: a manager of a version without it wrote them, before an upgrade or beside one. What is about an
// earlier generation as they are is about to be written, and it with them.
func IsReadyOutdated(b workv1alpha2.Binding) bool {
	conditions := b.GetStatus().Conditions
	was := meta.FindStatusCondition(conditions, workv1alpha2.Ready)
	if was == nil {
		return len(conditions) > 0
	}
	newer := func(c metav1.Condition) bool { return c.ObservedGeneration > was.ObservedGeneration }
	if b.GetStatus().SchedulerObservedGeneration > was.ObservedGeneration || slices.ContainsFunc(conditions, newer) {
		return true
	}
	is := Ready(b)
	return was.ObservedGeneration == b.GetGeneration() && (was.Status != is.Status || was.Reason != is.Reason || was.Message != is.Message)
}

// Ready returns the condition of this name by the other conditions of a binding: the first of them
// that is False, in the order in which a template passes them; Unknown as long as one is of an
// earlier generation.
func Ready(b workv1alpha2.Binding) metav1.Condition {
	ready := metav1.Condition{Type: workv1alpha2.Ready, Status: metav1.ConditionFalse, ObservedGeneration: b.GetGeneration()}
	conditions := b.GetStatus().Conditions
	for _, kind := range []string{
		workv1alpha2.WithinQuota, workv1alpha2.Scheduled, workv1alpha2.DependenciesResolved, workv1alpha2.Rendered, workv1alpha2.FailedOver, workv1alpha2.FullyApplied,
	} {
		if c := meta.FindStatusCondition(conditions, kind); c != nil && c.Status == metav1.ConditionFalse && !outlived(b, c) {
			ready.Reason, ready.Message = c.Reason, c.Message
			return ready
		}
	}
	ready.Status, ready.Reason = metav1.ConditionUnknown, workv1alpha2.PendingReason
	switch {
	case b.GetSpec().Placement != nil && b.GetStatus().SchedulerObservedGeneration != b.GetGeneration():
		ready.Message = "Not scheduled yet"
		if SchedulingSuspended(b.GetSpec()) {
			ready.Message = "Scheduling is suspended"
		}
	default:
		ready.Message = "Not applied yet"
		if c := meta.FindStatusCondition(conditions, workv1alpha2.FullyApplied); c != nil && c.ObservedGeneration == b.GetGeneration() {
			ready.Status, ready.Reason, ready.Message = c.Status, c.Reason, c.Message
		}
	}
	return ready
}

// outlived reports whether a condition that each generation gets is of an earlier one, so that it
// reports nothing of this. Another scheduler may write no generation.
func outlived(b workv1alpha2.Binding, c *metav1.Condition) bool {
	return (c.Type == workv1alpha2.Scheduled || c.Type == workv1alpha2.FullyApplied) && c.ObservedGeneration != 0 && c.ObservedGeneration < b.GetGeneration()
}
