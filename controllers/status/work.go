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
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/logs"
	"github.com/dragoman-io/dragoman/controllers/member"
	"github.com/dragoman-io/dragoman/engine"
)

// Interpreter is what the controllers of this package ask the engine.
type Interpreter interface {
	Supports(kind schema.GroupVersionKind, operation string) bool
	Status(object *unstructured.Unstructured) (map[string]any, error)
	Health(object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, error)
	Aggregate(object *unstructured.Unstructured, items []any) (*unstructured.Unstructured, error)
}

// Changes tells of the kinds that other scripts answer for than before.
type Changes interface {
	Listen(f func(schema.GroupVersionKind))
}

// Work reflects member objects into the status of their Works.
type Work struct {
	Client      client.Client
	Members     *member.Registry
	Interpreter Interpreter
	Changes     Changes
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
				c.enqueue(ctx, queue, func(w *workv1alpha1.Work) bool { return true }, client.InNamespace(names.ExecutionSpace(cluster)))
			})
			c.Changes.Listen(func(kind schema.GroupVersionKind) {
				c.enqueue(ctx, queue, func(w *workv1alpha1.Work) bool { return tellsOf(w, kind) })
			})
			return nil
		})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 5}).
		WithLogConstructor(logs.For(mgr, c.Name(), "work")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// enqueue adds the Works of a list that pass.
func (c *Work) enqueue(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request], pass func(*workv1alpha1.Work) bool, options ...client.ListOption) {
	var list workv1alpha1.WorkList
	if err := c.Client.List(ctx, &list, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list works")
	}
	for i := range list.Items {
		if pass(&list.Items[i]) {
			queue.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
}

// tellsOf says that the Work tells of an object of this kind.
func tellsOf(w *workv1alpha1.Work, kind schema.GroupVersionKind) bool {
	return slices.ContainsFunc(w.Status.ManifestStatuses, func(s workv1alpha1.ManifestStatus) bool {
		return s.Identifier.Group == kind.Group && s.Identifier.Version == kind.Version && s.Identifier.Kind == kind.Kind
	})
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
	for i := range w.Spec.Workload.Manifests {
		status, err := c.reflect(ctx, m, w, i)
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

// reflect reads manifest i's object in the member and asks the engine about it. Nil
// means that there is nothing to say: the object is not there, not ours, or not read
// yet, or the cluster does not serve its kind. What was said before stays then.
func (c *Work) reflect(ctx context.Context, m *member.Member, w *workv1alpha1.Work, i int) (*workv1alpha1.ManifestStatus, error) {
	manifest := &unstructured.Unstructured{}
	if err := manifest.UnmarshalJSON(w.Spec.Workload.Manifests[i].Raw); err != nil {
		return nil, nil //nolint:nilerr // execution reports it in the Applied condition
	}
	kind := manifest.GroupVersionKind()
	if err := m.Watch(ctx, kind); meta.IsNoMatchError(err) {
		return nil, nil // execution says it; once it is applied the Work comes back
	} else if err != nil {
		return nil, err
	}
	object, err := m.Get(kind, client.ObjectKeyFromObject(manifest))
	if errors.Is(err, member.ErrNotSynced) || apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !madeFrom(w, object) {
		return nil, nil
	}
	s := &workv1alpha1.ManifestStatus{Identifier: workv1alpha1.ResourceIdentifier{
		Ordinal: i, Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Namespace: manifest.GetNamespace(), Name: manifest.GetName(),
	}, Health: c.health(w, object)}
	s.Status, err = c.status(w, object)
	return s, err
}

// status gives what the engine keeps of the object's status. A failing script is told
// of as an event, and leaves the status out rather than the whole report.
func (c *Work) status(w *workv1alpha1.Work, object *unstructured.Unstructured) (*runtime.RawExtension, error) {
	status, err := c.Interpreter.Status(object)
	if err != nil {
		c.Events.Eventf(w, nil, corev1.EventTypeWarning, "ReflectStatusFailed", "ReflectStatus", "%.900s", err)
		return nil, nil
	}
	if status == nil {
		return nil, nil
	}
	raw, err := json.Marshal(status)
	if err != nil {
		return nil, fmt.Errorf("write the status of %s as JSON: %w", object.GetName(), err)
	}
	return &runtime.RawExtension{Raw: raw}, nil
}

// health asks the engine; a kind without a script is healthy once it is there, and a
// failing script leaves it unknown.
func (c *Work) health(w *workv1alpha1.Work, object *unstructured.Unstructured) workv1alpha2.ResourceHealth {
	if !c.Interpreter.Supports(object.GroupVersionKind(), engine.InterpretHealth) {
		return workv1alpha2.ResourceHealthy
	}
	health, err := c.Interpreter.Health(object)
	if err != nil {
		c.Events.Eventf(w, nil, corev1.EventTypeWarning, "InterpretHealthFailed", "InterpretHealth", "%.900s", err)
		return workv1alpha2.ResourceUnknown
	}
	return health
}

// madeFrom says that a managed object was made from this Work.
func madeFrom(w *workv1alpha1.Work, object *unstructured.Unstructured) bool {
	a := object.GetAnnotations()
	return a[workv1alpha2.WorkNamespaceAnnotation] == w.Namespace && a[workv1alpha2.WorkNameAnnotation] == w.Name
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
