// SPDX-License-Identifier: Apache-2.0

// Package marker has members keep the replicas of what an autoscaler scales that is propagated.
//
// Reads the templates and bindings of autoscalers, and the templates that these scale. Writes the label
// that has members keep the replicas of a template, and the annotation by which it knows that the label
// is its own. Asks the engine nothing: the rules of each kind retain by that label. Wakes up on templates
// that are listed or whose content changed, and on bindings of autoscalers that come and go.
package marker

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// name is the published name of this controller.
const name = "hpaScaleTargetMarker"

// Controller reconciles autoscalers, and what they scale.
type Controller struct {
	base.Deps
	scaled scaled
}

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return name }

type queue = workqueue.TypedRateLimitingInterface[templates.Key]

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	options := base.OptionsOf(c.Deps, mgr, c.Name(), "template", templates.Key.String, templates.Key.Tenant)
	options.Reconciler = c
	watcher, err := controller.NewTyped(c.Name(), mgr, options)
	if err != nil {
		return err
	}
	return errors.Join(
		watcher.Watch(source.TypedFunc[templates.Key](func(_ context.Context, q queue) error {
			c.Templates.Listen(func(k templates.Key, cause templates.Cause) { enqueue(q, k, cause) })
			return nil
		})),
		watcher.Watch(source.TypedKind(mgr.GetCache(), &workv1alpha2.ResourceBinding{}, onBinding())),
	)
}

// enqueue adds a template: those that a user changed first.
func enqueue(q queue, k templates.Key, cause templates.Cause) {
	switch cause {
	case templates.Edited:
		q.Add(k)
	case templates.Claimed: // says nothing about autoscalers; the binding does
	case templates.Related:
		requeue.Related(q, k)
	default:
		requeue.Backlog(q, 0, k)
	}
}

// onBinding enqueues the autoscaler of a binding that comes or goes. Those that a start lists are
// enqueued with their kind.
func onBinding() handler.TypedFuncs[*workv1alpha2.ResourceBinding, templates.Key] {
	add := func(q queue, b *workv1alpha2.ResourceBinding) {
		if k := templates.KeyOfReference(&b.Spec.Resource); isAutoscaler(k.GroupKind()) {
			q.Add(k)
		}
	}
	return handler.TypedFuncs[*workv1alpha2.ResourceBinding, templates.Key]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*workv1alpha2.ResourceBinding], q queue) {
			if !e.IsInInitialList {
				add(q, e.Object)
			}
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*workv1alpha2.ResourceBinding], q queue) {
			add(q, e.Object)
		},
	}
}

// Reconcile marks what an autoscaler scales, or one object that autoscalers may scale.
func (c *Controller) Reconcile(ctx context.Context, k templates.Key) (reconcile.Result, error) {
	if !isAutoscaler(k.GroupKind()) {
		return requeue.OnConflict(reconcile.Result{}, c.mark(ctx, k))
	}
	next, known, err := c.scales(ctx, k)
	if err != nil || !known {
		return reconcile.Result{}, err
	}
	before := c.scaled.set(k.NamespacedName, next)
	err = c.mark(ctx, next)
	if targetOf(before) != targetOf(next) {
		left := c.mark(ctx, before)
		if left != nil {
			c.scaled.set(k.NamespacedName, before) // or the next try would not know it
		}
		err = errors.Join(err, left)
	}
	return requeue.OnConflict(reconcile.Result{}, err)
}

// scales returns what an autoscaler scales in members; the zero key where it is not propagated. It is not
// known while the template is gone and its copies are not.
func (c *Controller) scales(ctx context.Context, k templates.Key) (_ templates.Key, known bool, _ error) {
	object, err := c.Templates.Get(ctx, k)
	gone := apierrors.IsNotFound(err)
	if err != nil && !gone {
		return templates.Key{}, false, err
	}
	if gone {
		object = &unstructured.Unstructured{}
		object.SetGroupVersionKind(k.GroupVersionKind)
		object.SetNamespace(k.Namespace)
		object.SetName(k.Name)
	}
	_, bound, err := index.BindingFor(ctx, c.Client, object)
	switch {
	case err != nil:
		return templates.Key{}, false, err
	case !bound:
		return templates.Key{}, true, nil
	}
	return scaleTarget(object), !gone, nil
}

// mark writes the label of a template, or takes it away, where that is wanted. What no policy has watched
// is not propagated, and comes once it is.
func (c *Controller) mark(ctx context.Context, k templates.Key) error {
	if k.Name == "" || !c.Templates.Watched(k.GroupVersionKind) {
		return nil
	}
	object, err := c.Templates.Get(ctx, k)
	if err != nil || object.GetDeletionTimestamp() != nil {
		return client.IgnoreNotFound(err)
	}
	next, changed := Marked(object, c.scaled.has(targetOf(k)))
	if changed && next.GetAnnotations()[Annotation] == "" {
		// A start may see the target before its autoscaler.
		if scaled, err := c.isScaled(ctx, k); err != nil || scaled {
			return err
		}
	}
	if !changed {
		return nil
	}
	if err := c.Patch(ctx, next, object); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("mark %s: %w", k, err))
	}
	ctrl.LoggerFrom(ctx).Info("marked what an autoscaler scales", "target", k.String(), "scaled", next.GetAnnotations()[Annotation] != "")
	return nil
}

// isScaled reports whether a propagated autoscaler of the namespace scales an object, or may: what one
// whose template is gone has scaled is not known until its copies are gone, too.
func (c *Controller) isScaled(ctx context.Context, k templates.Key) (bool, error) {
	all, err := index.ListBindings[*workv1alpha2.ResourceBinding](ctx, base.Cached{Reader: c.Client}, client.InNamespace(k.Namespace), client.UnsafeDisableDeepCopy)
	if err != nil {
		return false, err
	}
	for _, b := range all {
		autoscaler := templates.KeyOfReference(&b.Spec.Resource)
		if !isAutoscaler(autoscaler.GroupKind()) {
			continue
		}
		if t, known, err := c.scales(ctx, autoscaler); err != nil || !known || targetOf(t) == targetOf(k) {
			return err == nil, err
		}
	}
	return false, nil
}
