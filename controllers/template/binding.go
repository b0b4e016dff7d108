// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/claim"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// fingerprintAnnotation holds the hash of the template's content that a binding was
// made from, so that a status write on the template does not change the binding.
const fingerprintAnnotation = "propagation.dragoman.io/template-fingerprint"

// bind creates the template's binding or updates it. It writes the fields of spec that
// come from template and policy, and leaves all others.
func (c *Controller) bind(ctx context.Context, object *unstructured.Unstructured, policy policyv1alpha1.Policy) error {
	b, exists, err := bindings.Of(ctx, c.Client, object)
	if err != nil {
		return err
	}
	if owner := metav1.GetControllerOf(b); exists && owner != nil && owner.UID != object.GetUID() {
		return fmt.Errorf("binding %s belongs to an earlier object of this name and is being removed", b.GetName())
	}
	if b.GetDeletionTimestamp() != nil {
		return nil // its deletion enqueues the template
	}
	before := b.DeepCopyObject().(workv1alpha2.Binding)
	if err := c.setSpec(b, object, policy); err != nil {
		return err
	}
	switch {
	case !exists:
		err = c.Client.Create(ctx, b)
	case equality.Semantic.DeepEqual(before, b):
		return nil
	default:
		err = c.Patch(ctx, b, before)
	}
	if err != nil {
		return fmt.Errorf("write binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("wrote binding", "binding", b.GetName(), "policy", policy.GetName())
	return nil
}

// setSpec writes the fields that come from template and policy into a binding.
func (c *Controller) setSpec(b workv1alpha2.Binding, object *unstructured.Unstructured, policy policyv1alpha1.Policy) error {
	spec, from := b.GetSpec(), policy.GetSpec()
	if err := c.interpret(spec, object); err != nil {
		return err
	}
	if err := setReference(b, object); err != nil {
		return err
	}
	claim.Of(policy).Set(b)
	if label := bindings.PermanentIDLabel(b); b.GetLabels()[label] == "" {
		base.SetLabel(b, label, string(c.NewID()))
	}
	controllerutil.AddFinalizer(b, bindings.Finalizer(b))
	b.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(object, object.GroupVersionKind())})

	spec.PropagateDeps = from.PropagateDeps
	spec.Placement = from.Placement.DeepCopy()
	spec.SchedulerName = from.SchedulerName
	spec.Failover = from.Failover.DeepCopy()
	spec.ConflictResolution = from.ConflictResolution
	spec.PreserveResourcesOnDeletion = from.PreserveResourcesOnDeletion
	spec.Suspension = suspension(spec.Suspension, from.Suspension)
	return nil
}

// setReference makes the binding refer to the template. The version changes only if the
// content of the template did, because each change renders the Works again.
func setReference(b workv1alpha2.Binding, object *unstructured.Unstructured) error {
	fingerprint, err := templates.Fingerprint(object)
	if err != nil {
		return err
	}
	r := workv1alpha2.ObjectReference{
		APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(),
	}
	if old := b.GetSpec().Resource; b.GetAnnotations()[fingerprintAnnotation] == fingerprint && old.UID == r.UID {
		r.ResourceVersion = old.ResourceVersion
	}
	base.SetAnnotation(b, fingerprintAnnotation, fingerprint)
	b.GetSpec().Resource = r
	return nil
}

// interpret asks the engine what the template needs: its components where they must stay
// together, else its replicas where its kind has them, else nothing.
func (c *Controller) interpret(spec *workv1alpha2.ResourceBindingSpec, object *unstructured.Unstructured) error {
	rules, kind := c.Interpreter.Snapshot(), object.GroupVersionKind()
	if c.Gates.Enabled(features.MultiplePodTemplatesScheduling) && rules.Supports(kind, engine.InterpretComponent) {
		components, err := rules.Components(object)
		if err != nil {
			return err
		}
		if indivisible(rules, kind, components) {
			spec.Components, spec.Replicas, spec.ReplicaRequirements = components, 0, nil
			return nil
		}
	}
	spec.Components = nil
	if !rules.Supports(kind, engine.InterpretReplica) {
		spec.Replicas, spec.ReplicaRequirements = 0, nil
		return nil
	}
	replicas, err := rules.Replicas(object)
	if err != nil {
		return err
	}
	spec.Replicas, spec.ReplicaRequirements = replicas.Count, replicas.Requirements
	return nil
}

// indivisible reports whether an object must go to one cluster: it has several
// components, or one of several pods that no script can divide. A Deployment, which has
// one component, is divided by its replicas.
func indivisible(rules engine.Snapshot, kind schema.GroupVersionKind, components []workv1alpha2.Component) bool {
	if len(components) != 1 {
		return len(components) > 1
	}
	divisible := rules.Supports(kind, engine.ReviseReplica) || !rules.Supports(kind, engine.InterpretReplica)
	return components[0].Replicas > 1 && !divisible
}

// suspension returns the suspension of the policy with that of scheduling, which others
// set.
func suspension(old *workv1alpha2.Suspension, policy *policyv1alpha1.Suspension) *workv1alpha2.Suspension {
	var scheduling *bool
	if old != nil {
		scheduling = old.Scheduling
	}
	if policy == nil && scheduling == nil {
		return nil
	}
	s := &workv1alpha2.Suspension{Scheduling: scheduling}
	if policy != nil {
		s.Suspension = *policy.DeepCopy()
	}
	return s
}
