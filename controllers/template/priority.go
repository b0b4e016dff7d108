// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// PriorityResolved is the condition of a binding whose policy names a PriorityClass that
// does not exist; bindings without that problem do not have it.
const PriorityResolved = workv1alpha2.PriorityResolved

// reasonNoClass is its reason, and that of the event.
const reasonNoClass = "PriorityClassNotFound"

// priority returns the PriorityClass of a policy's bindings, nil if it names none. If the class does
// not exist, it returns the name of that.
func (c *Controller) priority(ctx context.Context, policy policyv1alpha1.Policy) (_ *schedulingv1.PriorityClass, missing string, _ error) {
	from := policy.GetSpec().SchedulePriority
	if from == nil || !c.Gates.Enabled(features.PriorityBasedScheduling) || from.PriorityClassSource != policyv1alpha1.KubePriorityClass {
		return nil, "", nil
	}
	var class schedulingv1.PriorityClass
	err := c.Client.Get(ctx, client.ObjectKey{Name: from.PriorityClassName}, &class)
	switch {
	case apierrors.IsNotFound(err):
		return nil, from.PriorityClassName, nil
	case err != nil:
		return nil, "", fmt.Errorf("read PriorityClass %s: %w", from.PriorityClassName, err)
	}
	return &class, "", nil
}

// setPreemptionPolicy notes on a binding whether its class has it take nobody's room.
func (c *Controller) setPreemptionPolicy(b workv1alpha2.Binding, class *schedulingv1.PriorityClass) {
	never := class != nil && class.PreemptionPolicy != nil && *class.PreemptionPolicy == corev1.PreemptNever
	if !never || !c.Gates.Enabled(features.PriorityBasedPreemptiveScheduling) {
		base.RemoveAnnotation(b, workv1alpha2.PreemptionPolicyAnnotation)
		return
	}
	base.SetAnnotation(b, workv1alpha2.PreemptionPolicyAnnotation, string(corev1.PreemptNever))
}

// reportPriority writes the condition for a PriorityClass that does not exist, or removes
// it.
func (c *Controller) reportPriority(ctx context.Context, a *applying, missing string) error {
	before := a.binding.DeepCopyObject().(workv1alpha2.Binding)
	conditions := &a.binding.GetStatus().Conditions
	if missing == "" {
		if !meta.RemoveStatusCondition(conditions, PriorityResolved) {
			return nil
		}
		return client.IgnoreNotFound(c.PatchStatus(ctx, a.binding, before))
	}
	why := fmt.Errorf("%s: spec.schedulePriority: PriorityClass %s does not exist; create it, or name another. Until then the binding is scheduled at the priority that it has",
		scope.PolicyTitle(a.policy), missing)
	if known := meta.FindStatusCondition(*conditions, PriorityResolved); known != nil && known.Message == why.Error() {
		return nil // a new generation alone is nothing new
	}
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: PriorityResolved, Status: metav1.ConditionFalse, Reason: reasonNoClass, Message: why.Error(), ObservedGeneration: a.binding.GetGeneration(),
	})
	if err := client.IgnoreNotFound(c.PatchStatus(ctx, a.binding, before)); err != nil {
		return fmt.Errorf("write the status of binding %s: %w", a.binding.GetName(), err)
	}
	c.Warn(a.object, reasonNoClass, "Propagate", why)
	return nil
}
