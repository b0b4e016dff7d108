// SPDX-License-Identifier: Apache-2.0

// Package status reflects the objects of member clusters into the status of their Works.
//
// Reads managed objects of the members, those that are related to them, Works, and the bindings
// of those whose state must survive a move: what a Work reports of a healthy copy stays until its
// binding has it. Writes manifestStatuses of Works. Asks the engine what of a status to keep,
// whether the object is healthy, and what of it must survive a move. Wakes up on member objects,
// on new connections, on Works that were applied, and when rules change.
package status

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/internal/reflection"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles Works.
type Controller struct {
	base.Deps
	removed removed
	reports preservation.Reports
}

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "work.status" }

// Register adds the controller to the manager.
func (c *Controller) Register(ctx context.Context, mgr ctrl.Manager) error {
	options, err := c.OptionsForWorks(ctx, mgr, c.Name())
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&workv1alpha1.Work{}, builder.WithPredicates(reported())).
		Watches(&workv1alpha1.Work{}, handler.Funcs{DeleteFunc: c.dropRelated}).
		WatchesRawSource(source.Func(c.listen)).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Works(c.Client), engine.InterpretStatus, engine.InterpretHealth, engine.InterpretState)).
		WithOptions(c.Following(options, requeue.AboutWork)).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// listen enqueues Works on what happens in members. What was there before a watch or a
// connection began comes after what happens now.
func (c *Controller) listen(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	c.Members.Listen(func(e member.Event) {
		switch request := (reconcile.Request{NamespacedName: e.Work}); {
		case !c.observe(e):
		case e.Initial:
			requeue.Backlog(queue, 0, request)
		default:
			queue.Add(request)
		}
	})
	c.listenRelated(queue)
	// No other controller watches for a Work that is suspended.
	c.Members.ListenConnected(func(cluster string) {
		keys, err := index.WorksInCluster(ctx, c.Client, cluster)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "could not list the works of a cluster")
		}
		requeue.Backlog(queue, 0, requeue.Requests(keys)...)
	})
	return nil
}

// reported passes Works that are applied now, or whose conditions are about the current
// generation now, also when they are first seen: after a restart the events of their
// objects may have come before there was a listener. So it does those of which failover wants
// something else reported.
func reported() predicate.Predicate {
	is := func(o client.Object) bool { return reflection.Reported(o.(*workv1alpha1.Work)) }
	isApplied := func(o client.Object) bool {
		return meta.IsStatusConditionTrue(o.(*workv1alpha1.Work).Status.Conditions, workv1alpha1.WorkApplied)
	}
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return is(e.Object) },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return is(e.ObjectNew) && !is(e.ObjectOld) || isApplied(e.ObjectNew) && !isApplied(e.ObjectOld) || is(e.ObjectNew) && wantsOther(e)
		},
	}
}

// Reconcile reflects the objects of one Work.
func (c *Controller) Reconcile(ctx context.Context, w *workv1alpha1.Work) (reconcile.Result, error) {
	cluster, ok := names.Cluster(w.Namespace)
	if !ok || w.DeletionTimestamp != nil {
		c.removed.forget(client.ObjectKeyFromObject(w))
		c.reports.Forget(w)
		c.Related.Drop(cluster, client.ObjectKeyFromObject(w))
		return reconcile.Result{}, nil
	}
	m, ok := c.Members.Get(cluster)
	if !ok {
		return reconcile.Result{}, nil // the connection brings an event for each object
	}
	if !reflection.Reported(w) {
		return reconcile.Result{}, nil // it is enqueued once it is
	}
	before := w.DeepCopy()
	r := &reader{Controller: c, member: m, work: w, rules: c.Interpreter.Snapshot()}
	r.watchRelated()
	for i := range w.Spec.Workload.Manifests {
		status, err := r.of(i)
		if err != nil {
			return reconcile.Result{}, err
		}
		if status != nil {
			reflection.Set(&w.Status, *status)
		}
	}
	reflection.Drop(&w.Status, len(w.Spec.Workload.Manifests))
	if wait, err := c.reports.Wait(ctx, c.Deps, before, w); err != nil || wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, err
	}
	if !equality.Semantic.DeepEqual(before.Status, w.Status) {
		if err := client.IgnoreNotFound(c.PatchStatus(ctx, w, before)); err != nil {
			return requeue.OnConflict(reconcile.Result{}, fmt.Errorf("write the status of work %s: %w", w.Name, err))
		}
	}
	for _, o := range r.reflected {
		c.removed.done(client.ObjectKeyFromObject(w), o)
	}
	return reconcile.Result{}, nil
}
