// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// releaseCheck is how often the claims of a policy that is being deleted are looked for
// until there are none. It reads the cache alone.
const releaseCheck = 200 * time.Millisecond

// finalize enqueues the templates of a policy that is being deleted, whose controller
// releases them, and removes the finalizer once no claim names the policy. Ten thousand
// templates are released by the workers and at the priority of their own queue; other
// policies wait for none of them.
func (c *Controller[P]) finalize(ctx context.Context, policy P) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(policy, scope.PolicyFinalizer(policy)) {
		return reconcile.Result{}, nil
	}
	key := client.ObjectKeyFromObject(policy)
	held, err := c.held(ctx, key)
	if err != nil {
		return reconcile.Result{}, err
	}
	claimed, err := c.claims(ctx, policy, held)
	if err != nil {
		return reconcile.Result{}, err
	}
	if claimed {
		if c.released.set(key) {
			c.Templates.Enqueue(templates.Listed, held...)
		}
		return reconcile.Result{RequeueAfter: releaseCheck}, nil
	}
	c.released.take(key)
	changed := policy.DeepCopyObject().(P)
	controllerutil.RemoveFinalizer(changed, scope.PolicyFinalizer(policy))
	if err := c.Patch(ctx, changed, policy); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("remove the finalizer of policy %s: %w", policy.GetName(), err)
	}
	return reconcile.Result{}, nil
}

// forget ends what a policy that is gone wanted, and enqueues the templates that somebody
// kept from being released by removing the finalizer.
func (c *Controller[P]) forget(ctx context.Context, key types.NamespacedName) error {
	c.listed.take(key)
	c.released.take(key)
	held, err := c.held(ctx, key)
	if err != nil {
		return err
	}
	c.Templates.Drop(c.owner(key))
	c.Templates.Enqueue(templates.Listed, held...)
	return nil
}

// held returns the templates whose claim, or that of their binding, names a policy.
func (c *Controller[P]) held(ctx context.Context, policy types.NamespacedName) ([]templates.Key, error) {
	claimed, err := index.BindingsOfPolicy(ctx, base.Cached{Reader: c.Client}, policy)
	if err != nil {
		return nil, fmt.Errorf("find the bindings of policy %s: %w", policy, err)
	}
	keys := make([]templates.Key, len(claimed))
	for i, b := range claimed {
		keys[i] = templates.KeyOfReference(&b.GetSpec().Resource)
	}
	for _, kind := range c.Templates.Wanted(c.owner(policy)) {
		found, err := c.Templates.ClaimedBy(ctx, kind, policy)
		if err != nil {
			return nil, fmt.Errorf("find the templates of policy %s: %w", policy, err)
		}
		keys = append(keys, found...)
	}
	return keys, nil
}

// claims reports whether there is a template among these that has to be released.
func (c *Controller[P]) claims(ctx context.Context, policy P, held []templates.Key) (bool, error) {
	for _, key := range held {
		object, err := c.Templates.Get(ctx, key)
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("release %s: %w", key, err)
		}
		if claimed, err := c.claimed(ctx, policy, object); err != nil || claimed {
			return claimed, err
		}
	}
	return false, nil
}

// claimed reports whether the claim of a template, or of its binding, names a policy. What
// is being deleted or is another controller's has not to be released, nor has the binding
// of an earlier object of its name.
func (c *Controller[P]) claimed(ctx context.Context, policy P, object *unstructured.Unstructured) (bool, error) {
	if object.GetDeletionTimestamp() != nil || object.GetLabels()[policyv1alpha1.ClaimedByLabel] != "" ||
		c.Skipped.Object(object.GroupVersionKind(), object.GetNamespace(), object.GetName()) {
		return false, nil
	}
	if claim.Names(object, policy) {
		return true, nil
	}
	b, exists, err := index.BindingFor(ctx, base.Cached{Reader: c.Client}, object)
	return exists && b.GetDeletionTimestamp() == nil && b.GetSpec().Resource.UID == object.GetUID() && claim.Names(b, policy), err
}
