// SPDX-License-Identifier: Apache-2.0

// Package failover moves an application that stays unhealthy in its cluster to
// another one, with its state.
//
// Reads bindings, templates for the script that names the state, and the copy that it is
// about to evict in its member. Writes
// spec.clusters and gracefulEvictionTasks of bindings, and the annotations that keep
// when a cluster became unhealthy, where the application failed, the state that it
// left behind, and that it was moved. Asks the engine for state. Wakes up on bindings
// with spec.failover.application, and when rules change.
package failover

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
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
		return counting || failed || moved || wantsFailover(o.(workv1alpha2.Binding))
	})
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(scope.NewBinding[B](), builder.WithPredicates(wanted)).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Bindings[B](c.Client), engine.InterpretState)).
		WithOptions(c.Options(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// wantsFailover reports whether the policy moves failed applications.
func wantsFailover(b workv1alpha2.Binding) bool {
	f := b.GetSpec().Failover
	return f != nil && f.Application != nil
}

// Reconcile evicts one binding from the clusters in which it was unhealthy for too long.
// If the policy does not ask for it, or the object is none that is moved by itself, the
// times are dropped, so that they start again.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, nil
	}
	before := b.DeepCopyObject().(B)
	if !wantsFailover(b) || !c.MovesByItself(b) {
		if err := c.Backoff.KeepRefusals(b, c.Clock.Now()); err != nil {
			return reconcile.Result{}, err
		}
		binding.SetMoved(b, false)
		return c.write(ctx, b, before, binding.Unhealthy{})
	}
	mode := b.GetSpec().Failover.Application.PurgeMode.Canonical()
	if mode != policyv1alpha1.PurgeModeDirectly && !c.Gates.Enabled(features.GracefulEviction) {
		return reconcile.Result{}, reconcile.TerminalError(fmt.Errorf("purge mode %s needs the feature gate GracefulEviction", mode))
	}
	d := binding.FindUnhealthy(b.GetSpec(), b.GetStatus().AggregatedStatus, binding.UnhealthySince(b), binding.ProgressSeen(b), c.Clock.Now())
	failed := c.evictAll(ctx, b, &d)
	result, err := c.write(ctx, b, before, d)
	if err == nil && result.RequeueAfter == 0 {
		err = failed // no event will follow, so it is tried again
	}
	return result, err
}

// write writes the binding if it changed.
func (c *Controller[B]) write(ctx context.Context, b, before B, d binding.Unhealthy) (reconcile.Result, error) {
	if err := binding.SetUnhealthySince(b, d.Since, d.Seen); err != nil {
		return reconcile.Result{}, err
	}
	if len(d.Evict) == 0 && equality.Semantic.DeepEqual(before.GetAnnotations(), b.GetAnnotations()) {
		return reconcile.Result{RequeueAfter: d.Wait}, nil
	}
	c.Trail.Urgent(requeue.AboutBinding(client.ObjectKeyFromObject(b)))
	if err := c.Patch(ctx, b, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	c.Failovers.Wrote(before, b)
	if len(d.Evict) > 0 {
		ctrl.LoggerFrom(ctx).Info("evicted application", "clusters", d.Evict, "purgeMode", b.GetSpec().Failover.Application.PurgeMode.Canonical())
	}
	return reconcile.Result{RequeueAfter: d.Wait}, nil
}

// unhealthyMessage returns why an application is evicted, for its history.
func unhealthyMessage(behavior *policyv1alpha1.ApplicationFailoverBehavior) string {
	tolerated := "as long as the default tolerates"
	if s := behavior.DecisionConditions.TolerationSeconds; s != nil {
		tolerated = fmt.Sprintf("the %d s that the policy tolerates", *s)
	}
	return "the application was unhealthy for " + tolerated
}

// evictAll changes the binding's spec for each cluster to evict. A cluster whose state
// cannot be preserved, or that is not unhealthy any more, stays a target, and is removed
// from the decision; its time keeps running. It does not delay the others.
func (c *Controller[B]) evictAll(ctx context.Context, b B, d *binding.Unhealthy) error {
	var (
		before, evicted []string
		failed          []error
	)
	for _, t := range b.GetSpec().Clusters {
		before = append(before, t.Name)
	}
	behavior := b.GetSpec().Failover.Application
	failures := c.Backoff.FailuresNow(b, c.Clock.Now())
	for _, cluster := range d.Evict {
		state, err := preservation.Collect(ctx, c.Deps, b, behavior.StatePreservation, cluster)
		if err != nil {
			failed = append(failed, fmt.Errorf("keep the state of cluster %s: %w", cluster, err))
			c.warn(b, cluster, failed[len(failed)-1])
			continue
		}
		if c.stale(ctx, b, cluster) {
			if d.Wait == 0 || confirmAgain < d.Wait {
				d.Wait = confirmAgain
			}
			continue
		}
		if err := binding.Evict(b, binding.Eviction{
			Cluster: cluster, Producer: scope.EvictionProducer(b), Reason: workv1alpha2.EvictionReasonApplicationFailure,
			PurgeMode: behavior.PurgeMode, GracePeriodSeconds: behavior.GracePeriodSeconds, State: state, Before: before, Time: c.Clock.Now(),
			Since: d.Since[cluster], Message: unhealthyMessage(behavior), Warn: func(err error) { c.Warn(b, "StatePreservationIncomplete", "Failover", err) },
		}); err != nil {
			failed = append(failed, err)
			c.warn(b, cluster, err)
			continue
		}
		c.Backoff.Fail(failures, b, cluster, c.Clock.Now())
		evicted = append(evicted, cluster)
		binding.SetMoved(b, true)
		delete(d.Since, cluster)
		delete(d.Seen, cluster)
	}
	d.Evict = evicted
	return errors.Join(append(failed, binding.SetFailures(b, failures))...)
}

// warn records that a cluster could not be left: the published events, and why.
func (c *Controller[B]) warn(b B, cluster string, why error) {
	for _, about := range []runtime.Object{b, reference.Template(b)} {
		c.Events.Eventf(about, nil, corev1.EventTypeWarning, "EvictWorkloadFromClusterFailed", "Failover", "Evict from cluster %s failed.", cluster)
		c.Warn(about, "StatePreservationFailed", "Failover", why)
	}
}
