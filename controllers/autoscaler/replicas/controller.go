// SPDX-License-Identifier: Apache-2.0

// Package replicas has the replicas of a template follow those of its copies, which autoscalers of the
// members decide.
//
// Reads bindings and their templates. Writes the replicas of a template that has the label
// resourcetemplate.karmada.io/retain-replicas and is divided. Asks the engine how many replicas a
// template has, and to set others. Wakes up on bindings whose spec or status changed.
package replicas

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles ResourceBindings.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics, as it is published.
func (c *Controller) Name() string { return "deploymentReplicasSyncer" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	changed := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*workv1alpha2.ResourceBinding), e.ObjectNew.(*workv1alpha2.ResourceBinding)
		return before.Generation != after.Generation || !equality.Semantic.DeepEqual(before.Status, after.Status)
	}}
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&workv1alpha2.ResourceBinding{}, builder.WithPredicates(changed)).
		WithOptions(c.Following(c.Options(mgr, c.Name(), "binding"), requeue.AboutBinding)).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// Reconcile writes the replicas of the template of one binding if its copies have others.
func (c *Controller) Reconcile(ctx context.Context, b *workv1alpha2.ResourceBinding) (reconcile.Result, error) {
	kind := templates.KeyOfReference(&b.Spec.Resource).GroupVersionKind
	rules := c.Interpreter.Snapshot()
	if b.DeletionTimestamp != nil || !rules.Supports(kind, engine.InterpretReplica) || !rules.Supports(kind, engine.ReviseReplica) {
		return reconcile.Result{}, nil
	}
	template, err := c.TemplateOf(ctx, b)
	if refused := (*reference.Error)(nil); errors.As(err, &refused) {
		return reconcile.Result{}, nil // rendering reports it
	}
	if err != nil || template.GetDeletionTimestamp() != nil || !follows(template, b) {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	now, err := rules.Replicas(template)
	if base.Pending(err) {
		return reconcile.Result{}, nil // the binding changes with its template, if it does
	}
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	sum, waits := Sum(b, now.Count)
	if waits != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("left the replicas of the template", "reason", waits.Error())
		return reconcile.Result{}, nil
	}
	if sum == now.Count {
		return reconcile.Result{}, nil
	}
	next, err := rules.Revise(template, int64(sum), engine.Division{})
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	if err := c.Patch(ctx, next, template); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("write the replicas of %s: %w", templates.KeyOf(template), err)))
	}
	ctrl.LoggerFrom(ctx).Info("wrote the replicas that members have into the template", "before", now.Count, "replicas", sum)
	return reconcile.Result{}, nil
}
