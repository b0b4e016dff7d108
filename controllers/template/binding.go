// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/demand"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// bind creates the template's binding or updates it. It writes the fields of spec that
// come from template and policy, and leaves all others; those of a policy that is deferred
// it leaves too.
func (c *Controller) bind(ctx context.Context, a *applying, deferred bool) error {
	b := a.binding
	if b.GetDeletionTimestamp() != nil {
		c.leaveQuota(b)
		return nil // its end enqueues the template
	}
	if owner := metav1.GetControllerOf(b); a.exists && owner != nil && owner.UID != a.object.GetUID() {
		return c.removeStale(ctx, a)
	}
	before := b.DeepCopyObject().(workv1alpha2.Binding)
	missing, err := c.setSpec(ctx, a, deferred)
	if err != nil {
		c.leaveQuota(b)
		return errors.Join(err, c.reclaim(ctx, a, before))
	}
	admission, refused, err := c.admit(ctx, a, before)
	if err != nil {
		return err
	}
	a.refused = refused != nil
	err = c.write(ctx, a, before)
	admission.Done(b, err)
	if err != nil {
		return err
	}
	if err := c.reportQuota(ctx, a, refused); err != nil {
		return err
	}
	return c.reportPriority(ctx, a, missing)
}

// write creates the binding, or patches it if it changed.
func (c *Controller) write(ctx context.Context, a *applying, before workv1alpha2.Binding) (err error) {
	switch {
	case !a.exists:
		err = c.Client.Create(ctx, a.binding)
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			ctrl.LoggerFrom(ctx).V(1).Info("wrote no binding: the namespace is being deleted, and the template with it")
			return nil
		}
	case unchanged(before, a.binding):
		return nil
	default:
		err = c.Patch(ctx, a.binding, before)
	}
	if err != nil {
		return fmt.Errorf("write binding %s: %w", a.binding.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("wrote binding", "binding", a.binding.GetName(), "policy", a.policy.GetName())
	c.Succeeded(a.object, base.Success{Reason: reasonApplied, Action: "Propagate", Note: "%s is applied, in the binding %s.", Args: []any{scope.PolicyTitle(a.policy), a.binding.GetName()}})
	return nil
}

// unchanged reports whether a binding needs no write. One of an earlier version, whose requirements
// name no namespace, gets it with its next change: a start would write all of them otherwise.
func unchanged(before, after workv1alpha2.Binding) bool {
	was, is := before.GetSpec().ReplicaRequirements, after.GetSpec().ReplicaRequirements
	if was != nil && is != nil && was.Namespace == "" && is.Namespace != "" {
		before = before.DeepCopyObject().(workv1alpha2.Binding)
		before.GetSpec().ReplicaRequirements.Namespace = is.Namespace
	}
	return equality.Semantic.DeepEqual(before, after)
}

// reclaim writes the claim of the policy, and nothing else, into a binding that cannot be
// updated: the policy that it names may be gone.
func (c *Controller) reclaim(ctx context.Context, a *applying, before workv1alpha2.Binding) error {
	if !a.exists {
		return nil
	}
	_, err := writeClaim(ctx, c.Client, before, claim.Of(a.policy))
	return client.IgnoreNotFound(err)
}

// setSpec writes the fields that come from template and policy into a binding. It returns
// the name of a PriorityClass that does not exist.
func (c *Controller) setSpec(ctx context.Context, a *applying, deferred bool) (missingClass string, err error) {
	needed, err := demand.Of(c.Interpreter.Snapshot(), a.object, c.Gates.Enabled(features.MultiplePodTemplatesScheduling))
	if err != nil {
		return "", err
	}
	b := a.binding
	reclaimed := claim.Of(a.policy).Set(b)
	setReference(b, a.object, a.fingerprint, reclaimed && !deferred)
	needed.Set(b.GetSpec())
	if label := scope.BindingIDLabel(b); b.GetLabels()[label] == "" {
		base.SetLabel(b, label, string(c.NewID()))
	}
	controllerutil.AddFinalizer(b, scope.BindingFinalizer(b))
	b.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(a.object, a.object.GroupVersionKind())})

	class, missing, err := c.priority(ctx, a.policy)
	if err != nil {
		return "", err
	}
	var priority *workv1alpha2.SchedulePriority
	switch {
	case missing != "":
		priority = b.GetSpec().SchedulePriority
	case class != nil:
		priority = &workv1alpha2.SchedulePriority{Priority: class.Value}
	}
	if deferred {
		deferPolicy(b, a.policy, priority)
		return "", nil
	}
	if missing == "" {
		c.setPreemptionPolicy(b, class)
	}
	binding.SetPolicy(b.GetSpec(), a.policy.GetSpec(), priority)
	b.GetSpec().WorkloadAffinityGroups = c.affinityGroups(a.object, a.policy.GetSpec().Placement.WorkloadAffinity)
	base.RemoveAnnotation(b, workv1alpha2.DeferredPolicyAnnotation)
	return missing, nil
}

// deferPolicy notes on a binding the generation of a policy that is not written into it,
// if that would change it.
func deferPolicy(b workv1alpha2.Binding, policy policyv1alpha1.Policy, priority *workv1alpha2.SchedulePriority) {
	changed := b.GetSpec().DeepCopy()
	binding.SetPolicy(changed, policy.GetSpec(), priority)
	if equality.Semantic.DeepEqual(changed, b.GetSpec()) {
		base.RemoveAnnotation(b, workv1alpha2.DeferredPolicyAnnotation)
		return
	}
	base.SetAnnotation(b, workv1alpha2.DeferredPolicyAnnotation, strconv.FormatInt(policy.GetGeneration(), 10))
}

// setReference makes the binding refer to the template. The version changes only if the
// content of the template did or its claim, because each change renders the Works again.
func setReference(b workv1alpha2.Binding, object *unstructured.Unstructured, fingerprint string, reclaimed bool) {
	r := workv1alpha2.ObjectReference{
		APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(),
	}
	old := b.GetSpec().Resource
	if b.GetAnnotations()[workv1alpha2.TemplateFingerprintAnnotation] == fingerprint && old.UID == r.UID && !reclaimed {
		r.ResourceVersion = old.ResourceVersion
	}
	base.SetAnnotation(b, workv1alpha2.TemplateFingerprintAnnotation, fingerprint)
	b.GetSpec().Resource = r
}
