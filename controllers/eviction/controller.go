// SPDX-License-Identifier: Apache-2.0

// Package eviction ends the eviction of a binding from a cluster when the old copy may be
// removed.
//
// Reads bindings with gracefulEvictionTasks. Writes those tasks, and spec.clusters where
// an eviction is reverted. Asks the engine nothing. Wakes up on bindings.
package eviction

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct {
	base.Deps
	timeout time.Duration
}

// New returns the controller of the bindings of type B. The timeout is for tasks without
// a grace period; 0 means binding.DefaultEvictionTimeout.
func New[B workv1alpha2.Binding](d base.Deps, timeout time.Duration) *Controller[B] {
	if timeout == 0 {
		timeout = binding.DefaultEvictionTimeout
	}
	return &Controller[B]{d, timeout}
}

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return bindings.Name[B]("eviction") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	evicting := predicate.NewPredicateFuncs(func(o client.Object) bool {
		return binding.IsEvicting(o.(workv1alpha2.Binding).GetSpec())
	})
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(bindings.New[B](), builder.WithPredicates(evicting)).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// Reconcile ends, keeps or reverts the eviction tasks of one binding.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if b.GetDeletionTimestamp() != nil || !binding.IsEvicting(b.GetSpec()) {
		return reconcile.Result{}, nil
	}
	v := binding.Assess(b, c.timeout, c.Clock.Now())
	before := b.DeepCopyObject().(client.Object)
	if !v.Apply(b.GetSpec()) {
		return reconcile.Result{RequeueAfter: v.Wait}, nil
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	for _, cluster := range v.Done {
		c.Events.Eventf(b, nil, corev1.EventTypeNormal, "EvictWorkloadFromClusterSucceed", "Evict", "Evict from cluster %s succeed.", cluster)
		ctrl.LoggerFrom(ctx).Info("ended eviction", "cluster", cluster)
	}
	for _, t := range v.Restore {
		ctrl.LoggerFrom(ctx).Info("reverted the eviction", "cluster", t.Name)
	}
	return reconcile.Result{RequeueAfter: v.Wait}, nil
}
