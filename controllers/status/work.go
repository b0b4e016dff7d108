// SPDX-License-Identifier: Apache-2.0

// Package status brings what member clusters report back to the control plane: from
// the object in a member to its Work, from the Works to their binding, and from the
// binding to the template.
//
// Reads managed objects of the members, Works, bindings and templates. Writes
// manifestStatuses of Works, aggregatedStatus and FullyApplied of bindings, and the
// status of templates. Asks the engine what of a status to keep, whether the object
// is healthy, and how statuses add up. Wakes up on member objects, on Works, and when
// other scripts answer.
package status

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"
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
	"github.com/dragoman-io/dragoman/engine"
)

// Work reflects member objects into the status of their Works.
type Work struct {
	Client      client.Client
	Members     *member.Registry
	Interpreter *engine.Interpreter
	Changes     requeue.Changes
	Events      events.EventRecorder
}

// Name is the controller's name in logs and metrics.
func (c *Work) Name() string { return "status.work" }

// Register adds the controller to the manager.
func (c *Work) Register(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&workv1alpha1.Work{}, builder.WithPredicates(becameApplied())).
		WatchesRawSource(source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			c.Members.Listen(func(e member.Event) {
				if e.New != nil {
					queue.Add(reconcile.Request{NamespacedName: e.Work})
				}
			})
			// A Work that is suspended is watched by nobody else.
			c.Members.ListenConnected(func(cluster string) {
				keys, err := index.WorksInCluster(ctx, c.Client, cluster)
				if err != nil {
					ctrl.LoggerFrom(ctx).Error(err, "read the works of a cluster")
				}
				for _, request := range requeue.Requests(keys) {
					queue.Add(request)
				}
			})
			return nil
		})).
		WatchesRawSource(requeue.OnChange(c.Changes, requeue.Works(c.Client), engine.InterpretStatus, engine.InterpretHealth)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 5}).
		WithLogConstructor(base.For(mgr, c.Name(), "work")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// becameApplied passes Works that are applied now, and all when they are first seen:
// after a restart their objects may have told of themselves before somebody listened.
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
func (c *Work) Reconcile(ctx context.Context, w *workv1alpha1.Work) (reconcile.Result, error) {
	cluster, ok := names.Cluster(w.Namespace)
	if !ok || w.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	m, ok := c.Members.Get(cluster)
	if !ok {
		return reconcile.Result{}, nil // the connection brings an event for each object
	}
	base := w.DeepCopy()
	r := reflection{c, m, w, c.Interpreter.Snapshot()}
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
	if equality.Semantic.DeepEqual(base.Status, w.Status) {
		return reconcile.Result{}, nil
	}
	if err := c.Client.Status().Patch(ctx, w, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("write the status of work %s: %w", w.Name, err)
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

// dropManifestStatuses takes away those of manifests that are not there any more.
func dropManifestStatuses(all *workv1alpha1.WorkStatus, manifests int) {
	all.ManifestStatuses = slices.DeleteFunc(all.ManifestStatuses, func(m workv1alpha1.ManifestStatus) bool {
		return m.Identifier.Ordinal >= manifests
	})
}
