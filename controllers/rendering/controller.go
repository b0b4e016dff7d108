// SPDX-License-Identifier: Apache-2.0

// Package rendering renders bindings into Works, one for each target cluster.
//
// Reads bindings, templates and Works. Writes Works, and the finalizer of bindings.
// Asks the engine to prune the template, to set replicas and to restore state. Wakes up
// on bindings whose spec changed, on Works that appeared, were deleted or edited, and
// when rules change.
package rendering

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct{ base.Deps }

// New returns the controller of the bindings of type B.
func New[B workv1alpha2.Binding](d base.Deps) *Controller[B] { return &Controller[B]{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return bindings.Name[B]("rendering") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	changed := predicate.Or(predicate.GenerationChangedPredicate{},
		predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }))
	// A new Work counts too: its event may come only after it was no longer wanted.
	edited := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(bindings.New[B](), builder.WithPredicates(changed)).
		Watches(&workv1alpha1.Work{}, handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
			if key, ok := index.BindingOf(o); ok {
				return bindings.Requests[B](key)
			}
			return nil
		}), builder.WithPredicates(edited)).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Bindings[B](c.Client), engine.PruneTemplate, engine.ReviseReplica, engine.RestoreState)).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// Reconcile brings the Works of one binding up to date: it deletes those that are not
// wanted any more, then renders the others.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	works, err := index.Works(ctx, c.Client, client.ObjectKeyFromObject(b))
	if err != nil {
		return reconcile.Result{}, err
	}
	if b.GetDeletionTimestamp() != nil {
		return requeue.OnConflict(reconcile.Result{}, c.finalize(ctx, b, works))
	}
	p := binding.PlanWorks(b.GetSpec(), works)
	for _, w := range p.Remove {
		if err := c.Client.Delete(ctx, w); client.IgnoreNotFound(err) != nil {
			return reconcile.Result{}, fmt.Errorf("delete work %s/%s: %w", w.Namespace, w.Name, err)
		}
		ctrl.LoggerFrom(ctx).Info("deleted work", "work", client.ObjectKeyFromObject(w))
	}
	if len(p.Render) == 0 {
		return reconcile.Result{}, nil
	}
	object, err := c.Templates.Get(ctx, templates.KeyOfReference(&b.GetSpec().Resource))
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil // the binding is deleted with its owner
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	return c.renderAll(ctx, b, renderInput{
		template: object, binding: b, rules: c.Interpreter.Snapshot(), injectState: c.Gates.Enabled(features.StatefulFailoverInjection),
	}, p)
}

// renderAll writes the Works of a plan. A failure for one cluster does not affect the
// others.
func (c *Controller[B]) renderAll(ctx context.Context, b B, in renderInput, p binding.Plan) (reconcile.Result, error) {
	var failed []error
	for _, target := range p.Render {
		again, err := requeue.OnConflict(reconcile.Result{}, c.ensure(ctx, b, in, target, p.Existing[target.Name]))
		switch {
		case again.RequeueAfter > 0:
			return again, nil
		case err == nil:
			continue
		}
		err = fmt.Errorf("render the work for cluster %s: %w", target.Name, err)
		c.Warn(b, "RenderWorkFailed", "Render", err)
		failed = append(failed, err)
	}
	return reconcile.Result{}, errors.Join(failed...)
}

// finalize deletes all Works of a binding that is being deleted, and removes its
// finalizer. No controller looks for Works after that, so the Works of targets are also
// deleted by their label: the cache may not have one yet that was just created.
func (c *Controller[B]) finalize(ctx context.Context, b B, works []workv1alpha1.Work) error {
	known := map[string]bool{}
	for i := range works {
		known[binding.ClusterOf(&works[i])] = true
		if works[i].DeletionTimestamp != nil {
			continue
		}
		if err := c.Client.Delete(ctx, works[i].DeepCopy()); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete work %s/%s: %w", works[i].Namespace, works[i].Name, err)
		}
	}
	label := bindings.PermanentIDLabel(b)
	id := b.GetLabels()[label]
	for _, t := range binding.Targets(b.GetSpec()) {
		if known[t.Name] || id == "" {
			continue
		}
		err := c.Client.DeleteAllOf(ctx, &workv1alpha1.Work{}, client.InNamespace(names.ExecutionSpace(t.Name)), client.MatchingLabels{label: id})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete the work for cluster %s: %w", t.Name, err)
		}
	}
	before := b.DeepCopyObject().(client.Object)
	if !controllerutil.RemoveFinalizer(b, bindings.Finalizer(b)) {
		return nil
	}
	// The conflict keeps the finalizers that others add meanwhile.
	if err := c.Patch(ctx, b, before); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer of binding %s: %w", b.GetName(), err)
	}
	return nil
}
