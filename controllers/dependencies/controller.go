// SPDX-License-Identifier: Apache-2.0

// Package dependencies notes on a binding what its template depends on, so that these
// objects go where the template goes: package attached keeps their bindings.
//
// Reads bindings and templates. Writes the note and a finalizer of bindings with
// propagateDeps, and the condition DependenciesResolved where a script failed. Asks the engine for dependencies, and has their kinds watched. Wakes up on
// bindings with propagateDeps or that application failover has moved, on others of the policies of
// these, on bindings that are attached, or not any more, and when rules change.
package dependencies

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller notes on the bindings of one kind what their templates depend on.
type Controller[B workv1alpha2.Binding] struct{ base.Deps }

// New returns the controller of the bindings of type B.
func New[B workv1alpha2.Binding](d base.Deps) *Controller[B] { return &Controller[B]{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return scope.BindingController[B]("dependencies") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	changed := predicate.And(predicate.NewPredicateFuncs(concerned), predicate.Or(
		base.GenerationChanged{}, predicate.AnnotationChangedPredicate{},
		predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }),
	))
	attached := c.onAttached(mgr.GetCache())
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(scope.NewBinding[B](), builder.WithPredicates(changed)).
		Watches(&workv1alpha2.ResourceBinding{}, attached).
		Watches(&workv1alpha2.ClusterResourceBinding{}, attached).
		Watches(scope.NewBinding[B](), c.onSibling(mgr.GetCache())).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, c.answeredBy, engine.InterpretDependency)).
		WithOptions(c.Options(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// concerned reports whether a binding propagates dependencies, or did so.
func concerned(o client.Object) bool {
	b := o.(workv1alpha2.Binding)
	return b.GetSpec().PropagateDeps || binding.TakesAlong(b) || released(b) || binding.NotesDependencies(b) || unresolved(b) != nil
}

// released reports whether a binding has the finalizer of this controller, which it does
// not need any more once nothing is attached to it.
func released(b workv1alpha2.Binding) bool {
	return !binding.Propagates(b) && controllerutil.ContainsFinalizer(b, workv1alpha2.DependenciesFinalizer)
}

// owner is the name under which kinds are watched for a binding.
func owner(key types.NamespacedName) string { return "dependencies of " + key.String() }

// Reconcile notes what the template of one binding depends on, or ends the propagation of
// its dependencies.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if !binding.Propagates(b) {
		if err := c.release(ctx, b); err != nil || b.GetDeletionTimestamp() != nil {
			return requeue.OnConflict(reconcile.Result{}, err)
		}
		return requeue.OnConflict(reconcile.Result{}, c.report(ctx, b, nil, nil))
	}
	if !c.Gates.Enabled(features.PropagateDeps) || !binding.IsPlaced(b) {
		return reconcile.Result{}, nil
	}
	object, err := c.TemplateOf(ctx, b)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil // the binding is deleted with its owner
	}
	if refused := (*reference.Error)(nil); errors.As(err, &refused) {
		return reconcile.Result{}, nil // rendering reports it
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	references, failed, err := c.resolve(ctx, b, object)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := c.note(ctx, b, object, references); err != nil {
		return requeue.OnConflict(reconcile.Result{}, err)
	}
	if failed != nil {
		return c.fail(ctx, b, object, failed)
	}
	return requeue.OnConflict(reconcile.Result{}, c.report(ctx, b, nil, nil))
}

// resolve returns what the template of a binding depends on, and what goes along with it. failed is why a script
// does not answer; what the binding notes stays then. err is that of a read: nothing is known.
func (c *Controller[B]) resolve(ctx context.Context, b B, object *unstructured.Unstructured) (all []binding.Reference, failed, err error) {
	if b.GetSpec().PropagateDeps {
		all, failed = c.interpret(object)
		if failed != nil {
			all = binding.Dependencies(b)
		} else if all, failed, err = c.follow(ctx, b, all); err != nil {
			return nil, nil, err
		}
	}
	all, err = c.along(ctx, b, all)
	return all, failed, err
}

// interpret asks the engine what an object depends on; a kind without a script depends on
// nothing.
func (c *Controller[B]) interpret(object *unstructured.Unstructured) ([]binding.Reference, error) {
	rules := c.Interpreter.Snapshot()
	if !rules.Supports(object.GroupVersionKind(), engine.InterpretDependency) {
		return nil, nil
	}
	return rules.Dependencies(object)
}

// note has the kinds of dependencies watched and writes the dependencies, if they changed.
// The finalizer comes with them: it holds the binding until nothing is attached to it.
func (c *Controller[B]) note(ctx context.Context, b B, object *unstructured.Unstructured, references []binding.Reference) error {
	if _, err := c.watch(ctx, b, references); err != nil {
		return err
	}
	before := b.DeepCopyObject().(B)
	if err := binding.SetDependencies(b, references); err != nil {
		return err
	}
	if len(references) > 0 {
		controllerutil.AddFinalizer(b, workv1alpha2.DependenciesFinalizer)
	}
	if equality.Semantic.DeepEqual(before, b) {
		return nil
	}
	if err := c.Patch(ctx, b, before); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the dependencies of binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("noted dependencies", "dependencies", len(references))
	c.SucceededTemplate(b, base.Success{Reason: "GetDependenciesSucceed", Action: "GetDependencies", Note: "It depends on: %s.", Args: []any{list(references)}})
	c.reportForeign(b, object, binding.NeedGrants(b, references))
	return nil
}

// watch has the kinds of dependencies watched, but for those that are never propagated. A
// kind that is not served is watched once it is; these are returned.
func (c *Controller[B]) watch(ctx context.Context, b B, references []binding.Reference) ([]schema.GroupVersionKind, error) {
	var kinds []schema.GroupVersionKind
	for _, kind := range binding.DependencyKinds(references) {
		if !c.Skipped.Kind(kind) {
			kinds = append(kinds, kind)
		}
	}
	unserved, err := c.Templates.Want(ctx, owner(client.ObjectKeyFromObject(b)), kinds...)
	if err != nil {
		return nil, fmt.Errorf("watch what binding %s depends on: %w", b.GetName(), err)
	}
	return unserved, nil
}

// release removes finalizer and note of a binding that propagates nothing any more, once
// nothing is attached to it.
func (c *Controller[B]) release(ctx context.Context, b B) error {
	if !released(b) && !binding.NotesDependencies(b) {
		return nil
	}
	key := client.ObjectKeyFromObject(b)
	attached, err := index.Attached(ctx, c.Client, key)
	if err != nil {
		return err
	}
	for _, a := range attached {
		if a.GetDeletionTimestamp() == nil {
			return nil // the event of its change enqueues the binding
		}
	}
	c.Templates.Drop(owner(key))
	before := b.DeepCopyObject().(B)
	controllerutil.RemoveFinalizer(b, workv1alpha2.DependenciesFinalizer)
	if b.GetDeletionTimestamp() == nil {
		if err := binding.SetDependencies(b, nil); err != nil {
			return err
		}
	}
	if equality.Semantic.DeepEqual(before, b) {
		return nil
	}
	if err := c.Patch(ctx, b, before); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("end the dependencies of binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("ended the propagation of dependencies")
	return nil
}
