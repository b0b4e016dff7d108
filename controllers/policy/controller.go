// SPDX-License-Identifier: Apache-2.0

// Package policy reconciles propagation policies, of which there are two kinds.
//
// Reads policies, and the templates that they select; it has the kinds of these watched.
// Writes the permanent id and the finalizer of policies. Asks the engine nothing. Wakes up
// on policies, and on the override policies and PriorityClasses that they name. It
// enqueues the templates of a policy for their controller, which claims and releases them
// and must run in the same process; package template has the specs of both.
package policy

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// Controller reconciles one kind of policy.
type Controller[P policyv1alpha1.Policy] struct {
	base.Deps
	// listed are the policies that were there at the start, until they are reconciled.
	listed marks
	// atStart are the kinds of these.
	atStart startKinds
	// released are the policies being deleted whose templates were enqueued.
	released marks
}

// New returns the controller of the policies of type P.
func New[P policyv1alpha1.Policy](d base.Deps) *Controller[P] { return &Controller[P]{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[P]) Name() string { return scope.PolicyController[P]() }

// Reconcile prepares a policy and enqueues its templates, which are released when it is
// deleted.
func (c *Controller[P]) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	defer c.releaseStart()
	policy := scope.NewPolicy[P]()
	err := c.Client.Get(ctx, r.NamespacedName, policy)
	switch {
	case apierrors.IsNotFound(err):
		return reconcile.Result{}, c.forget(ctx, r.NamespacedName)
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("read policy %s: %w", r.NamespacedName, err)
	case policy.GetDeletionTimestamp() != nil:
		return requeue.OnConflict(c.finalize(ctx, policy))
	}
	return requeue.OnConflict(reconcile.Result{}, c.reconcile(ctx, policy))
}

// reconcile has the kinds of a policy watched and enqueues its templates. Those of a
// policy that was there at the start come by themselves, when their kind is listed.
func (c *Controller[P]) reconcile(ctx context.Context, policy P) error {
	key := client.ObjectKeyFromObject(policy)
	// Before the watches of kinds end that it selects no longer.
	held, err := c.held(ctx, key)
	if err != nil {
		return err
	}
	kinds := c.kinds(policy)
	failed := c.watch(ctx, policy, kinds) // does not keep the other kinds waiting
	if prepared, err := c.prepare(ctx, policy); err != nil || !prepared {
		c.listed.take(key) // its templates may have been listed before it had an id
		return errors.Join(failed, err)
	}
	if c.listed.take(key) {
		c.Templates.Enqueue(templates.Listed, outside(kinds, held)...)
		return failed
	}
	c.Templates.Enqueue(templates.Related, held...)
	for i := range policy.GetSpec().ResourceSelectors {
		selected, err := c.Templates.Selected(ctx, &policy.GetSpec().ResourceSelectors[i], policy.GetNamespace())
		if err != nil {
			return fmt.Errorf("find the templates of policy %s: %w", key, err)
		}
		c.Templates.Enqueue(templates.Related, selected...)
	}
	return failed
}

// prepare writes the id and the finalizer of a policy. It returns false if it wrote an
// id: the event of that write brings the policy back.
func (c *Controller[P]) prepare(ctx context.Context, policy P) (bool, error) {
	changed := policy.DeepCopyObject().(P)
	named := scope.PolicyID(policy) != ""
	if !named {
		base.SetLabel(changed, scope.PolicyIDLabel(policy), string(c.NewID()))
	}
	if !controllerutil.AddFinalizer(changed, scope.PolicyFinalizer(policy)) && named {
		return true, nil
	}
	if err := c.Patch(ctx, changed, policy); err != nil {
		return false, fmt.Errorf("write the id of policy %s: %w", policy.GetName(), err)
	}
	return named, nil
}

// owner returns the name under which a policy wants kinds.
func (c *Controller[P]) owner(key types.NamespacedName) string { return c.Name() + "/" + key.String() }
