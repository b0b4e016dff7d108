// SPDX-License-Identifier: Apache-2.0

package dependencies

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
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

// onAttached enqueues the parents of an attached binding that is going or does not name them
// any more, if they wait for that; and where its object is asked what it depends on itself, its parents
// when it comes, changes and goes.
func (c *Controller[B]) onAttached(cache client.Reader) handler.EventHandler {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	enqueue := func(ctx context.Context, q queue, parents []types.NamespacedName, wants func(B) bool) {
		for _, r := range index.BindingRequests[B](parents...) {
			b := scope.NewBinding[B]()
			if err := cache.Get(ctx, r.NamespacedName, b); err == nil && wants(b) {
				q.Add(r)
			}
		}
	}
	isReleased, propagates := func(b B) bool { return released(b) }, func(b B) bool { return b.GetSpec().PropagateDeps }
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if b := e.Object.(workv1alpha2.Binding); !e.IsInInitialList && c.isFollowed(b) { // else the parents are in it too
				enqueue(ctx, q, binding.ParentsOf(b), propagates)
			}
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			old, b := e.ObjectOld.(workv1alpha2.Binding), e.ObjectNew.(workv1alpha2.Binding)
			before, after := binding.ParentsOf(old), binding.ParentsOf(b)
			left := before
			if b.GetDeletionTimestamp() == nil {
				left = without(before, after)
			}
			enqueue(ctx, q, left, isReleased)
			if !c.isFollowed(b) {
				return
			}
			if old.GetSpec().Resource == b.GetSpec().Resource {
				after = without(after, before)
			}
			enqueue(ctx, q, after, propagates)
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			b := e.Object.(workv1alpha2.Binding)
			c.Templates.Drop(owner(client.ObjectKeyFromObject(b)))
			enqueue(ctx, q, binding.ParentsOf(b), func(parent B) bool { return released(parent) || c.isFollowed(b) && propagates(parent) })
		},
	}
}

// isFollowed reports whether the object of a binding is asked what it depends on where others depend on it.
func (c *Controller[B]) isFollowed(b workv1alpha2.Binding) bool {
	r := &b.GetSpec().Resource
	return binding.IsAttached(b) && c.follows(schema.FromAPIVersionAndKind(r.APIVersion, r.Kind))
}

// without returns keys that are not among others.
func without(keys, others []types.NamespacedName) []types.NamespacedName {
	return slices.DeleteFunc(slices.Clone(keys), func(k types.NamespacedName) bool { return slices.Contains(others, k) })
}
