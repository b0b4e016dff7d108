// SPDX-License-Identifier: Apache-2.0

package namespace

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

func requestFor(namespace string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: namespace}}
}

// onNamespace enqueues namespaces whose labels or annotations changed and those that are
// gone. With the first execution namespace of a cluster, all go there, if so configured.
func (c *Controller) onNamespace() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			_, execution := names.Cluster(e.Object.GetName())
			switch {
			case execution && c.options.EveryCluster && !e.IsInInitialList:
				c.enqueueAll(ctx, q)
			case execution:
			case e.IsInInitialList:
				requeue.Backlog(q, 0, requestFor(e.Object.GetName()))
			default:
				q.Add(requestFor(e.Object.GetName()))
			}
		},
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			if !equality.Semantic.DeepEqual(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) ||
				!equality.Semantic.DeepEqual(e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations()) ||
				e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
				q.Add(requestFor(e.ObjectNew.GetName()))
			}
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { q.Add(requestFor(e.Object.GetName())) },
	}
}

// enqueueAll enqueues all namespaces.
func (c *Controller) enqueueAll(ctx context.Context, q queue) {
	all, err := index.List[*corev1.Namespace](ctx, c.Client, &corev1.NamespaceList{})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the namespaces")
	}
	requests := make([]reconcile.Request, len(all))
	for i := range all {
		requests[i] = requestFor(all[i].Name)
	}
	c.backlog.Add(q, requests)
}

// onWork enqueues the namespace of a Work that is the first or the last of something in it
// in a cluster, and that of a Work of the namespace itself that was edited or is gone.
func (c *Controller) onWork() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) {
			w := e.Object.(*workv1alpha1.Work)
			namespace, enqueue := c.places.add(w)
			if of, ok := index.NamespaceOf(w); ok {
				namespace, enqueue = of, true
			}
			switch {
			case !enqueue:
			case e.IsInInitialList:
				requeue.Backlog(q, 0, requestFor(namespace))
			default:
				q.Add(requestFor(namespace))
			}
		},
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) {
			before, after := e.ObjectOld.(*workv1alpha1.Work), e.ObjectNew.(*workv1alpha1.Work)
			if was, now := contentOf(before), contentOf(after); was != now {
				c.moved(before, after, q)
			}
			edited := before.Generation != after.Generation || !equality.Semantic.DeepEqual(before.Labels, after.Labels) ||
				!equality.Semantic.DeepEqual(before.Annotations, after.Annotations)
			if namespace, ok := spaceOf(before, after); ok && edited {
				q.Add(requestFor(namespace))
			}
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) {
			w := e.Object.(*workv1alpha1.Work)
			if namespace, last := c.places.remove(w); last {
				q.Add(requestFor(namespace))
			}
			if namespace, ok := spaceOf(w); ok {
				q.Add(requestFor(namespace))
			}
		},
	}
}

// moved notes that a Work got, or lost, the annotations that name its binding.
func (c *Controller) moved(before, after *workv1alpha1.Work, q queue) {
	if namespace, last := c.places.remove(before); last {
		q.Add(requestFor(namespace))
	}
	if namespace, first := c.places.add(after); first {
		q.Add(requestFor(namespace))
	}
}

func contentOf(w *workv1alpha1.Work) string {
	namespace, _ := index.ContentOf(w)
	return namespace
}

// spaceOf returns the namespace that a Work creates, or created before it became that of a
// policy.
func spaceOf(versions ...*workv1alpha1.Work) (string, bool) {
	for _, w := range versions {
		if namespace, ok := index.NamespaceOf(w); ok {
			return namespace, true
		}
		name := w.Annotations[workv1alpha2.ClusterResourceBindingNameAnnotation]
		if namespace, ok := strings.CutSuffix(name, names.Binding(skip.Namespace.Kind, "")); ok {
			return namespace, true
		}
	}
	return "", false
}

// onBinding enqueues the namespace that a binding propagates.
func onBinding(_ context.Context, o client.Object) []reconcile.Request {
	r := &o.(*workv1alpha2.ClusterResourceBinding).Spec.Resource
	if r.APIVersion != skip.Namespace.Version || r.Kind != skip.Namespace.Kind {
		return nil
	}
	return []reconcile.Request{requestFor(r.Name)}
}

// onOverride enqueues the namespaces that an override policy selects, and those that it
// selected before.
func (c *Controller) onOverride() handler.EventHandler {
	enqueue := func(ctx context.Context, q queue, policies ...client.Object) {
		for _, p := range policies {
			c.enqueueSelected(ctx, q, p.(policyv1alpha1.Override).GetSpec().ResourceSelectors)
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList {
				enqueue(ctx, q, e.Object)
			}
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
				enqueue(ctx, q, e.ObjectOld, e.ObjectNew)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { enqueue(ctx, q, e.Object) },
	}
}

// enqueueSelected enqueues the namespaces that selectors may select: all if there are no
// selectors.
func (c *Controller) enqueueSelected(ctx context.Context, q queue, selectors []policyv1alpha1.ResourceSelector) {
	all := len(selectors) == 0
	for _, s := range selectors {
		if s.APIVersion != skip.Namespace.Version || s.Kind != skip.Namespace.Kind {
			continue
		}
		if s.Name == "" {
			all = true
		} else {
			requeue.Related(q, requestFor(s.Name))
		}
	}
	if all {
		c.enqueueAll(ctx, q)
	}
}

// onCluster enqueues the namespaces of a cluster whose labels or spec changed, which
// override policies choose by.
func (c *Controller) onCluster() handler.EventHandler {
	return handler.Funcs{UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
		if equality.Semantic.DeepEqual(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) && e.ObjectOld.GetGeneration() == e.ObjectNew.GetGeneration() {
			return
		}
		found, err := index.NamespacesInCluster(ctx, c.Client, e.ObjectNew.GetName())
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "could not list the namespaces of a cluster", "cluster", e.ObjectNew.GetName())
		}
		slices.Sort(found)
		requests := make([]reconcile.Request, len(found))
		for i := range found {
			requests[i] = requestFor(found[i])
		}
		c.backlog.Add(q, requests)
	}}
}
