// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// onCluster enqueues bindings when a cluster changes: all if any may have to move, only
// unscheduled ones if only its free resources changed.
func (c *Controller[B]) onCluster() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, _ event.CreateEvent, q queue) { c.enqueue(ctx, q, true) },
		DeleteFunc: func(ctx context.Context, _ event.DeleteEvent, q queue) { c.enqueue(ctx, q, true) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			before, after := e.ObjectOld.(*clusterv1alpha1.Cluster), e.ObjectNew.(*clusterv1alpha1.Cluster)
			switch {
			case before.Generation != after.Generation, before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero(),
				!equality.Semantic.DeepEqual(before.Labels, after.Labels),
				!equality.Semantic.DeepEqual(before.Status.APIEnablements, after.Status.APIEnablements):
				c.enqueue(ctx, q, true)
			case !equality.Semantic.DeepEqual(before.Status.ResourceSummary, after.Status.ResourceSummary):
				c.enqueue(ctx, q, false)
			}
		},
	}
}

// enqueue enqueues bindings: all, or only those that are not scheduled.
func (c *Controller[B]) enqueue(ctx context.Context, q queue, all bool) {
	bindings, err := bindings.List[B](ctx, c.Client)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the bindings for a changed cluster")
		return
	}
	for _, b := range bindings {
		if all || !meta.IsStatusConditionTrue(b.GetStatus().Conditions, workv1alpha2.Scheduled) {
			q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)})
		}
	}
}
