// SPDX-License-Identifier: Apache-2.0

// Package rebalancer has workloads placed again, as WorkloadRebalancers ask for.
//
// Reads WorkloadRebalancers and the bindings of the workloads that they name. Writes
// spec.rescheduleTriggeredAt of these bindings with an annotation, then the status of the
// rebalancer, and deletes the rebalancer when its time has passed. Asks the engine nothing:
// package scheduling follows the request. Wakes up on WorkloadRebalancers whose spec changed.
package rebalancer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Controller reconciles WorkloadRebalancers.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "rebalancer" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&appsv1alpha1.WorkloadRebalancer{}, builder.WithPredicates(base.GenerationChanged{})).
		WithOptions(c.Options(mgr, c.Name(), "rebalancer")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// Reconcile asks for what one rebalancer names, writes the results, and deletes it when its
// time has passed.
func (c *Controller) Reconcile(ctx context.Context, r *appsv1alpha1.WorkloadRebalancer) (reconcile.Result, error) {
	if r.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	if !isFinished(r) {
		if err := c.finish(ctx, r); err != nil {
			return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
		}
	}
	return c.expire(ctx, r)
}

// finish tries all workloads that have no result yet, and writes the results when each has
// one. What was asked before an error is not asked again by the next try.
func (c *Controller) finish(ctx context.Context, r *appsv1alpha1.WorkloadRebalancer) error {
	all := Observed(r)
	var problems []error
	tried := false
	for i := range all {
		if all[i].Result == appsv1alpha1.RebalanceSuccessful {
			continue
		}
		tried = true
		if err := c.try(ctx, r, &all[i]); err != nil {
			problems = append(problems, err)
		}
	}
	if err := combined(problems); err != nil {
		return err
	}
	before := r.DeepCopy()
	r.Status.ObservedWorkloads, r.Status.ObservedGeneration = all, r.Generation
	if tried || r.Status.FinishTime == nil {
		now := metav1.NewTime(c.Clock.Now())
		r.Status.FinishTime = &now
	}
	if err := c.PatchStatus(ctx, r, before); err != nil {
		return fmt.Errorf("write the status of WorkloadRebalancer %s: %w", r.Name, err)
	}
	failed := 0
	for i := range all {
		if all[i].Result == appsv1alpha1.RebalanceFailed {
			failed++
		}
	}
	ctrl.LoggerFrom(ctx).Info("rebalanced workloads", "workloads", len(all), "failed", failed)
	return nil
}

// combined returns nil for no errors, a conflict if all are conflicts, and otherwise the
// others: a conflict is retried anyway.
func combined(problems []error) error {
	others := slices.DeleteFunc(slices.Clone(problems), apierrors.IsConflict)
	if len(others) == 0 && len(problems) > 0 {
		return problems[0]
	}
	return errors.Join(others...)
}

// try asks for one workload and sets its result. An error means that it must be tried again.
func (c *Controller) try(ctx context.Context, r *appsv1alpha1.WorkloadRebalancer, o *appsv1alpha1.ObservedWorkload) error {
	template := &unstructured.Unstructured{}
	template.SetAPIVersion(o.Workload.APIVersion)
	template.SetKind(o.Workload.Kind)
	template.SetNamespace(o.Workload.Namespace)
	template.SetName(o.Workload.Name)
	b, found, err := index.BindingFor(ctx, c.Client, template)
	if err != nil {
		return err
	}
	o.Result, o.Reason = appsv1alpha1.RebalanceFailed, ""
	switch {
	case !found, b.GetDeletionTimestamp() != nil:
		o.Reason = appsv1alpha1.RebalanceObjectNotFound
		return nil
	case b.GetSpec().Placement == nil:
		o.Reason = appsv1alpha1.RebalanceNotScheduled
		return nil
	}
	before := b.DeepCopyObject().(client.Object)
	if Trigger(r, b) {
		c.Trail.Urgent(requeue.AboutBinding(client.ObjectKeyFromObject(b)))
		if err := c.Patch(ctx, b, before); err != nil {
			if apierrors.IsNotFound(err) {
				o.Reason = appsv1alpha1.RebalanceObjectNotFound
				return nil
			}
			return fmt.Errorf("ask for binding %s to be scheduled again: %w", client.ObjectKeyFromObject(b), err)
		}
		ctrl.LoggerFrom(ctx).Info("asked for a binding to be scheduled again", "binding", client.ObjectKeyFromObject(b))
	}
	o.Result = appsv1alpha1.RebalanceSuccessful
	return nil
}

// expire deletes a finished rebalancer when its time has passed, unless it was changed
// meanwhile.
func (c *Controller) expire(ctx context.Context, r *appsv1alpha1.WorkloadRebalancer) (reconcile.Result, error) {
	if r.Spec.TTLSecondsAfterFinished == nil {
		return reconcile.Result{}, nil
	}
	end := r.Status.FinishTime.Add(time.Duration(*r.Spec.TTLSecondsAfterFinished) * time.Second)
	if left := end.Sub(c.Clock.Now()); left > 0 {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	err := c.Client.Delete(ctx, r, client.Preconditions{UID: &r.UID, ResourceVersion: &r.ResourceVersion})
	if err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("delete WorkloadRebalancer %s: %w", r.Name, err)))
	}
	ctrl.LoggerFrom(ctx).Info("deleted the rebalancer, whose time has passed")
	return reconcile.Result{}, nil
}
