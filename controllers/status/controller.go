// SPDX-License-Identifier: Apache-2.0

// Package status aggregates what the Works of a binding report into the status of the
// binding and of its template.
//
// Reads bindings, Works, Clusters and templates. Writes aggregatedStatus, FullyApplied and
// StatePreserved of bindings, the annotation with the state that copies do not report any
// more, and the status of templates. Asks the engine to aggregate statuses, and for state.
// Wakes up on bindings, on Works whose status changed, on clusters that become unreachable
// or reachable, and when rules change.
package status

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/decide/status"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct {
	base.Deps
	written written
	pace    pace
	failed  failed
}

// New returns the controller of the bindings of type B.
func New[B workv1alpha2.Binding](d base.Deps) *Controller[B] { return &Controller[B]{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return scope.BindingController[B]("status") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	statusChanged := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*workv1alpha1.Work), e.ObjectNew.(*workv1alpha1.Work)
		return !equality.Semantic.DeepEqual(before.Status, after.Status) ||
			before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero()
	}}
	readiness := &requeue.Spread[reconcile.Request]{Clock: c.Clock}
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(scope.NewBinding[B](), builder.WithPredicates(base.GenerationChanged{})).
		Watches(&clusterv1alpha1.Cluster{}, handler.Funcs{UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			if isUnreachable(e.ObjectOld) != isUnreachable(e.ObjectNew) {
				readiness.Add(queue, c.bindingsIn(ctx, e.ObjectNew.GetName()))
			}
		}}).
		Watches(&workv1alpha1.Work{}, handler.EnqueueRequestsFromMapFunc(c.bindingOf), builder.WithPredicates(statusChanged)).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Bindings[B](c.Client), engine.AggregateStatus, engine.InterpretState)).
		WithOptions(c.Following(c.Options(mgr, c.Name(), "binding"), requeue.AboutBinding)).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// bindingOf returns a request for the binding of a Work whose status changed.
func (c *Controller[B]) bindingOf(ctx context.Context, w client.Object) []reconcile.Request {
	requests := index.BindingOfWork[B](ctx, w)
	for _, r := range requests {
		c.Trail.Pass(requeue.AboutWork(client.ObjectKeyFromObject(w)), requeue.AboutBinding(r.NamespacedName))
	}
	return requests
}

// Reconcile writes the status of one binding, then that of its template.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		c.forget(b)
		return reconcile.Result{}, nil
	}
	works, err := index.Works(ctx, c.Client, client.ObjectKeyFromObject(b))
	if err != nil {
		return reconcile.Result{}, err
	}
	items := binding.Aggregate(works, func(cluster string) bool { return c.unreachable(ctx, cluster) })
	if err := c.takeOver(ctx, b, items, works); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	before := b.DeepCopyObject().(B)
	kept, err := status.Decide(b, c.view(ctx, b, before, items, works), c.Clock.Now())
	if err != nil {
		return reconcile.Result{}, err
	}
	w := c.waits(kept, b, before, reportsOf(before, works, items))
	if wait, err := c.store(ctx, b, before, kept, w); err != nil || wait > 0 {
		return requeue.OnConflict(reconcile.Result{RequeueAfter: wait}, client.IgnoreNotFound(err))
	}
	result, err := c.writeTemplate(ctx, b, items)
	if err == nil && result.RequeueAfter == 0 {
		result.RequeueAfter = w.keep
	}
	return result, err
}

// view returns what a decision about the status of a binding reads.
func (c *Controller[B]) view(ctx context.Context, b, before B, items []workv1alpha2.AggregatedStatusItem, works []workv1alpha1.Work) status.View {
	return status.View{
		Before: before, Items: items, Works: works, Carries: binding.WantsState(b) && c.Gates.Enabled(features.StatefulFailoverInjection),
		Observe: func(item *workv1alpha2.AggregatedStatusItem) (binding.Report, []binding.Problem, error) {
			return preservation.Observe(ctx, c.Deps, b, item)
		},
	}
}

// waits are how long to wait before the status of a binding is written, and before the annotation with
// the state that it keeps is; 0 is not at all.
type waits struct {
	status, keep time.Duration
}

// waits returns how long the write of a binding's new status and state waits.
func (c *Controller[B]) waits(kept status.Kept, b, before B, r reports) waits {
	var w waits
	old, shown, now := before.GetStatus().AggregatedStatus, b.GetStatus().AggregatedStatus, c.Clock.Now()
	turned := r.urgent || healthChanged(old, shown) || binding.SaidLast(b, old, shown)
	r.urgent = turned || kept.News
	w.status = c.pace.wait(b.GetUID(), r, now)
	if kept.Changes(before) && !turned {
		w.keep = c.pace.keepAfter(b.GetUID(), now)
	}
	return w
}

