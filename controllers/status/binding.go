// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Binding sums up the Works of one kind of binding, and their template.
type Binding[B workv1alpha2.Binding] struct {
	Client      client.Client
	Templates   *templates.Templates
	Interpreter *engine.Interpreter
	Changes     requeue.Changes
	Events      events.EventRecorder

	written written
}

// Name is the controller's name in logs and metrics.
func (c *Binding[B]) Name() string { return bindings.Name[B]("status.binding") }

// Register adds the controller to the manager.
func (c *Binding[B]) Register(mgr ctrl.Manager) error {
	statusChanged := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*workv1alpha1.Work), e.ObjectNew.(*workv1alpha1.Work)
		return !equality.Semantic.DeepEqual(before.Status, after.Status) ||
			before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero()
	}}
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(bindings.New[B](), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&workv1alpha1.Work{}, handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
			if key, ok := index.BindingOf(o); ok {
				return bindings.Requests[B](key)
			}
			return nil
		}), builder.WithPredicates(statusChanged)).
		WatchesRawSource(requeue.OnChange(c.Changes, requeue.Bindings[B](c.Client), engine.AggregateStatus)).
		WithLogConstructor(base.For(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// Reconcile sums up for one binding: its own status first, then that of its template.
func (c *Binding[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		c.written.forget(b.GetSpec().Resource.UID)
		return reconcile.Result{}, nil
	}
	works, err := index.Works(ctx, c.Client, client.ObjectKeyFromObject(b))
	if err != nil {
		return reconcile.Result{}, err
	}
	base := b.DeepCopyObject().(B)
	status := b.GetStatus()
	status.AggregatedStatus = binding.Aggregate(works)
	meta.SetStatusCondition(&status.Conditions, binding.FullyApplied(b, status.AggregatedStatus))
	if !equality.Semantic.DeepEqual(base.GetStatus(), status) {
		// The lock keeps two writers of conditions from undoing each other.
		err := c.Client.Status().Patch(ctx, b, client.MergeFromWithOptions(client.Object(base), client.MergeFromWithOptimisticLock{}))
		if err != nil {
			return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
		}
	}
	return c.template(ctx, b)
}

// template writes the status of the template as its kind adds statuses up.
func (c *Binding[B]) template(ctx context.Context, b B) (reconcile.Result, error) {
	key := templates.KeyOfReference(&b.GetSpec().Resource)
	rules := c.Interpreter.Snapshot()
	if !rules.Supports(key.GroupVersionKind, engine.AggregateStatus) {
		return reconcile.Result{}, nil
	}
	object, err := c.Templates.Get(ctx, key)
	if err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if c.written.after(object) {
		return reconcile.Result{RequeueAfter: requeue.Lag}, nil
	}
	items, err := statusItems(b)
	if err != nil {
		return reconcile.Result{}, err
	}
	next, err := rules.Aggregate(object, items)
	if err != nil {
		c.Events.Eventf(object, nil, corev1.EventTypeWarning, "AggregateStatusFailed", "AggregateStatus", "%.900s", err)
		return reconcile.Result{}, err
	}
	if next == object || equality.Semantic.DeepEqual(next.Object["status"], object.Object["status"]) {
		return reconcile.Result{}, nil
	}
	next = withStatus(object, next.Object["status"])
	err = c.Client.Status().Patch(ctx, next, client.MergeFrom(object))
	switch {
	case apierrors.IsNotFound(err):
		return reconcile.Result{}, nil // deleted meanwhile, or its kind has no status subresource
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("write the status of template %s: %w", key, err)
	}
	c.written.note(next)
	ctrl.LoggerFrom(ctx).Info("wrote template status", "template", key.String())
	return reconcile.Result{}, nil
}

// withStatus returns a copy of the object with another status; nil takes it away. Whatever
// else a script's answer leaves out or changes is not of the status, and not written.
func withStatus(object *unstructured.Unstructured, status any) *unstructured.Unstructured {
	next := object.DeepCopy()
	if status == nil {
		delete(next.Object, "status")
		return next
	}
	next.Object["status"] = runtime.DeepCopyJSONValue(status)
	return next
}

// statusItems returns what the engine adds up.
func statusItems(b workv1alpha2.Binding) ([]any, error) {
	var (
		items  []any
		broken []error
	)
	for i := range b.GetStatus().AggregatedStatus {
		item, err := engine.StatusItem(&b.GetStatus().AggregatedStatus[i])
		broken = append(broken, err)
		items = append(items, item)
	}
	return items, errors.Join(broken...)
}
