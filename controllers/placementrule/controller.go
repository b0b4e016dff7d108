// SPDX-License-Identifier: Apache-2.0

// Package placementrule compiles PlacementRules, and asks them where a binding may go.
//
// Reads PlacementRules. Writes their status. Has the engine compile their expressions; package
// scheduling runs these, and compiles by itself what it finds not compiled yet, so that no
// decision is made without a rule that is there. Wakes up on PlacementRules, and on the first
// failure of one.
package placementrule

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// The reasons of the condition Active.
const (
	ReasonCompiled       = "Compiled"
	ReasonDoesNotCompile = "DoesNotCompile"
)

// ReasonFailed is the reason of the condition Evaluated.
const ReasonFailed = "Failed"

// Controller reconciles PlacementRules.
type Controller struct {
	base.Deps
	rules *Rules
}

// NewController returns the controller of rules.
func NewController(d base.Deps, rules *Rules) *Controller { return &Controller{d, rules} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "placementrule" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	if err := c.rules.metrics.register(c.Registry); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&interpreterv1alpha1.PlacementRule{}, builder.WithPredicates(base.GenerationChanged{})).
		WatchesRawSource(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			c.rules.onFailure(func(rule string) {
				queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: rule}})
			})
			return nil
		})).
		WithOptions(c.Options(mgr, c.Name(), "placementRule")).
		Complete(c)
}

// Reconcile compiles one rule, and writes what became of it.
func (c *Controller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	cr := &interpreterv1alpha1.PlacementRule{}
	switch err := c.Client.Get(ctx, request.NamespacedName, cr); {
	case apierrors.IsNotFound(err):
		c.rules.keep(ctx, c.Client)
		return reconcile.Result{}, nil
	case err != nil:
		return reconcile.Result{}, err
	case cr.DeletionTimestamp != nil:
		return reconcile.Result{}, nil
	}
	before := cr.DeepCopy()
	report(cr, c.rules.compile(cr))
	if equality.Semantic.DeepEqual(before.Status, cr.Status) {
		return reconcile.Result{}, nil
	}
	if err := c.Client.Status().Patch(ctx, cr, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("write the status of PlacementRule %s: %w", cr.Name, err)))
	}
	ctrl.LoggerFrom(ctx).Info("reported a placement rule", "generation", cr.Generation, "active", meta.IsStatusConditionTrue(cr.Status.Conditions, interpreterv1alpha1.ConditionActive))
	return reconcile.Result{}, nil
}

// keep drops the rules that the control plane does not have any more.
func (r *Rules) keep(ctx context.Context, c client.Reader) {
	var list interpreterv1alpha1.PlacementRuleList
	if err := c.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return // the next rule that goes drops it
	}
	known, names := map[types.UID]bool{}, map[string]bool{}
	for i := range list.Items {
		known[list.Items[i].UID], names[list.Items[i].Name] = true, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for uid, c := range r.all {
		if known[uid] {
			continue
		}
		delete(r.all, uid)
		if !names[c.name] {
			r.metrics.forget(c.name)
		}
	}
}

// report writes what became of a rule into its status.
func report(cr *interpreterv1alpha1.PlacementRule, c compiled) {
	active := metav1.Condition{
		Type: interpreterv1alpha1.ConditionActive, Status: metav1.ConditionTrue, Reason: ReasonCompiled,
		Message: "the expressions of this generation decide", ObservedGeneration: cr.Generation,
	}
	if len(c.errs) > 0 {
		active.Status, active.Reason, active.Message = metav1.ConditionFalse, ReasonDoesNotCompile, errors.Join(c.errs...).Error()
		if c.rule != nil {
			active.Message += "\nthe expressions of an earlier generation decide"
		}
	}
	meta.SetStatusCondition(&cr.Status.Conditions, active)
	active.Type = interpreterv1alpha1.ConditionReady
	meta.SetStatusCondition(&cr.Status.Conditions, active)
	if c.failure == nil {
		meta.RemoveStatusCondition(&cr.Status.Conditions, interpreterv1alpha1.ConditionEvaluated)
	} else {
		meta.SetStatusCondition(&cr.Status.Conditions, metav1.Condition{
			Type: interpreterv1alpha1.ConditionEvaluated, Status: metav1.ConditionFalse, Reason: ReasonFailed,
			Message: fmt.Sprintf("about %s: %s", c.about, cause(c.failure)), ObservedGeneration: cr.Generation,
		})
	}
	cr.Status.ObservedGeneration = cr.Generation
}
