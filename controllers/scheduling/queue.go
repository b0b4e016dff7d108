// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// onBinding enqueues a binding whose spec changed, or whose policy came or went, at its
// priority; those of a start are backlog. What was assumed for a binding ends with it.
func (c *Controller[B]) onBinding() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) {
			if e.IsInInitialList {
				requeue.Backlog(q, 0, requestFor(e.Object))
				return
			}
			enqueue(q, e.Object.(workv1alpha2.Binding))
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			before, after := e.ObjectOld.(workv1alpha2.Binding), e.ObjectNew.(workv1alpha2.Binding)
			if before.GetGeneration() != after.GetGeneration() || binding.IsGoverned(before) != binding.IsGoverned(after) {
				enqueue(q, after)
			}
			if !equality.Semantic.DeepEqual(before.GetSpec().Clusters, after.GetSpec().Clusters) {
				c.wakePeers(ctx, q, after)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			c.assumed.Forget(client.ObjectKeyFromObject(e.Object))
			c.wakePeers(ctx, q, e.Object.(workv1alpha2.Binding))
		},
	}
}

// wakePeers enqueues the bindings that are placed nowhere and share a group with one whose
// targets changed.
func (c *Controller[B]) wakePeers(ctx context.Context, q queue, b workv1alpha2.Binding) {
	if b.GetSpec().WorkloadAffinityGroups == nil {
		return
	}
	peers, err := index.BindingsInGroups(ctx, base.Cached{Reader: c.Client}, b)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not enqueue the bindings in the groups of a binding", "binding", client.ObjectKeyFromObject(b))
		return
	}
	for _, peer := range peers {
		if peer.GetName() != b.GetName() && meta.IsStatusConditionFalse(peer.GetStatus().Conditions, workv1alpha2.Scheduled) {
			enqueue(q, peer)
		}
	}
}

// enqueue adds a binding at its priority, if the queue has priorities.
func enqueue(q queue, b workv1alpha2.Binding) {
	if q, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		q.AddWithOpts(priorityqueue.AddOpts{Priority: new(priority(b))}, requestFor(b))
		return
	}
	q.Add(requestFor(b))
}

// priority returns the priority of a binding that an event enqueued: that of its policy's
// class, but always above the backlog.
func priority(b workv1alpha2.Binding) int {
	if p := b.GetSpec().SchedulePriority; p != nil {
		return max(int(p.Priority), handler.LowPriority+1)
	}
	return 0
}

func requestFor(o client.Object) reconcile.Request {
	return reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)}
}
