// SPDX-License-Identifier: Apache-2.0

// Package scheduling places bindings on clusters.
//
// Reads bindings, Clusters, PlacementRules and, through the ledger of quotas,
// FederatedResourceQuotas, and asks the estimators beside members if there are any. Writes
// spec.clusters and the applied-placement annotation, with how much was admitted while copies are
// leaving, then the Scheduled condition, what generation was observed and when, and, with a feature gate, evictions of bindings of lower priority. Asks the engine for the expressions of PlacementRules;
// package placement decides. Wakes up on bindings whose spec changed, in the order of their
// priority, on room in a quota that they wait for, and behind these on Clusters and
// PlacementRules, for the bindings that the change concerns.
package scheduling

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/placementrule"
)

// decisionsAtOnce is how many bindings at least are decided at once where estimators are asked.
const decisionsAtOnce = 16

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct {
	base.Deps
	assumed *schedule.Assumptions
	// estimators are asked how much fits in clusters; nil if there are none.
	estimators *Estimators
	// rules are the PlacementRules; nil if there are none.
	rules *placementrule.Rules
	// waiting enqueues what waited for a quota.
	waiting quotas.Notifier[reconcile.Request]
	// attempts are how long attempts took, by result; nil before it is registered.
	attempts *prometheus.HistogramVec
}

// New returns the controller of the bindings of type B. The controllers of one control
// plane share the assumptions.
func New[B workv1alpha2.Binding](d base.Deps, assumed *schedule.Assumptions) *Controller[B] {
	return &Controller[B]{Deps: d, assumed: assumed}
}

// WithEstimators has the controller ask the estimators of clusters; nil are none.
func (c *Controller[B]) WithEstimators(e *Estimators) *Controller[B] {
	c.estimators = e
	return c
}

// WithRules has the controller ask PlacementRules.
func (c *Controller[B]) WithRules(r *placementrule.Rules) *Controller[B] {
	c.rules = r
	return c
}

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return scope.BindingController[B]("scheduling") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) (err error) {
	if c.attempts, err = newAttempts(c.Registry); err != nil {
		return err
	}
	options := c.Following(c.Options(mgr, c.Name(), "binding"), requeue.AboutBinding)
	if c.estimators != nil {
		// Most of them wait for the next answers, which come for all at once.
		options.MaxConcurrentReconciles = max(options.MaxConcurrentReconciles, decisionsAtOnce)
	}
	b := ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		Watches(scope.NewBinding[B](), c.onBinding()).
		Watches(&clusterv1alpha1.Cluster{}, c.onCluster()).
		WatchesRawSource(source.Func(c.waiting.Listen))
	if c.rules != nil {
		b = b.Watches(&interpreterv1alpha1.PlacementRule{}, c.onRule())
	}
	return b.WithOptions(options).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// Reconcile decides for one binding and writes what changed.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	waits := false
	defer func() {
		if !waits {
			c.leave(b)
		}
	}()
	if !isOurs(b) {
		return reconcile.Result{}, nil
	}
	view, began := c.view(ctx), c.Clock.Now()
	view.Shortages = c.preempts(b)
	d, err := c.assumed.Decide(b, began, view)
	if err != nil {
		c.attempted(began, nil, err)
		return reconcile.Result{}, err
	}
	if d.Cause == placement.NotNeeded {
		if !quota.Overruns(b) {
			return c.keep(ctx, b)
		}
		d.Result = stays(b) // if the quotas let it
	}
	if d.Awaited > 0 {
		ctrl.LoggerFrom(ctx).V(1).Info("did not place the binding yet", "cause", d.Cause, "reason", d.Problem.Error())
		return reconcile.Result{RequeueAfter: d.Awaited, Priority: new(handler.LowPriority)}, nil
	}
	ctrl.LoggerFrom(ctx).V(1).Info("placed binding", "cause", d.Cause)
	failed := meta.IsStatusConditionFalse(b.GetStatus().Conditions, workv1alpha2.Scheduled)
	moved, err := c.place(ctx, b, &d)
	c.attempted(began, d.Problem, err)
	if err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	waits = isExceeded(d.Problem)
	// What is copied is decided at each event of a cluster, which is worth no write by itself.
	if err := c.report(ctx, b, d.Result, d.Problem, moved || d.Cause != placement.Copied); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	changed, err := c.preempt(ctx, b, d.Shortage)
	if err != nil {
		return reconcile.Result{}, err
	}
	return again(b, &d, failed && !changed), nil
}

// again returns when to reconcile a binding after a decision. failedBefore is whether it had no
// place before the decision.
func again(b workv1alpha2.Binding, d *schedule.Decision, failedBefore bool) reconcile.Result {
	waits := isExceeded(d.Problem)
	if d.Problem != nil && !waits {
		return retry(failedBefore, d.Wait)
	}
	// A quota notifies what waits for it; what is copied goes back to where it failed.
	if (waits || placement.Copies(b.GetSpec())) && d.Wait > 0 {
		return reconcile.Result{RequeueAfter: d.Wait, Priority: new(handler.LowPriority)}
	}
	return reconcile.Result{}
}

