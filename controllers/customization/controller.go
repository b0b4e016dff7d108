// SPDX-License-Identifier: Apache-2.0

// Package customization keeps the engine's rules as the customizations of the API say.
//
// Reads ResourceInterpreterCustomizations. Writes their status, and the rules of the
// engine. Wakes up on customizations, and on runs of their scripts that failed.
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
	"github.com/dragoman-io/dragoman/engine"
)

// The conditions of a customization beside Active.
const (
	// Compiled reports whether all scripts of the current generation compile, and end
	// on an empty object.
	Compiled = "Compiled"
	// Evaluated is False once a run of a script that answers failed, with the first
	// failure as message. It goes when other scripts answer.
	Evaluated = "Evaluated"
)

// Rules is the engine, as far as it is told about sources.
type Rules interface {
	Set(layer engine.Layer, source engine.RuleSet) error
	Remove(layer engine.Layer, name string)
}

// Controller reconciles ResourceInterpreterCustomizations. Each process that has an
// engine runs it, whether or not it leads, since the rules are those of the process.
type Controller struct {
	Client   client.Client
	Compiler *engine.Compiler
	Rules    Rules
	Failures *Failures
	// Changes is told of the kinds that other scripts answer for; nil tells nobody.
	Changes *Changes
	// Metrics is told of the customizations that are active; nil counts nothing.
	Metrics *Metrics

	outcomes outcomes
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "interpreter" }

// Register adds the controller to the manager.
func (c *Controller) Register(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&configv1alpha1.ResourceInterpreterCustomization{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			c.Failures.listen(func(name string) {
				queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
			})
			return nil
		})).
		WithOptions(controller.Options{NeedLeaderElection: new(false)}).
		WithLogConstructor(base.For(mgr, c.Name(), "customization")).
		Complete(c)
}

// Load activates all customizations that there are, without writing their status. It
// is called before any controller runs, so that none asks an engine that does not
// know them yet: a script that retains a field must be there before the first write.
func (c *Controller) Load(ctx context.Context, reader client.Reader) error {
	var list configv1alpha1.ResourceInterpreterCustomizationList
	if err := reader.List(ctx, &list); err != nil {
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
// before and says why.
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
	base := cr.DeepCopy()
	report(cr, c.activate(ctx, cr), c.Failures.of(cr.Name))
	if equality.Semantic.DeepEqual(base.Status, cr.Status) {
		return reconcile.Result{}, nil
	}
	if err := c.Client.Status().Patch(ctx, cr, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("write the status of customization %s: %w", cr.Name, err)
	}
	return reconcile.Result{}, nil
}
