// SPDX-License-Identifier: Apache-2.0

// Package customization activates the rules of customizations.
//
// Reads ResourceInterpreterCustomizations. Writes their status, and the rules of the
// engine. Wakes up on customizations, and on the first failure of their rules. It runs in
// each process that has an engine.
package customization

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// The conditions of a customization beside Active.
const (
	// Compiled reports whether all scripts of the current generation compile, and end
	// on an empty object.
	Compiled = "Compiled"
	// Evaluated is False once a run of a script that answers failed, with the first
	// failure as message. It is removed when other scripts answer.
	Evaluated = "Evaluated"
)

// Controller reconciles ResourceInterpreterCustomizations. It runs whether or not the
// process leads, since the rules are those of the process.
type Controller struct {
	base.Deps
	outcomes outcomes
}

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "customization" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&configv1alpha1.ResourceInterpreterCustomization{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			c.Activator.OnFailure(func(name string) {
				queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
			})
			return nil
		})).
		WithOptions(controller.Options{NeedLeaderElection: new(false)}).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "customization")).
		Complete(c)
}

// Load activates all customizations that exist, without writing their status. It is
// called before any controller runs, so that none uses an engine without them: a rule
// that retains a field must be there before the first write.
func (c *Controller) Load(ctx context.Context) error {
	ctx = ctrl.LoggerInto(ctx, ctrl.LoggerFrom(ctx).WithName(c.Name()))
	var list configv1alpha1.ResourceInterpreterCustomizationList
	if err := c.Reader.List(ctx, &list); err != nil {
		return fmt.Errorf("read the customizations: %w", err)
	}
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp == nil {
			c.activate(ctx, &list.Items[i])
		}
	}
	return nil
}

// Reconcile activates the current generation of one customization, or keeps the one
// before and reports why.
func (c *Controller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	err := c.Client.Get(ctx, request.NamespacedName, cr)
	if apierrors.IsNotFound(err) || (err == nil && cr.DeletionTimestamp != nil) {
		c.remove(request.Name)
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	before := cr.DeepCopy()
	report(cr, c.activate(ctx, cr), c.Activator.Failure(cr.Name))
	if equality.Semantic.DeepEqual(before.Status, cr.Status) {
		return reconcile.Result{}, nil
	}
	if err := c.Client.Status().Patch(ctx, cr, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("write the status of customization %s: %w", cr.Name, err)
	}
	return reconcile.Result{}, nil
}
