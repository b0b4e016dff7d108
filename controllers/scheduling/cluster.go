// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"cmp"
	"context"
	"slices"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// onCluster enqueues the bindings that a change of a cluster concerns. The clusters of a
// start concern none: each binding is reconciled then.
func (c *Controller[B]) onCluster() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList {
				c.wake(ctx, q, placement.Change{After: e.Object.(*clusterv1alpha1.Cluster)})
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			if c.estimators != nil {
				c.estimators.forget(ctx, e.Object.GetName())
			}
			if c.rules != nil {
				c.rules.ForgetCluster(e.Object.GetName())
			}
			c.wake(ctx, q, placement.Change{Before: e.Object.(*clusterv1alpha1.Cluster)})
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			c.wake(ctx, q, placement.Change{Before: e.ObjectOld.(*clusterv1alpha1.Cluster), After: e.ObjectNew.(*clusterv1alpha1.Cluster)})
		},
	}
}

// wake enqueues what a change concerns behind what users changed, those of the highest
// priority first. A handler of events waits for no write: a binding that is found to fit nowhere
// at this moment is decided once more soon after that, by itself.
func (c *Controller[B]) wake(ctx context.Context, q queue, change placement.Change) {
	change.Ruled = c.hasRules(ctx)
	concerned, err := index.BindingsConcerned[B](ctx, base.Cached{Reader: c.Client}, change)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not enqueue the bindings that a changed cluster concerns")
		return
	}
	c.backlog(q, concerned)
}

// backlog enqueues bindings behind what users changed, those of the highest priority first.
func (c *Controller[B]) backlog(q queue, concerned []B) {
	concerned = slices.DeleteFunc(concerned, func(b B) bool { return !isOurs(b) })
	slices.SortStableFunc(concerned, func(a, b B) int { return cmp.Compare(priority(b), priority(a)) })
	requests := make([]reconcile.Request, len(concerned))
	for i, b := range concerned {
		requests[i].NamespacedName = client.ObjectKeyFromObject(b)
	}
	requeue.Backlog(q, 0, requests...)
}