// store writes a binding if it changed: the state that its new status does not have, then
// that status. It returns how long to wait before that; 0 means that it was written.
func (c *Controller[B]) store(ctx context.Context, b, before B, kept status.Kept, w waits) (wait time.Duration, err error) {
	wait = w.status
	// What is not needed any more holds up no report.
	if kept.Changes(before) && (!kept.Unneeded || w.keep == 0) {
		if wait = max(wait, w.keep); wait > 0 {
			return wait, nil
		}
		if before, err = c.keep(ctx, b, before, kept); err != nil {
			return 0, err
		}
	}
	if equality.Semantic.DeepEqual(before.GetStatus(), b.GetStatus()) && !binding.IsReadyOutdated(before) {
		return 0, nil
	}
	if wait > 0 {
		return wait, nil
	}
	if err := c.PatchStatus(ctx, b, before); err != nil {
		return 0, err
	}
	c.pace.wrote(b.GetUID(), c.Clock.Now())
	c.notifySync(b, before)
	c.notifyState(b, before)
	return 0, nil
}

// reportsOf returns what the Works of a binding, and the items made of them, report, beyond
// what its status has.
func reportsOf(b workv1alpha2.Binding, works []workv1alpha1.Work, items []workv1alpha2.AggregatedStatusItem) reports {
	before := b.GetStatus().AggregatedStatus
	r := reports{settled: binding.Settled(b, works), behind: true, generation: b.GetGeneration()}
	r.urgent = !slices.Equal(failures(before), failures(items)) || healthChanged(before, items)
	r.empty = len(before) == 0 && !slices.ContainsFunc(items, func(i workv1alpha2.AggregatedStatusItem) bool { return i.Applied || i.AppliedMessage != "" })
	if condition := meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.FullyApplied); condition != nil {
		r.behind = condition.ObservedGeneration < b.GetGeneration()
	}
	r.made = binding.MadeOf(b, works)
	for i := range works {
		r.works += works[i].Generation + 1<<32
	}
	return r
}

// healthChanged reports whether a copy that was reported has another health. What nobody
// knows for the moment is none.
func healthChanged(before, items []workv1alpha2.AggregatedStatusItem) bool {
	for i := range items {
		if binding.Outdated(&items[i]) {
			continue
		}
		at := slices.IndexFunc(before, func(b workv1alpha2.AggregatedStatusItem) bool { return b.ClusterName == items[i].ClusterName })
		if at >= 0 && before[at].Health != items[i].Health {
			return true
		}
	}
	return false
}

// forget drops what is held for a binding that is gone, and for its template.
func (c *Controller[B]) forget(b B) {
	c.written.forget(b.GetSpec().Resource.UID)
	_ = c.failed.changed(b.GetSpec().Resource.UID, nil)
	c.pace.forget(b.GetUID())
}

// writeTemplate writes the status of the template, as the script of its kind aggregates
// it.
func (c *Controller[B]) writeTemplate(ctx context.Context, b B, reported []workv1alpha2.AggregatedStatusItem) (reconcile.Result, error) {
	key := templates.KeyOfReference(&b.GetSpec().Resource)
	rules := c.Interpreter.Snapshot()
	if !rules.Supports(key.GroupVersionKind, engine.AggregateStatus) {
		return reconcile.Result{}, nil
	}
	object, err := c.TemplateOf(ctx, b)
	if refused := (*reference.Error)(nil); errors.As(err, &refused) {
		return reconcile.Result{}, nil // rendering reports it
	}
	if err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if c.written.after(object) {
		return reconcile.Result{RequeueAfter: requeue.Lag}, nil
	}
	items, err := statusItems(binding.WithoutRefused(reported))
	if err != nil {
		return reconcile.Result{}, err
	}
	next, err := rules.Aggregate(object, items)
	c.notifyAggregate(object, err)
	if err != nil {
		return reconcile.Result{}, err
	}
	if next == object || equality.Semantic.DeepEqual(next.Object["status"], object.Object["status"]) {
		return reconcile.Result{}, nil
	}
	next = withStatus(object, next.Object["status"])
	err = c.PatchStatus(ctx, next, object)
	switch {
	case apierrors.IsNotFound(err):
		return reconcile.Result{}, nil // deleted meanwhile, or its kind has no status subresource
	case err != nil:
		return requeue.OnConflict(reconcile.Result{}, fmt.Errorf("write the status of template %s: %w", key, err))
	}
	c.written.record(next)
	ctrl.LoggerFrom(ctx).Info("wrote template status", "template", key.String())
	c.SucceededTemplate(b, base.Success{Reason: aggregateSucceeded, Action: "AggregateStatus", Note: "Wrote the status, which is that of all copies."})
	return reconcile.Result{}, nil
}

// withStatus returns the object with another status; nil removes it. Other changes of a
// script are not written. All but the status is shared with the object.
func withStatus(object *unstructured.Unstructured, status any) *unstructured.Unstructured {
	next := &unstructured.Unstructured{Object: maps.Clone(object.Object)}
	if status == nil {
		delete(next.Object, "status")
		return next
	}
	next.Object["status"] = runtime.DeepCopyJSONValue(status)
	return next
}

// statusItems returns the items as the engine aggregates them.
func statusItems(reported []workv1alpha2.AggregatedStatusItem) ([]any, error) {
	var (
		items  []any
		broken []error
	)
	for i := range reported {
		item, err := engine.StatusItem(&reported[i])
		broken = append(broken, err)
		items = append(items, item)
	}
	return items, errors.Join(broken...)
}
