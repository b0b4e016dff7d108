// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Register adds the controller to the manager.
func (c *Controller[P]) Register(_ context.Context, mgr ctrl.Manager) error {
	space := "any"
	if scope.IsWidePolicy[P]() {
		space = ""
	}
	comesAndGoes := predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}
	b := ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		WatchesRawSource(announcing[P]{source.Kind(mgr.GetCache(), scope.NewPolicy[P](), c.changes()), c, c.Templates.Expect()}).
		Watches(scope.EmptyOverride(space, ""), handler.EnqueueRequestsFromMapFunc(c.dependents), builder.WithPredicates(comesAndGoes)).
		WithOptions(c.Options(mgr, c.Name(), "policy"))
	if c.Gates.Enabled(features.PriorityBasedScheduling) {
		b = b.Watches(&schedulingv1.PriorityClass{}, handler.EnqueueRequestsFromMapFunc(c.ofPriorityClass), builder.WithPredicates(comesAndGoes))
	}
	return b.Complete(c)
}

// changes keeps the index of policies, and enqueues those that are new or changed.
func (c *Controller[P]) changes() handler.TypedFuncs[P, reconcile.Request] {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	request := func(p P) reconcile.Request {
		return reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)}
	}
	return handler.TypedFuncs[P, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[P], q queue) {
			since := e.Object.GetResourceVersion()
			if e.IsInInitialList {
				since = ""
				c.listed.set(client.ObjectKeyFromObject(e.Object))
				kinds, _ := c.selected(e.Object)
				c.atStart.add(kinds)
			}
			c.Policies.Set(e.Object, since)
			q.Add(request(e.Object))
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[P], q queue) {
			c.Policies.Set(e.ObjectNew, e.ObjectNew.GetResourceVersion())
			if changed(e.ObjectOld, e.ObjectNew) {
				q.Add(request(e.ObjectNew))
			}
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[P], q queue) {
			c.Policies.Remove(client.ObjectKeyFromObject(e.Object))
			q.Add(request(e.Object))
		},
	}
}

// changed reports whether a policy differs in what this controller acts on.
func changed(before, after client.Object) bool {
	update := event.UpdateEvent{ObjectOld: before, ObjectNew: after}
	return base.GenerationChanged{}.Update(update) || predicate.LabelChangedPredicate{}.Update(update) ||
		after.GetDeletionTimestamp() != nil || before.GetUID() != after.GetUID()
}

// dependents returns the policies that wait for an override policy.
func (c *Controller[P]) dependents(_ context.Context, override client.Object) []reconcile.Request {
	return requeue.Requests(c.Policies.DependentOn(client.ObjectKeyFromObject(override)))
}

// ofPriorityClass returns the policies of this kind that name a PriorityClass.
func (c *Controller[P]) ofPriorityClass(_ context.Context, class client.Object) []reconcile.Request {
	var keys []types.NamespacedName
	for _, key := range c.Policies.WithPriorityClass(class.GetName()) {
		if (key.Namespace == "") == scope.IsWidePolicy[P]() {
			keys = append(keys, key)
		}
	}
	return requeue.Requests(keys)
}

// marks are policies that something is remembered of. It is safe for many goroutines; the
// zero value is empty.
type marks struct {
	all memory.Of[types.NamespacedName, bool]
}

// set marks a policy and reports whether it was not.
func (m *marks) set(key types.NamespacedName) bool {
	marked := false
	m.all.Update(key, func(was, _ bool) (bool, bool) {
		marked = !was
		return true, true
	})
	return marked
}

// take removes the mark of a policy and reports whether it had one.
func (m *marks) take(key types.NamespacedName) bool {
	_, had := m.all.Forget(key)
	return had
}

// empty reports whether no policy is marked.
func (m *marks) empty() bool { return m.all.Len() == 0 }
