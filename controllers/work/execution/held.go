// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// heldError is the errDeleting of an object that is still there waitForEnd after its deletion.
type heldError struct {
	object, cluster string
	// by is what holds it, as holdersOf returns it.
	by string
}

// Error names the object, the cluster and what holds it.
func (e heldError) Error() string {
	return fmt.Sprintf("%s is being deleted in cluster %s and stays: %s", e.object, e.cluster, e.by)
}

// Unwrap returns errDeleting.
func (e heldError) Unwrap() error { return errDeleting }

// holdersOf returns what holds an object that is being deleted: its finalizers, of a namespace also what its
// conditions say is left in it, sorted. An object without any waits for what runs it, as a pod does.
func holdersOf(o *unstructured.Unstructured) string {
	finalizers := o.GetFinalizers()
	ofNamespace, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "finalizers")
	finalizers = slices.Sorted(slices.Values(append(slices.Clone(finalizers), ofNamespace...)))
	if len(finalizers) == 0 {
		return "it has no finalizer, so what runs it has not ended it"
	}
	text := "its finalizers are " + strings.Join(finalizers, ", ")
	if len(ofNamespace) == 0 {
		return text + ", which their owners have to remove there"
	}
	var left []string
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, one := range conditions {
		c, _ := one.(map[string]any)
		if message, _ := c["message"].(string); c["status"] == "True" && message != "" {
			left = append(left, message)
		}
	}
	slices.Sort(left)
	return strings.Join(append([]string{text}, left...), "; ")
}

// cleanedUp returns the condition CleanedUp of a Work whose objects are not gone because of err;
// false where that is no finding: it ends with an event that comes, or is retried at once.
func cleanedUp(err error, generation int64) (metav1.Condition, bool) {
	c := metav1.Condition{
		Type: workv1alpha1.WorkCleanedUp, Status: metav1.ConditionFalse, Reason: workv1alpha1.CleanupFailedReason,
		ObservedGeneration: generation, Message: fmt.Sprintf("%.4000s", err),
	}
	if errors.As(err, new(heldError)) {
		c.Reason = workv1alpha1.ObjectHeldReason
		return c, true
	}
	return c, worthEvent(err)
}

// reportCleanup writes why the objects of a deleted Work are not gone into its condition CleanedUp,
// with an event, once for each reason and message. It returns err, or the error of the write.
func (c *Controller) reportCleanup(ctx context.Context, w *workv1alpha1.Work, err error) error {
	condition, worth := cleanedUp(err, w.Generation)
	if !worth {
		return err
	}
	reported := meta.FindStatusCondition(w.Status.Conditions, condition.Type)
	if reported != nil && reported.Reason == condition.Reason && withoutDigits(reported.Message) == withoutDigits(condition.Message) {
		return err
	}
	before := withoutSpec(w)
	meta.SetStatusCondition(&w.Status.Conditions, condition)
	if failed := c.writeStatus(ctx, before, w); failed != nil {
		return failed
	}
	c.Warn(w, condition.Reason, "Delete", err)
	return err
}

// withoutDigits returns a message without its figures, which may change at each try: ports, times,
// how many objects are left in a namespace.
func withoutDigits(message string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, message)
}
