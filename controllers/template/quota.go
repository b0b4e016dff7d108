// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/demand"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// admit asks the quotas to admit what a template needs now, where its binding has been placed: its
// new requests are in use once the binding has them. If they refuse, the binding keeps what it was
// admitted with, so that no copy is rendered from the template, and the error is returned as
// refused.
func (c *Controller) admit(ctx context.Context, a *applying, before workv1alpha2.Binding) (admission *quotas.Reservation, refused, err error) {
	if c.Quotas == nil || !a.exists {
		return nil, nil, nil
	}
	key := templates.KeyOf(a.object)
	admission, err = c.Quotas.Admit(ctx, quotas.Request{
		Consumer: c.Name(), Binding: before, After: a.binding, Since: quotas.RefusedSince(meta.FindStatusCondition(before.GetStatus().Conditions, workv1alpha2.WithinQuota)),
		Notify: func() { c.waiting.Notify(func(q queue) { q.Add(key) }) },
	})
	var exceeded *quota.ExceededError
	if errors.As(err, &exceeded) {
		keepDemand(a.binding, before)
		return nil, err, nil
	}
	return admission, nil, err
}

// keepDemand has a binding need what it needed before, and be made from the template as it was
// before.
func keepDemand(b, before workv1alpha2.Binding) {
	demand.In(before.GetSpec()).Set(b.GetSpec())
	b.GetSpec().Resource = before.GetSpec().Resource
	if was, had := before.GetAnnotations()[workv1alpha2.TemplateFingerprintAnnotation]; had {
		base.SetAnnotation(b, workv1alpha2.TemplateFingerprintAnnotation, was)
	} else {
		base.RemoveAnnotation(b, workv1alpha2.TemplateFingerprintAnnotation)
	}
}

// reportQuota writes whether the quotas refused what a template needs into the status of its
// binding. A refusal that is new is an event of the template too.
func (c *Controller) reportQuota(ctx context.Context, a *applying, refused error) error {
	b := a.binding
	conditions := &b.GetStatus().Conditions
	known := meta.FindStatusCondition(*conditions, workv1alpha2.WithinQuota)
	before := b.DeepCopyObject().(client.Object)
	switch {
	case refused == nil && known == nil:
		return nil
	case refused == nil:
		meta.RemoveStatusCondition(conditions, workv1alpha2.WithinQuota)
	default:
		if !meta.SetStatusCondition(conditions, metav1.Condition{
			Type: workv1alpha2.WithinQuota, Status: metav1.ConditionFalse, Reason: workv1alpha2.BindingReasonQuotaExceeded,
			Message: refused.Error(), ObservedGeneration: b.GetGeneration(),
		}) {
			return nil
		}
	}
	if err := client.IgnoreNotFound(c.PatchStatus(ctx, b, before)); err != nil {
		return fmt.Errorf("write the status of binding %s: %w", b.GetName(), err)
	}
	if refused != nil && known == nil {
		c.Warn(a.object, workv1alpha2.BindingReasonQuotaExceeded, "Propagate", refused)
	}
	return nil
}

// leaveQuota ends the wait of a template for quotas, if it does not need to be bound any more.
func (c *Controller) leaveQuota(b workv1alpha2.Binding) {
	c.Quotas.Leave(c.Name(), binding.KeyOf(b))
}

// leaveQuotaOf is leaveQuota where only the key of the template is known: the template may be gone, or
// in other hands. Its binding has one of two names, of which another template may have the other: the
// wait of that is kept.
func (c *Controller) leaveQuotaOf(ctx context.Context, key templates.Key) error {
	if c.Quotas == nil || key.Namespace == "" {
		return nil
	}
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(key.GroupVersionKind)
	o.SetNamespace(key.Namespace)
	o.SetName(key.Name)
	for _, taken := range []bool{false, true} {
		b := scope.EmptyBinding(key.Namespace, reference.NameFor(o, taken))
		switch err := c.Client.Get(ctx, client.ObjectKeyFromObject(b), b); {
		case client.IgnoreNotFound(err) != nil:
			return fmt.Errorf("read binding %s: %w", b.GetName(), err)
		case err == nil && !reference.IsFor(b, o):
			continue
		}
		c.leaveQuota(b)
	}
	return nil
}

// release removes every claim from a template and its binding. Nothing is asked of a quota or a
// PriorityClass any more: the wait ends, and the binding says nothing of either.
func (c *Controller) release(ctx context.Context, object *unstructured.Unstructured) error {
	if err := c.leaveQuotaOf(ctx, templates.KeyOf(object)); err != nil {
		return err
	}
	if err := releaseClaim(ctx, c.Client, object); err != nil {
		return err
	}
	b, exists, err := index.BindingFor(ctx, c.Client, object)
	if err != nil || !exists {
		return err
	}
	before := b.DeepCopyObject().(workv1alpha2.Binding)
	conditions := &b.GetStatus().Conditions
	within, priority := meta.RemoveStatusCondition(conditions, workv1alpha2.WithinQuota), meta.RemoveStatusCondition(conditions, PriorityResolved)
	if !within && !priority {
		return nil
	}
	if err := client.IgnoreNotFound(c.PatchStatus(ctx, b, before)); err != nil {
		return fmt.Errorf("write the status of binding %s: %w", b.GetName(), err)
	}
	return nil
}
