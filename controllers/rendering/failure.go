// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine/script"
)

// failure is why the Works of one cluster, or of all, were not written.
type failure struct {
	// reason is that of the condition Rendered. It is empty where the next try may well
	// succeed, which nobody is told.
	reason string
	err    error
	// retry means that no event reports when the cause is gone.
	retry bool
}

// failureOf returns what an error of rendering or writing means.
func failureOf(err error) failure {
	var (
		overrides *override.Error
		rule      *script.Error
		refused   apierrors.APIStatus
	)
	switch {
	case errors.Is(err, errNotAdmitted), errors.Is(err, errNotPlaced):
		return failure{workv1alpha2.NotAdmittedReason, err, false}
	case errors.Is(err, errOldCopy):
		return failure{workv1alpha2.OldCopyReason, err, false}
	case errors.Is(err, errNotTried):
		return failure{workv1alpha2.TargetNotTriedReason, err, false}
	case errors.Is(err, errRefused):
		return failure{workv1alpha2.TargetRefusedReason, err, false}
	case errors.As(err, &overrides):
		return failure{workv1alpha2.OverrideFailedReason, err, false}
	case errors.As(err, &rule):
		// The same script answers the same again, unless it was too slow.
		return failure{workv1alpha2.RenderFailedReason, err, rule.Code == script.Deadline || rule.Code == script.Internal}
	case errors.Is(err, errTaken):
		return failure{workv1alpha2.RenderFailedReason, err, true}
	case namespaceUnavailable(err):
		return failure{workv1alpha2.NamespaceUnavailableReason, err, false}
	case errors.As(err, &refused) && (apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err)):
		return failure{workv1alpha2.RenderFailedReason, err, true}
	}
	return failure{"", err, true}
}

// namespaceUnavailable reports whether a write was refused since the namespace is missing
// or being deleted, which an event ends. A kind that is not served, as while its CRD is
// applied again, is also answered by "not found", and nothing reports its return.
func namespaceUnavailable(err error) bool {
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return true
	}
	status := apierrors.APIStatus(nil)
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	about := status.Status().Details
	return about != nil && about.Kind == "namespaces" && about.Group == ""
}

// joined returns the errors of failures as one, which is retried if one of them is worth
// it; nil if there is none.
func joined(failures []failure) error {
	var all []error
	retry := false
	for _, f := range failures {
		all = append(all, f.err)
		retry = retry || f.retry
	}
	err := errors.Join(all...)
	if err == nil || retry {
		return err
	}
	return reconcile.TerminalError(err)
}

// maxMessage bounds the message of the condition, which has the error of each cluster.
const maxMessage = 4096

// withRendered returns the conditions with what the failures say about Rendered: it is
// False if there is a failure to report, and absent otherwise.
func withRendered(conditions []metav1.Condition, failures []failure, generation int64) []metav1.Condition {
	var (
		reason   string
		messages []string
	)
	for _, f := range failures {
		if f.reason == "" {
			continue
		}
		if reason == "" {
			reason = f.reason
		}
		messages = append(messages, f.err.Error())
	}
	all := append([]metav1.Condition{}, conditions...)
	if reason == "" {
		meta.RemoveStatusCondition(&all, workv1alpha2.Rendered)
		return all
	}
	meta.SetStatusCondition(&all, metav1.Condition{
		Type: workv1alpha2.Rendered, Status: metav1.ConditionFalse, Reason: reason, ObservedGeneration: generation,
		Message: base.Clip(strings.Join(messages, "; "), maxMessage),
	})
	return all
}

// report writes the condition Rendered if it changed, and then an event about the binding
// for what failed, and one about the template unless that is nil.
func (c *Controller[B]) report(ctx context.Context, b B, template *unstructured.Unstructured, failures []failure) error {
	failures = append(refusals(b), failures...)
	status := b.GetStatus()
	conditions := withRendered(status.Conditions, failures, b.GetGeneration())
	if equality.Semantic.DeepEqual(status.Conditions, conditions) {
		return nil
	}
	before := b.DeepCopyObject().(B)
	status.Conditions = conditions
	if err := c.PatchStatus(ctx, b, before); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the condition %s of binding %s: %w", workv1alpha2.Rendered, b.GetName(), err)
	}
	condition := meta.FindStatusCondition(status.Conditions, workv1alpha2.Rendered)
	previous := meta.FindStatusCondition(before.GetStatus().Conditions, workv1alpha2.Rendered)
	if condition == nil || (previous != nil && previous.Message == condition.Message) || condition.Reason == workv1alpha2.TargetRefusedReason {
		return nil // a refusal has events of its own
	}
	ctrl.LoggerFrom(ctx).Info("could not render", "reason", condition.Reason, "message", condition.Message)
	c.Warn(b, "RenderWorkFailed", "Render", errors.New(condition.Message))
	if template != nil {
		c.Warn(template, eventReason(condition.Reason), "Render", errors.New(condition.Message))
	}
	return nil
}

// eventReason returns the reason of the event about the template; the published one for
// overrides.
func eventReason(reason string) string {
	if reason == workv1alpha2.OverrideFailedReason {
		return "ApplyOverridePolicyFailed"
	}
	return "RenderWorkFailed"
}
