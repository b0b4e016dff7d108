// SPDX-License-Identifier: Apache-2.0

// Package template propagates templates: it finds the policy of each, and keeps its
// binding.
//
// Reads templates and policies. Writes the claim on templates, and bindings with replicas
// or components. Asks the engine for replicas and components. Wakes up on templates of
// the kinds that a policy selects, on policies through their own controllers, on bindings
// that were deleted or whose claim changed, and when rules change. It watches no kind by
// itself: the controllers of policies, which must run in the same process, start the
// watches.
package template

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/claim"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/policies"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles templates.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "template" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	watcher, err := controller.NewTyped(c.Name(), mgr, controller.TypedOptions[templates.Key]{
		Reconciler: c, MaxConcurrentReconciles: 5, LogConstructor: base.LogConstructorOf(mgr, c.Name(), "template", templates.Key.String),
	})
	if err != nil {
		return err
	}
	return errors.Join(
		watcher.Watch(source.TypedFunc[templates.Key](func(_ context.Context, queue workqueue.TypedRateLimitingInterface[templates.Key]) error {
			c.Templates.Listen(func(k templates.Key) { queue.Add(k) })
			return nil
		})),
		watcher.Watch(bindingChanges[*workv1alpha2.ResourceBinding](mgr)),
		watcher.Watch(bindingChanges[*workv1alpha2.ClusterResourceBinding](mgr)),
		watcher.Watch(rulechange.Source(c.Changes, c.Clock, c.claimed, engine.InterpretReplica, engine.InterpretComponent, engine.ReviseReplica)),
	)
}

// bindingChanges enqueues the templates whose bindings were deleted while a policy claims
// them, or whose claim changed: a write that was in progress when a policy was deleted
// may restore its claim.
func bindingChanges[B workv1alpha2.Binding](mgr ctrl.Manager) source.TypedSource[templates.Key] {
	type queue = workqueue.TypedRateLimitingInterface[templates.Key]
	return source.TypedKind(mgr.GetCache(), bindings.New[B](), handler.TypedFuncs[B, templates.Key]{
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[B], q queue) {
			if claim.ID(e.Object) != "" {
				q.Add(templates.KeyOfReference(&e.Object.GetSpec().Resource))
			}
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[B], q queue) {
			if claim.ID(e.ObjectOld) != claim.ID(e.ObjectNew) {
				q.Add(templates.KeyOfReference(&e.ObjectNew.GetSpec().Resource))
			}
		},
	})
}

// claimed lists the templates of a kind that a policy claims; of a kind that is not
// watched there are none.
func (c *Controller) claimed(ctx context.Context, kind schema.GroupVersionKind) ([]templates.Key, error) {
	if !c.Templates.Watched(kind) {
		return nil, nil
	}
	all, err := c.Templates.List(ctx, kind, "")
	var keys []templates.Key
	for i := range all {
		if claim.ID(&all[i]) != "" {
			keys = append(keys, templates.KeyOf(&all[i]))
		}
	}
	return keys, err
}

// reserved reports whether the objects of a namespace are never propagated: those of the
// control plane itself, and those of its API server.
func reserved(namespace string) bool {
	return names.IsReservedNamespace(namespace) || strings.HasPrefix(namespace, "kube-")
}

// Reconcile finds the policy of one template and updates claim and binding.
func (c *Controller) Reconcile(ctx context.Context, key templates.Key) (reconcile.Result, error) {
	if reserved(key.Namespace) {
		return reconcile.Result{}, nil
	}
	object, err := c.Templates.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil // the binding is deleted with its owner
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	if object.GetDeletionTimestamp() != nil || object.GetLabels()[policyv1alpha1.ClaimedByLabel] != "" {
		return reconcile.Result{}, nil
	}
	if other, err := c.claimedInOtherVersion(ctx, object); err != nil || other {
		return reconcile.Result{}, err
	}
	candidates, err := index.PoliciesFor(ctx, c.Client, object)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("find the policy of %s: %w", key, err)
	}
	policy := claim.Select(candidates, object)
	if policy == nil {
		return reconcile.Result{}, claim.Release(ctx, c.Client, object, "")
	}
	if policies.PermanentID(policy) == "" {
		return reconcile.Result{}, nil // it is enqueued again once the policy has its id
	}
	claimed, err := claim.Write(ctx, c.Client, object, claim.Of(policy))
	if err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	result, err := requeue.OnConflict(reconcile.Result{}, c.bind(ctx, claimed.(*unstructured.Unstructured), policy))
	if err != nil {
		c.Warn(object, "ApplyPolicyFailed", "Propagate", err)
	}
	return result, err
}

// claimedInOtherVersion reports whether the policy that claimed the template selects it
// in another version of its kind, which is watched too: its binding is decided there.
func (c *Controller) claimedInOtherVersion(ctx context.Context, object *unstructured.Unstructured) (bool, error) {
	holder := claim.Policy(object)
	if holder == nil {
		return false, nil
	}
	if err := c.Client.Get(ctx, client.ObjectKeyFromObject(holder), holder); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return claim.InOtherVersion(holder, object), nil
}
