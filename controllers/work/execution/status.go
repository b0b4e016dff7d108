// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/mergepatch"
)

func dispatching(suspended bool, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha1.WorkDispatching, Status: metav1.ConditionTrue, Reason: workv1alpha1.DispatchingReason,
		Message: "Work is being dispatched to the member cluster.", ObservedGeneration: generation,
	}
	if suspended {
		condition.Status, condition.Reason = metav1.ConditionFalse, workv1alpha1.SuspendDispatchingReason
		condition.Message = "Work dispatching is in a suspended state."
	}
	return condition
}

func appliedCondition(err error, manifests int, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue, Reason: workv1alpha1.AppliedSuccessfulReason,
		Message: "Manifest has been successfully applied", ObservedGeneration: generation,
	}
	if err != nil {
		failed := manifests
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			failed = len(joined.Unwrap())
		}
		condition.Status, condition.Reason = metav1.ConditionFalse, workv1alpha1.AppliedFailedReason
		// A script may raise a text that is longer than what the API server takes.
		condition.Message = fmt.Sprintf("Failed to apply all manifests (%d/%d): %.4000s", manifests-failed, manifests, err)
	}
	return condition
}

// withoutSpec returns a copy of a Work that has no spec, as it is compared with after its
// status was changed: a copy of the manifests is most of what a copy costs.
func withoutSpec(w *workv1alpha1.Work) *workv1alpha1.Work {
	return &workv1alpha1.Work{TypeMeta: w.TypeMeta, ObjectMeta: w.ObjectMeta, Status: *w.Status.DeepCopy()}
}

// writeStatus writes the conditions if they changed.
func (c *Controller) writeStatus(ctx context.Context, before, w *workv1alpha1.Work) error {
	if equality.Semantic.DeepEqual(before.Status, w.Status) {
		return nil
	}
	if err := c.Client.Status().Patch(ctx, w, mergepatch.StatusFrom(before).Unlocked()); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of the work: %w", err)
	}
	return nil
}
