// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// report writes the outcome to the status, all of it at once and only if something
// changed. The generation is that after the write of the targets, so that this write does
// not trigger a needless reconcile. scheduled is whether a success is recorded as the last.
func (c *Controller[B]) report(ctx context.Context, b B, result placement.Result, problem error, scheduled bool) error {
	before := b.DeepCopyObject().(B)
	status, outcome := b.GetStatus(), condition(b.GetGeneration(), problem)
	previous := meta.FindStatusCondition(before.GetStatus().Conditions, outcome.Type)
	meta.SetStatusCondition(&status.Conditions, outcome)
	if problem == nil {
		status.SchedulerObservedGeneration = b.GetGeneration()
		status.SchedulerObservedAffinityName = result.AffinityName
		if scheduled || status.LastScheduledTime == nil || placement.RescheduleAsked(b.GetSpec(), status) {
			at := metav1.NewTime(c.Clock.Now())
			if asked := b.GetSpec().RescheduleTriggeredAt; asked != nil && asked.After(at.Time) {
				at = *asked // by a clock that is ahead; an earlier time would leave the request open
			}
			status.LastScheduledTime = &at
		}
	}
	if equality.Semantic.DeepEqual(before.GetStatus(), status) {
		return nil
	}
	if err := c.PatchStatus(ctx, b, before); err != nil {
		return fmt.Errorf("write the status of binding %s: %w", b.GetName(), err)
	}
	// Numbers in the message change with the clusters; only another reason is an event.
	if problem != nil && (previous == nil || previous.Reason != outcome.Reason) {
		c.Warn(b, "ScheduleBindingFailed", "Schedule", problem)
		ctrl.LoggerFrom(ctx).Info("found no clusters", "reason", outcome.Reason, "message", outcome.Message)
	}
	return nil
}

// maxMessage bounds the message of a condition, which quotes what users write: in bytes.
const maxMessage = 4096

// condition returns the condition Scheduled of a generation; problem is nil if it is
// placed.
func condition(generation int64, problem error) metav1.Condition {
	c := metav1.Condition{
		Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue, Reason: workv1alpha2.BindingReasonSuccess,
		Message: "Binding has been scheduled successfully.", ObservedGeneration: generation,
	}
	if problem != nil {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, reason(problem), base.Clip(problem.Error(), maxMessage)
	}
	return c
}

// reason returns the published reason for a problem.
func reason(problem error) string {
	var (
		fit   *placement.FitError
		short *placement.UnschedulableError
	)
	switch {
	case isExceeded(problem):
		return workv1alpha2.BindingReasonQuotaExceeded
	case errors.As(problem, &fit):
		return workv1alpha2.BindingReasonNoClusterFit
	case errors.As(problem, &short):
		return workv1alpha2.BindingReasonUnschedulable
	}
	return workv1alpha2.BindingReasonSchedulerError
}
