// SPDX-License-Identifier: Apache-2.0

// Package eviction ends the eviction of a binding from a cluster when the old copy may be
// removed.
//
// Reads bindings with gracefulEvictionTasks or carried state, and their Works. Writes the
// tasks, the state, which it collects again while a copy waits for a place, the history of failovers, spec.clusters where an eviction is reverted, and
// the condition FailedOver with what an eviction waits for. Asks the engine nothing. Wakes up on
// bindings, and on Works that are gone.
package eviction

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/eviction"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct {
	base.Deps
	timeout time.Duration

	tooLarge tooLarge
}

// New returns the controller of the bindings of type B. The timeout is for tasks without
// a grace period; 0 means binding.DefaultEvictionTimeout.
func New[B workv1alpha2.Binding](d base.Deps, timeout time.Duration) *Controller[B] {
	if timeout == 0 {
		timeout = binding.DefaultEvictionTimeout
	}
	return &Controller[B]{Deps: d, timeout: timeout}
}

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return scope.BindingController[B]("eviction") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	evicting := predicate.NewPredicateFuncs(func(o client.Object) bool {
		return concerned(o.(workv1alpha2.Binding))
	})
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(scope.NewBinding[B](), builder.WithPredicates(evicting)).
		Watches(&workv1alpha1.Work{}, handler.EnqueueRequestsFromMapFunc(index.BindingOfWork[B]), builder.WithPredicates(predicate.Funcs{
			CreateFunc:  func(event.CreateEvent) bool { return false },
			UpdateFunc:  func(event.UpdateEvent) bool { return false },
			GenericFunc: func(event.GenericEvent) bool { return false },
		})).
		WithOptions(c.Options(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// concerned reports whether a binding is being evicted, carries state over, has a failover in
// its history that has not ended, or has the condition of an eviction.
func concerned(b workv1alpha2.Binding) bool {
	return binding.IsEvicting(b.GetSpec()) || b.GetAnnotations()[binding.CarriedStateAnnotation] != "" ||
		binding.HasRunningFailover(b) || failedOver(b) != nil
}

func failedOver(b workv1alpha2.Binding) *metav1.Condition {
	return meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.FailedOver)
}

// Reconcile ends, keeps or reverts the eviction tasks of one binding.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if b.GetDeletionTimestamp() != nil || !concerned(b) {
		c.tooLarge.forget(b.GetUID())
		return reconcile.Result{}, nil
	}
	// 1. Read.
	now := c.Clock.Now()
	view, err := c.view(ctx, b, now)
	if err != nil {
		return reconcile.Result{}, err
	}
	// 2. Decide.
	before := b.DeepCopyObject().(B)
	plan, err := eviction.Decide(b, view, now)
	if err != nil {
		return reconcile.Result{}, err
	}
	// 3. Write the spec, then the condition, and say what became of it.
	if err := c.apply(ctx, b, before, plan); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	return requeue.OnConflict(reconcile.Result{RequeueAfter: plan.Wait}, c.report(ctx, b))
}

// view reads what a decision about a binding needs, at a time.
func (c *Controller[B]) view(ctx context.Context, b B, now time.Time) (eviction.View, error) {
	works, err := index.Works(ctx, c.Client, client.ObjectKeyFromObject(b))
	return eviction.View{
		Works: works, Timeout: c.timeout,
		Carries: c.Gates.Enabled(features.StatefulFailoverInjection), NamesState: func() bool { return preservation.NamesState(c.Deps, b) },
		Seen: func(applied []string) binding.Observed {
			c.Failovers.Started(b, applied, now)
			return c.Failovers.Observed(b)
		},
	}, err
}

// apply writes what was decided about a binding, with its events.
func (c *Controller[B]) apply(ctx context.Context, b, before B, plan eviction.Plan) error {
	if err := errors.Join(plan.TooLarge...); c.tooLarge.isNew(b.GetUID(), err) {
		c.Warn(b, "StatePreservationIncomplete", "Evict", err)
	}
	if !plan.Write {
		return nil
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return err
	}
	c.Failovers.Wrote(before, b)
	c.announce(ctx, b, plan)
	return nil
}

// announce records what became of the tasks.
func (c *Controller[B]) announce(ctx context.Context, b B, plan eviction.Plan) {
	for _, cluster := range plan.Done {
		for _, about := range []runtime.Object{b, reference.Template(b)} {
			c.Events.Eventf(about, nil, corev1.EventTypeNormal, "EvictWorkloadFromClusterSucceed", "Evict", "Evict from cluster %s succeed.", cluster)
		}
		ctrl.LoggerFrom(ctx).Info("ended eviction", "cluster", cluster)
	}
	for _, cluster := range plan.Restored {
		ctrl.LoggerFrom(ctx).Info("reverted the eviction", "cluster", cluster)
	}
}

// report writes the condition FailedOver if it changed, and an event where an eviction
// waits for something that does not come by itself. What cannot be rendered has events of
// its own.
func (c *Controller[B]) report(ctx context.Context, b B) error {
	w := binding.WaitsFor(b, c.timeout)
	conditions := binding.FailedOver(b, w)
	if equality.Semantic.DeepEqual(conditions, b.GetStatus().Conditions) {
		return nil
	}
	before, previous := b.DeepCopyObject().(client.Object), failedOver(b)
	b.GetStatus().Conditions = conditions
	if err := c.PatchStatus(ctx, b, before); err != nil {
		return client.IgnoreNotFound(err)
	}
	if reported := w.Reason == workv1alpha2.NoClusterReason || w.Reason == workv1alpha2.NewCopyFailedReason; reported && (previous == nil || previous.Reason != w.Reason) {
		for _, about := range []runtime.Object{b, reference.Template(b)} {
			c.Warn(about, w.Reason, "Evict", errors.New(w.Message))
		}
	}
	return nil
}
