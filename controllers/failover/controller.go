// SPDX-License-Identifier: Apache-2.0

// Package failover moves an application that stays unhealthy in its cluster to
// another one, with its state.
//
// Reads bindings, Works for reports that a binding does not have yet, templates for the script that
// names the state, and the copy that it is about to evict in its member. Writes spec.clusters and
// gracefulEvictionTasks of bindings, and the annotations that keep when a cluster became unhealthy,
// where the application failed, the state that it left behind, and that it was moved. Asks the
// engine for state. Wakes up on bindings with spec.failover.application, and when rules change.
package failover

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/failover"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct{ base.Deps }

// New returns the controller of the bindings of type B.
func New[B workv1alpha2.Binding](d base.Deps) *Controller[B] { return &Controller[B]{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return scope.BindingController[B]("failover") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	wanted := predicate.NewPredicateFuncs(func(o client.Object) bool {
		_, counting := o.GetAnnotations()[binding.UnhealthySinceAnnotation]
		_, failed := o.GetAnnotations()[binding.FailedClustersAnnotation]
		_, moved := o.GetAnnotations()[binding.MovedAnnotation]
		return counting || failed || moved || failover.Wants(o.(workv1alpha2.Binding))
	})
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(scope.NewBinding[B](), builder.WithPredicates(wanted)).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Bindings[B](c.Client), engine.InterpretState)).
		WithOptions(c.Options(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// Reconcile evicts one binding from the clusters in which it was unhealthy for too long.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, nil
	}
	before := b.DeepCopyObject().(B)
	works, err := c.works(ctx, b)
	if err != nil {
		return reconcile.Result{}, err
	}
	plan, err := failover.Decide(b, failover.View{
		Works:    works,
		Moves:    failover.Wants(b) && c.MovesByItself(b),
		Graceful: c.Gates.Enabled(features.GracefulEviction),
		Backoff:  c.Backoff,
		State: func(rules *policyv1alpha1.StatePreservation, cluster string) (binding.State, error) {
			return preservation.Collect(ctx, c.Deps, b, rules, cluster)
		},
		Confirmed: func(cluster string) bool { return !c.stale(ctx, b, cluster) },
	}, c.Clock.Now())
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	failed := c.report(b, plan)
	result, err := c.write(ctx, b, before, plan)
	if err == nil && result.RequeueAfter == 0 {
		err = failed // no event will follow, so it is tried again
	}
	return result, err
}

// works returns the Works of a binding, if what they report is needed.
func (c *Controller[B]) works(ctx context.Context, b B) ([]workv1alpha1.Work, error) {
	if !failover.Wants(b) || !failover.MayDiffer(b) {
		return nil, nil
	}
	return index.Works(ctx, c.Client, client.ObjectKeyFromObject(b))
}

// write writes the binding if it changed.
func (c *Controller[B]) write(ctx context.Context, b, before B, plan failover.Plan) (reconcile.Result, error) {
	if !plan.Write {
		return reconcile.Result{RequeueAfter: plan.Wait}, nil
	}
	c.Trail.Urgent(requeue.AboutBinding(client.ObjectKeyFromObject(b)))
	if err := c.Patch(ctx, b, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	c.Failovers.Wrote(before, b)
	if len(plan.Evicted) > 0 {
		ctrl.LoggerFrom(ctx).Info("evicted application", "clusters", plan.Evicted, "purgeMode", b.GetSpec().Failover.Application.PurgeMode.Canonical())
	}
	return reconcile.Result{RequeueAfter: plan.Wait}, nil
}

// report records which state is not complete, and which clusters could not be left: the published
// events, and why. It returns the reasons.
func (c *Controller[B]) report(b B, plan failover.Plan) error {
	for _, err := range plan.Incomplete {
		c.Warn(b, "StatePreservationIncomplete", "Failover", err)
	}
	var failed []error
	for _, f := range plan.Failed {
		failed = append(failed, f.Why)
		for _, about := range []runtime.Object{b, reference.Template(b)} {
			c.Events.Eventf(about, nil, corev1.EventTypeWarning, "EvictWorkloadFromClusterFailed", "Failover", "Evict from cluster %s failed.", f.Cluster)
			c.Warn(about, "StatePreservationFailed", "Failover", f.Why)
		}
	}
	return errors.Join(failed...)
}
