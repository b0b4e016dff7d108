// SPDX-License-Identifier: Apache-2.0

// Package propagation turns templates into bindings by the policies that select
// them.
//
// Reads policies and templates; it watches only kinds that a policy selects.
// Writes the claim on templates, bindings with replicas or components, and the
// permanent id and finalizer of policies. Asks the engine for replicas and
// components. Wakes up on templates and policies, on bindings that were deleted, and
// when other scripts answer.
package propagation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/component-base/featuregate"
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
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/selector"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles templates; its Policies part reconciles policies.
type Controller struct {
	Client      client.Client
	Templates   *templates.Templates
	Interpreter *engine.Interpreter
	Changes     requeue.Changes
	Gates       featuregate.FeatureGate
	Events      events.EventRecorder

	// wake enqueues templates for a reason other than a change of their own.
	wake chan event.TypedGenericEvent[templates.Key]
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "propagation" }

// Register adds the controller to the manager, with one for each kind of policy.
func (c *Controller) Register(mgr ctrl.Manager) error {
	if err := registerIndexes(context.Background(), mgr.GetFieldIndexer()); err != nil {
		return err
	}
	c.wake = make(chan event.TypedGenericEvent[templates.Key], 1024)
	watcher, err := controller.NewTyped(c.Name(), mgr, controller.TypedOptions[templates.Key]{
		Reconciler: c, MaxConcurrentReconciles: 5, LogConstructor: func(k *templates.Key) logr.Logger {
			log := mgr.GetLogger().WithName(c.Name())
			if k == nil {
				return log
			}
			return log.WithValues("template", k.String())
		},
	})
	if err != nil {
		return err
	}
	err = watcher.Watch(source.TypedFunc[templates.Key](func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[templates.Key]) error {
		c.Templates.Listen(func(k templates.Key) { queue.Add(k) })
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case e := <-c.wake:
					queue.Add(e.Object)
				}
			}
		}()
		return nil
	}))
	if err != nil {
		return err
	}
	if err := errors.Join(
		watcher.Watch(bindingChanges[*workv1alpha2.ResourceBinding](mgr)), watcher.Watch(bindingChanges[*workv1alpha2.ClusterResourceBinding](mgr)),
		watcher.Watch(requeue.OnChange(c.Changes, c.claimed, engine.InterpretReplica, engine.InterpretComponent, engine.ReviseReplica)),
	); err != nil {
		return err
	}
	if err := (&policies[*policyv1alpha1.PropagationPolicy]{c, new(policyv1alpha1.PropagationPolicy), policyv1alpha1.PropagationPolicyFinalizer}).register(mgr); err != nil {
		return err
	}
	return (&policies[*policyv1alpha1.ClusterPropagationPolicy]{c, new(policyv1alpha1.ClusterPropagationPolicy), policyv1alpha1.ClusterPropagationPolicyFinalizer}).register(mgr)
}

// bindingChanges wakes the templates whose bindings were deleted while a policy holds them, or
// whose claim changed: a write that was under way when a policy ended may bring its claim
// back.
func bindingChanges[B workv1alpha2.Binding](mgr ctrl.Manager) source.TypedSource[templates.Key] {
	type queue = workqueue.TypedRateLimitingInterface[templates.Key]
	return source.TypedKind(mgr.GetCache(), bindings.New[B](), handler.TypedFuncs[B, templates.Key]{
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[B], q queue) {
			if claimID(e.Object) != "" {
				q.Add(templates.KeyOfReference(&e.Object.GetSpec().Resource))
			}
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[B], q queue) {
			if claimID(e.ObjectOld) != claimID(e.ObjectNew) {
				q.Add(templates.KeyOfReference(&e.ObjectNew.GetSpec().Resource))
			}
		},
	})
}

