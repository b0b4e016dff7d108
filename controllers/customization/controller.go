// SPDX-License-Identifier: Apache-2.0

// Package customization activates the rules of customizations.
//
// Reads ResourceInterpreterCustomizations. Writes their status, and the rules of the
// engine. Wakes up on customizations, when one was compiled, when there is room for one
// that did not fit, and on the first failure of their rules. It runs in each process that
// has an engine.
//
// Nothing is compiled in a reconcile: a generation is submitted to the queue of the
// activator, in which customizations take turns, and reconciled again when its outcome is
// there. The generation before answers meanwhile; where there is none, what decides about copies
// answers that it is pending.
package customization

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
)

// The conditions of a customization beside Active.
const (
	// Compiled reports whether all scripts of the current generation compile, and end
	// on an empty object. It is Unknown while they wait to be compiled.
	Compiled = "Compiled"
	// Evaluated is False once a run of a script that answers failed, with the first
	// failure as message. It is removed when other scripts answer.
	Evaluated = "Evaluated"
)

// Controller reconciles ResourceInterpreterCustomizations. It runs whether or not the
// process leads, since the rules are those of the process.
type Controller struct {
	base.Deps
	// compile compiles the scripts of a customization.
	compile func(*configv1alpha1.ResourceInterpreterCustomization) (engine.RuleSet, []error)
	// patience is how long the outcome of a generation is waited for before the status
	// reports that it is pending. Most take less, and need one write then.
	patience time.Duration
	entries  entries
	refused  refusals
	// loading is nil before Begin.
	loading *loading
	// wake enqueues a customization; it is nil before the manager has started.
	wake atomic.Pointer[func(name string)]
}

// New returns the controller.
func New(d base.Deps) *Controller {
	return &Controller{Deps: d, compile: d.Compiler.Customization, patience: 100 * time.Millisecond}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "customization" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		Watches(&configv1alpha1.ResourceInterpreterCustomization{}, c.onCustomization(), builder.WithPredicates(base.GenerationChanged{})).
		WatchesRawSource(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			wake := func(name string) { queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}) }
			c.wake.Store(&wake)
			c.Activator.OnFailure(wake)
			c.Activator.OnRoom(c.offerRoom)
			// What Begin saw may be gone before the first event.
			for _, name := range c.entries.names() {
				wake(name)
			}
			return nil
		})).
		WithOptions(controller.Options{NeedLeaderElection: new(false)}).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "customization")).
		Complete(c)
}

// onCustomization enqueues customizations, and has those that are new activated at once.
func (c *Controller) onCustomization() handler.EventHandler {
	enqueue := handler.EnqueueRequestForObject{}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			c.appeared(ctx, e.Object.(*configv1alpha1.ResourceInterpreterCustomization))
			enqueue.Create(ctx, e, q)
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			if e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
				c.appeared(ctx, e.ObjectNew.(*configv1alpha1.ResourceInterpreterCustomization))
			}
			enqueue.Update(ctx, e, q)
		},
		DeleteFunc: enqueue.Delete,
	}
}

// notify has a customization reconciled. Before the manager has started there is no need
// to: it begins with all of them.
func (c *Controller) notify(name string) {
	if wake := c.wake.Load(); wake != nil {
		(*wake)(name)
	}
}

// Reconcile has the current generation of one customization activated, and reports the
// outcome once it is there.
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
	e := c.ensure(cr)
	c.submit(attempt{log: ctrl.LoggerFrom(ctx), entry: e, cr: cr})
	o, waits := e.outcomeOf(cr.Generation, c.now())
	if waits > 0 && waits < c.patience {
		return reconcile.Result{RequeueAfter: c.patience - waits}, nil
	}
	return reconcile.Result{}, c.write(ctx, cr, o)
}

// write reports an outcome in the status of a customization. The client decodes the answer
// of the API server into what it writes, so that this is a copy: the activation of the
// customization may read it still.
func (c *Controller) write(ctx context.Context, cr *configv1alpha1.ResourceInterpreterCustomization, o outcome) error {
	changed := cr.DeepCopy()
	if o.active > 0 {
		o.share = shareOf(cr.Name, o.source, c.Interpreter.Snapshot().Answering)
	}
	report(changed, o, c.Activator.Failure(cr.Name))
	if equality.Semantic.DeepEqual(cr.Status, changed.Status) {
		return nil
	}
	if err := c.Client.Status().Patch(ctx, changed, client.MergeFrom(cr)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of customization %s: %w", cr.Name, err)
	}
	return nil
}
