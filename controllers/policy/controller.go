// SPDX-License-Identifier: Apache-2.0

// Package policy reconciles propagation policies, of which there are two kinds.
//
// Reads policies, and the templates that they select; it begins to watch the kinds of
// these. Writes the permanent id and the finalizer of policies, and removes the claim of
// a deleted one from templates and bindings. Asks the engine nothing. Wakes up on
// policies and on CRDs. It enqueues the templates of a policy for their controller, which
// must run in the same process; package template has the specs of both.
package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/claim"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/policies"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/selector"
)

// Controller reconciles one kind of policy.
type Controller[P policyv1alpha1.Policy] struct{ base.Deps }

// New returns the controller of the policies of type P.
func New[P policyv1alpha1.Policy](d base.Deps) *Controller[P] { return &Controller[P]{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[P]) Name() string { return policies.Name[P]() }

// Register adds the controller to the manager.
func (c *Controller[P]) Register(_ context.Context, mgr ctrl.Manager) error {
	changed := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{},
		predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }))
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(policies.New[P](), builder.WithPredicates(changed)).
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, handler.EnqueueRequestsFromMapFunc(c.all)).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "policy")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[P](c)))
}

// all lists the policies of this kind: any may wait for a new CRD.
func (c *Controller[P]) all(ctx context.Context, _ client.Object) []reconcile.Request {
	all, err := policies.List[P](ctx, c.Client)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the policies")
	}
	requests := make([]reconcile.Request, 0, len(all))
	for _, p := range all {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)})
	}
	return requests
}

// Reconcile prepares a policy and enqueues its templates, or releases them when it is
// deleted.
func (c *Controller[P]) Reconcile(ctx context.Context, policy P) (reconcile.Result, error) {
	return requeue.OnConflict(reconcile.Result{}, c.reconcile(ctx, policy))
}

func (c *Controller[P]) reconcile(ctx context.Context, policy P) error {
	if policy.GetDeletionTimestamp() != nil {
		return c.finalize(ctx, policy)
	}
	prepared, err := c.prepare(ctx, policy)
	if err != nil || !prepared {
		return err
	}
	held, err := c.withClaim(ctx, policies.PermanentID(policy))
	if err != nil {
		return err
	}
	c.Templates.Enqueue(held...)
	selected, err := c.selected(ctx, policy)
	c.Templates.Enqueue(selected...)
	return err
}

// prepare writes the id and the finalizer of a policy. It returns false if it wrote an
// id: the event of that write brings the policy back.
func (c *Controller[P]) prepare(ctx context.Context, policy P) (bool, error) {
	changed := policy.DeepCopyObject().(P)
	named := policies.PermanentID(policy) != ""
	if !named {
		base.SetLabel(changed, policies.PermanentIDLabel(policy), string(c.NewID()))
	}
	if !controllerutil.AddFinalizer(changed, policies.Finalizer(policy)) && named {
		return true, nil
	}
	if err := c.Patch(ctx, changed, policy); err != nil {
		return false, fmt.Errorf("write the id of policy %s: %w", policy.GetName(), err)
	}
	return named, nil
}

// selected lists the templates that the policy's selectors name, and watches their kinds.
// A kind that the API server does not serve is an error, which is returned, and retried,
// after the other kinds were handled.
func (c *Controller[P]) selected(ctx context.Context, policy P) ([]templates.Key, error) {
	var (
		keys   []templates.Key
		missed []error
	)
	for i := range policy.GetSpec().ResourceSelectors {
		s := &policy.GetSpec().ResourceSelectors[i]
		kind := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
		namespace := s.Namespace
		if policy.GetNamespace() != "" {
			namespace = policy.GetNamespace()
		}
		found, err := c.Templates.List(ctx, kind, namespace)
		if err != nil {
			if meta.IsNoMatchError(err) {
				err = fmt.Errorf("spec.resourceSelectors[%d]: the control plane does not serve %s of %s; install its CRD: %w", i, s.Kind, s.APIVersion, err)
			}
			missed = append(missed, err)
			continue
		}
		for k := range found {
			if by, err := selector.Match(s, &found[k]); err == nil && by != selector.NoMatch {
				keys = append(keys, templates.KeyOf(&found[k]))
			}
		}
	}
	return keys, errors.Join(missed...)
}

// finalize removes the claim of a deleted policy from its bindings and templates, which
// stay, removes its finalizer, and enqueues the templates for the policy that may select
// them next.
func (c *Controller[P]) finalize(ctx context.Context, policy P) error {
	if !controllerutil.ContainsFinalizer(policy, policies.Finalizer(policy)) {
		return nil
	}
	held, err := c.claimedTemplates(ctx, policy)
	if err != nil {
		return err
	}
	for _, key := range held {
		object, err := c.Templates.Get(ctx, key)
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			continue // the kind or the template is gone, and the claim with it
		}
		if err == nil {
			err = claim.Release(ctx, c.Client, object, policies.PermanentID(policy))
		}
		if err != nil {
			return err
		}
	}
	changed := policy.DeepCopyObject().(P)
	controllerutil.RemoveFinalizer(changed, policies.Finalizer(policy))
	if err := c.Patch(ctx, changed, policy); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer of policy %s: %w", policy.GetName(), err)
	}
	c.Templates.Enqueue(held...)
	return nil
}

// claimedTemplates lists the templates that carry the claim of a policy: those of its
// bindings, and those that it selects and that have no binding yet.
func (c *Controller[P]) claimedTemplates(ctx context.Context, policy P) ([]templates.Key, error) {
	id := policies.PermanentID(policy)
	if id == "" {
		return nil, nil
	}
	held, err := c.withClaim(ctx, id)
	if err != nil {
		return nil, err
	}
	// A kind that cannot be read does not delay the deletion: it has nothing to release.
	selected, _ := c.selected(ctx, policy)
	for _, key := range selected {
		object, err := c.Templates.Get(ctx, key)
		if err == nil && claim.ID(object) == id && !slices.Contains(held, key) {
			held = append(held, key)
		}
	}
	return held, nil
}

// withClaim lists the templates of the bindings that carry the id of a policy.
func (c *Controller[P]) withClaim(ctx context.Context, id string) ([]templates.Key, error) {
	claimed, err := index.BindingsOfPolicy(ctx, c.Client, id)
	keys := make([]templates.Key, len(claimed))
	for i, b := range claimed {
		keys[i] = templates.KeyOfReference(&b.GetSpec().Resource)
	}
	return keys, err
}