// claimed lists the templates of a kind that a policy holds; of a kind that is not
// watched there are none.
func (c *Controller) claimed(ctx context.Context, kind schema.GroupVersionKind) ([]templates.Key, error) {
	if !c.Templates.Watched(kind) {
		return nil, nil
	}
	all, err := c.Templates.List(ctx, kind, "")
	var keys []templates.Key
	for i := range all {
		if claimID(&all[i]) != "" {
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

// Reconcile finds the policy of one template and brings claim and binding in line.
func (c *Controller) Reconcile(ctx context.Context, key templates.Key) (reconcile.Result, error) {
	if reserved(key.Namespace) {
		return reconcile.Result{}, nil
	}
	object, err := c.Templates.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil // the binding goes with its owner
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	if object.GetDeletionTimestamp() != nil || object.GetLabels()[policyv1alpha1.ClaimedByLabel] != "" {
		return reconcile.Result{}, nil
	}
	if other, err := c.heldInOtherVersion(ctx, object); err != nil || other {
		return reconcile.Result{}, err
	}
	policy, err := c.policyFor(ctx, object)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("find the policy of %s: %w", key, err)
	}
	if policy == nil {
		return reconcile.Result{}, c.release(ctx, object, "")
	}
	if policy.GetLabels()[idLabel(policy)] == "" {
		return reconcile.Result{}, nil // it comes again once the policy has its id
	}
	claimed, err := c.writeClaim(ctx, object, claimOf(policy))
	if err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	result, err := requeue.OnConflict(reconcile.Result{}, c.bind(ctx, claimed.(*unstructured.Unstructured), policy))
	if err != nil {
		c.Events.Eventf(object, nil, corev1.EventTypeWarning, "ApplyPolicyFailed", "Propagate", "%.900s", err)
	}
	return result, err
}

// policyFor returns the policy that holds the template as long as it selects it, or
// else the best of those that do, or nil.
func (c *Controller) policyFor(ctx context.Context, object *unstructured.Unstructured) (policyv1alpha1.Policy, error) {
	all, err := candidates(ctx, c.Client, object)
	if err != nil {
		return nil, err
	}
	if id := claimID(object); id != "" {
		for _, p := range all {
			by, err := selects(p, object)
			if err == nil && by != selector.NoMatch && p.GetLabels()[idLabel(p)] == id && p.GetDeletionTimestamp() == nil {
				return p, nil
			}
		}
	}
	return choose(all, object), nil
}

// heldInOtherVersion reports whether the policy which claimed the template selects it in
// another version of its kind, which is watched too: what comes of it is decided there.
func (c *Controller) heldInOtherVersion(ctx context.Context, object *unstructured.Unstructured) (bool, error) {
	holder := claimingPolicy(object)
	if holder == nil {
		return false, nil
	}
	if err := c.Client.Get(ctx, client.ObjectKeyFromObject(holder), holder); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if holder.GetDeletionTimestamp() != nil || holder.GetLabels()[idLabel(holder)] != claimID(object) {
		return false, nil
	}
	here, err := selects(holder, object)
	return err == nil && here == selector.NoMatch && selector.MatchesOtherVersion(holder.GetSpec().ResourceSelectors, object), nil
}

// release takes the claim of the policy with this id from a template and its binding,
// from the binding first so that a retry still finds it; the empty id stands for any.
// The binding and what it made stay.
func (c *Controller) release(ctx context.Context, object *unstructured.Unstructured, id string) error {
	binding, exists, err := c.bindingOf(ctx, object)
	if err != nil {
		return err
	}
	if exists && (id == "" || claimID(binding) == id) {
		if _, err := c.writeClaim(ctx, binding, claim{}); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	if id == "" || claimID(object) == id {
		_, err = c.writeClaim(ctx, object, claim{})
	}
	return client.IgnoreNotFound(err)
}

// writeClaim writes a claim into the metadata of a template or binding. It returns the object
// as it is then; the one it was given is not changed.
func (c *Controller) writeClaim(ctx context.Context, object client.Object, with claim) (client.Object, error) {
	changed := object.DeepCopyObject().(client.Object)
	if !with.set(changed) {
		return object, nil
	}
	if err := c.Client.Patch(ctx, changed, client.MergeFrom(object)); err != nil {
		return nil, fmt.Errorf("write the claim of %s/%s: %w", object.GetNamespace(), object.GetName(), err)
	}
	return changed, nil
}

// enqueue enqueues templates.
func (c *Controller) enqueue(ctx context.Context, keys []templates.Key) {
	for _, k := range keys {
		select {
		case c.wake <- event.TypedGenericEvent[templates.Key]{Object: k}:
		case <-ctx.Done():
			return
		}
	}
}
