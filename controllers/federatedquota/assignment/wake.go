// SPDX-License-Identifier: Apache-2.0

package assignment

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// onQuota enqueues quotas whose spec changed, and those that are gone.
func onQuota() handler.EventHandler {
	add := func(q queue, o client.Object) {
		q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)})
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { add(q, e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectNew.GetDeletionTimestamp() != nil {
				add(q, e.ObjectNew)
			}
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { add(q, e.Object) },
	}
}

// onWork enqueues the quota of a Work that was edited or is gone, and at a start that of each: it
// may have been deleted while no manager ran.
func onWork() handler.EventHandler {
	add := func(q queue, o client.Object) {
		if key, ok := index.QuotaOf(o); ok {
			q.Add(reconcile.Request{NamespacedName: key})
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { add(q, e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || !equality.Semantic.DeepEqual(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) {
				add(q, e.ObjectOld)
				add(q, e.ObjectNew)
			}
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { add(q, e.Object) },
	}
}

// onCluster enqueues the quotas with an assignment for a cluster that joins or leaves.
func (c *Controller) onCluster() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList {
				c.enqueue(ctx, q, e.Object.GetName())
			}
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
				c.enqueue(ctx, q, e.ObjectNew.GetName())
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { c.enqueue(ctx, q, e.Object.GetName()) },
	}
}

// onNamespace enqueues the quotas with an assignment for the cluster of a new execution
// namespace.
func (c *Controller) onNamespace() handler.EventHandler {
	return handler.Funcs{CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
		if cluster, execution := names.Cluster(e.Object.GetName()); execution && !e.IsInInitialList {
			c.enqueue(ctx, q, cluster)
		}
	}}
}

func (c *Controller) enqueue(ctx context.Context, q queue, cluster string) {
	keys, err := index.QuotasOfCluster(ctx, c.Client, cluster)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not enqueue the quotas of a cluster", "cluster", cluster)
	}
	requeue.Related(q, requeue.Requests(keys)...)
}
