// SPDX-License-Identifier: Apache-2.0

// Package status reports how many templates of a policy are applied in their clusters.
//
// Reads policies and the bindings that their claims name. Writes the status of policies. Asks the
// engine nothing. Wakes up on policies whose spec changed, and on bindings whose condition Ready
// changed; both are collected over seconds, so that a burst of templates is a few writes for each
// policy, and a template that follows its policy at once is none.
package status

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Collect is how long changes of a policy and of its bindings are collected before its status is
// written.
const Collect = 5 * time.Second

// Pending is how long a policy whose status is not True is not written again while nothing failed and
// some of its templates are not decided or not there yet: the next write is that of the outcome, but for
// long ones.
const Pending = 20 * time.Second

// Controller reconciles one kind of policy.
type Controller[P policyv1alpha1.Policy] struct {
	base.Deps
	pending pending
}

// New returns the controller of the policies of type P.
func New[P policyv1alpha1.Policy](d base.Deps) *Controller[P] { return &Controller[P]{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[P]) Name() string { return scope.PolicyController[P]() + ".status" }

// Register adds the controller to the manager.
func (c *Controller[P]) Register(_ context.Context, mgr ctrl.Manager) error {
	b := ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		Watches(scope.NewPolicy[P](), onPolicy()).
		WithOptions(c.Options(mgr, c.Name(), "policy"))
	for _, kind := range scope.Bindings() {
		if isWide(kind) && !scope.IsWidePolicy[P]() {
			continue
		}
		b = b.Watches(kind, c.onBinding())
	}
	return b.Complete(c)
}

// isWide reports whether bindings of a kind have no namespace: those of cluster-wide policies alone.
func isWide(kind workv1alpha2.Binding) bool {
	_, wide := kind.(*workv1alpha2.ClusterResourceBinding)
	return wide
}

// Reconcile writes the status of one policy if it changed.
func (c *Controller[P]) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	policy := scope.NewPolicy[P]()
	err := c.Client.Get(ctx, r.NamespacedName, policy)
	switch {
	case apierrors.IsNotFound(err) || err == nil && policy.GetDeletionTimestamp() != nil:
		c.pending.end(r.NamespacedName)
		return reconcile.Result{}, nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("read policy %s: %w", r.NamespacedName, err)
	}
	all, err := index.BindingsOfPolicy(ctx, base.Cached{Reader: c.Client}, r.NamespacedName)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("list the bindings of policy %s: %w", r.NamespacedName, err)
	}
	before := policy.DeepCopyObject().(P)
	*policy.GetStatus() = statusOf(policy, all)
	if equality.Semantic.DeepEqual(before.GetStatus(), policy.GetStatus()) {
		c.pending.end(r.NamespacedName)
		return reconcile.Result{}, nil
	}
	if waits(before.GetStatus(), policy.GetStatus()) {
		if left := c.pending.left(r.NamespacedName, c.Clock.Now()); left > 0 {
			return reconcile.Result{RequeueAfter: left}, nil
		}
	}
	c.pending.end(r.NamespacedName)
	if err := c.PatchStatus(ctx, policy, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("write the status of policy %s: %w", r.NamespacedName, err)))
	}
	return reconcile.Result{}, nil
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// onPolicy enqueues policies that are new, or whose spec changed.
func onPolicy() handler.EventHandler {
	enqueue := func(q queue, o client.Object) {
		q.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)}, Collect)
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { enqueue(q, e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
				enqueue(q, e.ObjectNew)
			}
		},
	}
}

// onBinding enqueues the policy of a binding whose part in the policy's status changed.
func (c *Controller[P]) onBinding() handler.EventHandler {
	enqueue := func(q queue, o client.Object) {
		if key, ok := policyOf[P](o); ok {
			q.AddAfter(reconcile.Request{NamespacedName: key}, Collect)
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList { // the policy is
				enqueue(q, e.Object)
			}
		},
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			before, after := e.ObjectOld.(workv1alpha2.Binding), e.ObjectNew.(workv1alpha2.Binding)
			was, claimed := policyOf[P](before)
			switch is, claims := policyOf[P](after); {
			case was != is:
				enqueue(q, before)
				enqueue(q, after)
			case claimed && claims && changed(before, after):
				enqueue(q, after)
			}
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { enqueue(q, e.Object) },
	}
}

// policyOf returns the key of the policy of type P that claims a binding; false if none does.
func policyOf[P policyv1alpha1.Policy](o client.Object) (types.NamespacedName, bool) {
	p := claim.Policy(o)
	if _, is := p.(P); !is {
		return types.NamespacedName{}, false
	}
	return client.ObjectKeyFromObject(p), true
}

// changed reports whether a binding reports something else to its policy than before.
func changed(before, after workv1alpha2.Binding) bool {
	was, is := binding.Ready(before), binding.Ready(after)
	deferred := func(b workv1alpha2.Binding) string { return b.GetAnnotations()[workv1alpha2.DeferredPolicyAnnotation] }
	return was.Status != is.Status || was.Reason != is.Reason || deferred(before) != deferred(after) ||
		before.GetGeneration() != after.GetGeneration() ||
		(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil)
}
