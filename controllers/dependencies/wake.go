// SPDX-License-Identifier: Apache-2.0

package dependencies

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// onRelease enqueues the parents of an attached binding that is going or does not name them
// any more, if they wait for that.
func (c *Controller[B]) onRelease(cache client.Reader) handler.EventHandler {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	enqueue := func(ctx context.Context, q queue, parents []types.NamespacedName) {
		for _, r := range index.BindingRequests[B](parents...) {
			b := scope.NewBinding[B]()
			if err := cache.Get(ctx, r.NamespacedName, b); err == nil && released(b) {
				q.Add(r)
			}
		}
	}
	return handler.Funcs{
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			before, after := binding.ParentsOf(e.ObjectOld.(workv1alpha2.Binding)), binding.ParentsOf(e.ObjectNew.(workv1alpha2.Binding))
			if e.ObjectNew.GetDeletionTimestamp() == nil {
				before = slices.DeleteFunc(before, func(k types.NamespacedName) bool { return slices.Contains(after, k) })
			}
			enqueue(ctx, q, before)
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			c.Templates.Drop(owner(client.ObjectKeyFromObject(e.Object)))
			enqueue(ctx, q, binding.ParentsOf(e.Object.(workv1alpha2.Binding)))
		},
	}
}
