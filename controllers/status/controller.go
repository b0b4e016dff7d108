// SPDX-License-Identifier: Apache-2.0

// Package status aggregates what the Works of a binding report into the status of the
// binding and of its template.
//
// Reads bindings, Works and templates. Writes aggregatedStatus and FullyApplied of
// bindings, and the status of templates. Asks the engine to aggregate statuses. Wakes up
// on bindings, on Works whose status changed, and when rules change.
package status

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
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
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct {
	base.Deps
	written written
}

// New returns the controller of the bindings of type B.
func New[B workv1alpha2.Binding](d base.Deps) *Controller[B] { return &Controller[B]{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return bindings.Name[B]("status") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
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
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Bindings[B](c.Client), engine.AggregateStatus)).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// Reconcile writes the status of one binding, then that of its template.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		c.written.forget(b.GetSpec().Resource.UID)
		return reconcile.Result{}, nil
	}
	works, err := index.Works(ctx, c.Client, client.ObjectKeyFromObject(b))
	if err != nil {
		return reconcile.Result{}, err
	}
	before := b.DeepCopyObject().(B)
	status := b.GetStatus()
	status.AggregatedStatus = binding.Aggregate(works)
	meta.SetStatusCondition(&status.Conditions, binding.FullyApplied(b, status.AggregatedStatus))
	if !equality.Semantic.DeepEqual(before.GetStatus(), status) {
		if err := c.PatchStatus(ctx, b, before); err != nil {
			return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
		}
	}
	return c.writeTemplate(ctx, b)
}

// writeTemplate writes the status of the template, as the script of its kind aggregates
// it.
func (c *Controller[B]) writeTemplate(ctx context.Context, b B) (reconcile.Result, error) {
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
		c.Warn(object, "AggregateStatusFailed", "AggregateStatus", err)
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
	c.written.record(next)
	ctrl.LoggerFrom(ctx).Info("wrote template status", "template", key.String())
	return reconcile.Result{}, nil
}

// withStatus returns a copy of the object with another status; nil removes it. Other
// changes of a script are not written.
func withStatus(object *unstructured.Unstructured, status any) *unstructured.Unstructured {
	next := object.DeepCopy()
	if status == nil {
		delete(next.Object, "status")
		return next
	}
	next.Object["status"] = runtime.DeepCopyJSONValue(status)
	return next
}

// statusItems returns the items that the engine aggregates.
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
