// SPDX-License-Identifier: Apache-2.0

package attached

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// queue is the queue of this controller.
type queue = workqueue.TypedRateLimitingInterface[templates.Key]

// enqueue adds an object that others may depend on: one that a user changed first, and
// last those that a start lists.
func enqueue(q queue, k templates.Key, cause templates.Cause) {
	switch cause {
	case templates.Edited:
		q.Add(k)
	case templates.Listed:
		requeue.Backlog(q, 0, k)
	default:
		requeue.Related(q, k)
	}
}

// onBinding enqueues what the object of a binding depends on and depended on, and the
// object of an attached binding. At a start the objects that something depends on are
// enqueued once their kind was listed, so only attached bindings are: see needed.
func (c *Controller) onBinding(cache client.Reader) handler.TypedFuncs[workv1alpha2.Binding, templates.Key] {
	return handler.TypedFuncs[workv1alpha2.Binding, templates.Key]{
		CreateFunc: func(ctx context.Context, e event.TypedCreateEvent[workv1alpha2.Binding], q queue) {
			if binding.IsAttached(e.Object) {
				add := q.Add
				if e.IsInInitialList {
					add = func(k templates.Key) { requeue.Backlog(q, 0, k) }
				}
				add(templates.KeyOfReference(&e.Object.GetSpec().Resource))
			}
			if !e.IsInInitialList {
				c.enqueueDependencies(ctx, cache, q, e.Object)
			}
		},
		UpdateFunc: func(ctx context.Context, e event.TypedUpdateEvent[workv1alpha2.Binding], q queue) {
			before, after := e.ObjectOld, e.ObjectNew
			if (binding.IsAttached(before) || binding.IsAttached(after)) && changedAttached(before, after) {
				q.Add(templates.KeyOfReference(&after.GetSpec().Resource))
			}
			if (binding.NotesDependencies(before) || binding.NotesDependencies(after)) && changedParent(before, after) {
				c.enqueueDependencies(ctx, cache, q, before, after)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.TypedDeleteEvent[workv1alpha2.Binding], q queue) {
			if binding.IsAttached(e.Object) {
				q.Add(templates.KeyOfReference(&e.Object.GetSpec().Resource))
			}
			if binding.NotesDependencies(e.Object) {
				c.enqueueDependencies(ctx, cache, q, e.Object)
			}
		},
	}
}

// changedAttached reports whether something of an attached binding changed that may have
// to be corrected.
func changedAttached(before, after workv1alpha2.Binding) bool {
	return before.GetGeneration() != after.GetGeneration() || !equality.Semantic.DeepEqual(before.GetLabels(), after.GetLabels())
}

// changedParent reports whether something of a binding changed that matters to those that
// are attached to it.
func changedParent(before, after workv1alpha2.Binding) bool {
	label := scope.BindingIDLabel(after)
	return before.GetGeneration() != after.GetGeneration() || before.GetUID() != after.GetUID() ||
		(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil) ||
		before.GetLabels()[label] != after.GetLabels()[label] ||
		before.GetAnnotations()[workv1alpha2.DependenciesAnnotation] != after.GetAnnotations()[workv1alpha2.DependenciesAnnotation]
}

// enqueueDependencies enqueues the objects that versions of a binding depend on, and those
// of the bindings that are attached to it.
func (c *Controller) enqueueDependencies(ctx context.Context, cache client.Reader, q queue, versions ...workv1alpha2.Binding) {
	keys := map[templates.Key]bool{}
	for _, b := range versions {
		references := binding.Dependencies(b)
		for i := range references {
			for _, k := range c.objectsOf(ctx, b, &references[i]) {
				keys[k] = true
			}
		}
	}
	attached, err := index.Attached(ctx, cache, client.ObjectKeyFromObject(versions[0]))
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list what is attached to a binding", "binding", client.ObjectKeyFromObject(versions[0]))
	}
	for _, a := range attached {
		keys[templates.KeyOfReference(&a.GetSpec().Resource)] = true
	}
	for k := range keys {
		q.Add(k)
	}
}

// objectsOf returns the keys of the objects that a reference of a binding may name, or
// selects; those of a kind that was not listed yet are enqueued when it is.
func (c *Controller) objectsOf(ctx context.Context, b workv1alpha2.Binding, r *binding.Reference) []templates.Key {
	var keys []templates.Key
	for _, namespace := range binding.NamespacesOf(b, r) {
		if r.Name != "" {
			kind := schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
			keys = append(keys, templates.Key{GroupVersionKind: kind, NamespacedName: types.NamespacedName{Namespace: namespace, Name: r.Name}})
			continue
		}
		s := policyv1alpha1.ResourceSelector{APIVersion: r.APIVersion, Kind: r.Kind, LabelSelector: r.LabelSelector}
		found, err := c.Templates.Selected(ctx, &s, namespace)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "could not list what a binding depends on", "binding", client.ObjectKeyFromObject(b))
		}
		keys = append(keys, slices.DeleteFunc(found, func(k templates.Key) bool { return k.Namespace != namespace })...)
	}
	return keys
}

// onWork enqueues what is attached to the binding of a Work that is gone: it may leave the
// cluster now.
func onWork(cache client.Reader) handler.TypedFuncs[*workv1alpha1.Work, templates.Key] {
	return handler.TypedFuncs[*workv1alpha1.Work, templates.Key]{
		DeleteFunc: func(ctx context.Context, e event.TypedDeleteEvent[*workv1alpha1.Work], q queue) {
			parent, ok := index.BindingOf(e.Object)
			if !ok {
				return
			}
			attached, err := index.Attached(ctx, cache, parent)
			if err != nil {
				ctrl.LoggerFrom(ctx).Error(err, "could not list what is attached to a binding", "binding", parent)
			}
			for _, a := range attached {
				q.Add(templates.KeyOfReference(&a.GetSpec().Resource))
			}
		},
	}
}
