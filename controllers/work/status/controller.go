// SPDX-License-Identifier: Apache-2.0

// Package status reflects the objects of member clusters into the status of their Works.
//
// Reads managed objects of the members, and Works. Writes manifestStatuses of Works. Asks
// the engine what of a status to keep, and whether the object is healthy. Wakes up on
// member objects, on new connections, on Works that become applied, and when rules
// change.
package status

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles Works.
type Controller struct {
	base.Deps
	removed removed
}

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "work.status" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&workv1alpha1.Work{}, builder.WithPredicates(becameApplied())).
		WatchesRawSource(source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			c.Members.Listen(func(e member.Event) {
				if c.observe(e) {
					queue.Add(reconcile.Request{NamespacedName: e.Work})
				}
			})
			// No other controller watches for a Work that is suspended.
			c.Members.ListenConnected(func(cluster string) {
				keys, err := index.WorksInCluster(ctx, c.Client, cluster)
				if err != nil {
					ctrl.LoggerFrom(ctx).Error(err, "could not list the works of a cluster")
				}
				for _, request := range requeue.Requests(keys) {
					queue.Add(request)
				}
			})
			return nil
		})).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Works(c.Client), engine.InterpretStatus, engine.InterpretHealth)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 5}).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "work")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// becameApplied passes Works that are applied now, and all when they are first seen:
// after a restart the events of their objects may have come before there was a listener.
func becameApplied() predicate.Predicate {
	isApplied := func(o client.Object) bool {
		return meta.IsStatusConditionTrue(o.(*workv1alpha1.Work).Status.Conditions, workv1alpha1.WorkApplied)
	}
	return predicate.Funcs{
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool { return isApplied(e.ObjectNew) && !isApplied(e.ObjectOld) },
	}
}

// Reconcile reflects the objects of one Work.
func (c *Controller) Reconcile(ctx context.Context, w *workv1alpha1.Work) (reconcile.Result, error) {
	cluster, ok := names.Cluster(w.Namespace)
	if !ok || w.DeletionTimestamp != nil {
		c.removed.forget(client.ObjectKeyFromObject(w))
		return reconcile.Result{}, nil
	}
	m, ok := c.Members.Get(cluster)
	if !ok {
		return reconcile.Result{}, nil // the connection brings an event for each object
	}
	before := w.DeepCopy()
	r := &reflection{Controller: c, member: m, work: w, rules: c.Interpreter.Snapshot()}
	for i := range w.Spec.Workload.Manifests {
		status, err := r.of(ctx, i)
		if err != nil {
			return reconcile.Result{}, err
		}
		if status != nil {
			setManifestStatus(&w.Status, *status)
		}
	}
	dropManifestStatuses(&w.Status, len(w.Spec.Workload.Manifests))
	if !equality.Semantic.DeepEqual(before.Status, w.Status) {
		if err := c.Client.Status().Patch(ctx, w, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return reconcile.Result{}, fmt.Errorf("write the status of work %s: %w", w.Name, err)
		}
	}
	for _, o := range r.reflected {
		c.removed.done(client.ObjectKeyFromObject(w), o)
	}
	return reconcile.Result{}, nil
}

// setManifestStatus puts a status in the place of its manifest; they are in the order
// of the manifests.
func setManifestStatus(all *workv1alpha1.WorkStatus, s workv1alpha1.ManifestStatus) {
	i, found := slices.BinarySearchFunc(all.ManifestStatuses, s.Identifier.Ordinal, func(m workv1alpha1.ManifestStatus, ordinal int) int {
		return m.Identifier.Ordinal - ordinal
	})
	if found {
		all.ManifestStatuses[i] = s
		return
	}
	all.ManifestStatuses = slices.Insert(all.ManifestStatuses, i, s)
}

// dropManifestStatuses removes the statuses of manifests that do not exist any more.
func dropManifestStatuses(all *workv1alpha1.WorkStatus, manifests int) {
	all.ManifestStatuses = slices.DeleteFunc(all.ManifestStatuses, func(m workv1alpha1.ManifestStatus) bool {
		return m.Identifier.Ordinal >= manifests
	})
}