// retry returns when a binding that is placed nowhere is reconciled again: once a cluster
// in which it failed is not excluded any more, at least each minute. The first time
// that is at once: a change of a cluster finds a binding that waits by its status, and
// does not find one whose status was not written yet.
func retry(failedBefore bool, excluded time.Duration) reconcile.Result {
	after := schedule.RetryAfter
	if excluded > 0 {
		after = min(after, excluded)
	}
	if !failedBefore {
		after = requeue.Lag
	}
	return reconcile.Result{RequeueAfter: after, Priority: new(handler.LowPriority)}
}

// keep leaves the targets as they are and has the status follow.
func (c *Controller[B]) keep(ctx context.Context, b B) (reconcile.Result, error) {
	return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(c.report(ctx, b, stays(b), nil, false)))
}

// stays returns the result that a binding has.
func stays(b workv1alpha2.Binding) placement.Result {
	return placement.Result{Clusters: b.GetSpec().Clusters, AffinityName: b.GetStatus().SchedulerObservedAffinityName}
}

// isOurs reports whether this scheduler decides about a binding.
func isOurs(b workv1alpha2.Binding) bool {
	by := b.GetSpec().SchedulerName
	return binding.IsMovable(b) && (by == "" || by == policyv1alpha1.DefaultScheduler)
}

// view returns what decisions read of the control plane.
func (c *Controller[B]) view(ctx context.Context) schedule.View {
	v := schedule.View{
		Clusters: func() ([]*clusterv1alpha1.Cluster, error) { return c.clusters(ctx) },
		Peers: func(b workv1alpha2.Binding) ([]workv1alpha2.Binding, error) {
			return index.BindingsInGroups(ctx, base.Cached{Reader: c.Client}, b)
		},
	}
	if c.rules != nil {
		v.Rules = func(b workv1alpha2.Binding) (placement.Rules, error) { return c.rulesFor(ctx, b) }
	}
	if c.estimators != nil {
		v.PushOnly = c.estimators.PushOnly
		v.Estimates = func(b workv1alpha2.Binding, clusters []string) schedule.Estimates {
			return c.estimators.ask(ctx, b, clusters)
		}
	}
	return v
}

func (c *Controller[B]) clusters(ctx context.Context) ([]*clusterv1alpha1.Cluster, error) {
	clusters, err := index.List[*clusterv1alpha1.Cluster](ctx, c.Client, &clusterv1alpha1.ClusterList{})
	if err != nil {
		return nil, fmt.Errorf("list the clusters: %w", err)
	}
	slices.SortFunc(clusters, func(a, b *clusterv1alpha1.Cluster) int { return strings.Compare(a.Name, b.Name) })
	return clusters, nil
}

// writeTargets writes the targets and the placement they were chosen by, with what else the binding
// has beside before; it reports whether the targets changed. A placement that was written in other words is not written again.
func (c *Controller[B]) writeTargets(ctx context.Context, b, before B, result placement.Result) (bool, error) {
	spec := b.GetSpec()
	moved := !equality.Semantic.DeepEqual(spec.Clusters, result.Clusters)
	if !moved && !quota.Overruns(b) && equality.Semantic.DeepEqual(schedule.AppliedPlacement(b), spec.Placement) {
		return false, nil
	}
	text, err := json.Marshal(spec.Placement)
	if err != nil {
		return false, fmt.Errorf("write the placement of %s as JSON: %w", b.GetName(), err)
	}
	// The first placement, unless it failed before, is said by the condition.
	first := len(spec.Clusters) == 0 && meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.Scheduled) == nil
	left, err := c.leftFor(ctx, b, result)
	if err != nil {
		return false, err
	}
	base.SetAnnotation(b, policyv1alpha1.AppliedPlacementAnnotation, string(text))
	was := spec.Clusters
	spec.Clusters = result.Clusters
	quota.Record(b)
	if err := binding.RecordPlacement(b, was, c.Clock.Now()); err != nil {
		return false, err
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return false, fmt.Errorf("write the clusters of binding %s: %w", b.GetName(), err)
	}
	if moved {
		c.notifyPlaced(b, first)
		c.notifyLeft(b, left)
		ctrl.LoggerFrom(ctx).Info("scheduled binding", "clusters", binding.FormatTargets(result.Clusters))
	}
	return moved, nil
}

// notifyPlaced records that a binding has other targets: of the first ones that is an event of success.
func (c *Controller[B]) notifyPlaced(b B, first bool) {
	const note = "Binding has been scheduled successfully. Result: %s"
	placed := base.Success{Reason: "ScheduleBindingSucceed", Action: "Schedule", Note: note, Args: []any{binding.FormatTargets(b.GetSpec().Clusters)}}
	if first {
		c.Succeeded(b, placed)
	} else {
		c.Events.Eventf(b, nil, corev1.EventTypeNormal, placed.Reason, placed.Action, note, placed.Args...)
	}
	c.SucceededTemplate(b, placed)
}
