// SPDX-License-Identifier: Apache-2.0

// Package scheduling places bindings on clusters.
//
// Reads bindings and Clusters. Writes spec.clusters and the applied-placement
// annotation, then the Scheduled condition, what generation was observed and when.
// Asks the engine nothing: package placement decides. Wakes up on bindings whose
// spec changed, and on Clusters.
package scheduling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/objects"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/placement"
)

// retryAfter is how long a binding that fits nowhere waits without an event; a change of
// a cluster enqueues it earlier.
const retryAfter = time.Minute

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct{ base.Deps }

// New returns the controller of the bindings of type B.
func New[B workv1alpha2.Binding](d base.Deps) *Controller[B] { return &Controller[B]{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return bindings.Name[B]("scheduling") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(bindings.New[B](), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&clusterv1alpha1.Cluster{}, c.onCluster()).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// Reconcile decides for one binding and writes what changed.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	spec := b.GetSpec()
	switch {
	case b.GetDeletionTimestamp() != nil, spec.Placement == nil, !governed(b),
		spec.SchedulerName != "" && spec.SchedulerName != policyv1alpha1.DefaultScheduler,
		spec.Suspension != nil && spec.Suspension.Scheduling != nil && *spec.Suspension.Scheduling:
		return reconcile.Result{}, nil
	}
	clusters, err := c.clusters(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	in := placement.Input{Spec: spec, Status: b.GetStatus(), Clusters: clusters}
	if placement.NeedsCapacity(spec) {
		in.Capacity = placement.SummaryCapacity(spec, clusters)
	}
	result, decision := placement.Select(in)
	moved := false
	if decision == nil {
		if moved, err = c.writeTargets(ctx, b, result); err != nil {
			return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
		}
	}
	if err := c.report(ctx, b, result, decision, moved); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	if decision != nil {
		return reconcile.Result{RequeueAfter: retryAfter}, nil
	}
	return reconcile.Result{}, nil
}

// governed reports whether a policy, or another controller that depends on it, has the
// binding scheduled; the binding of a deleted policy stays where it is.
func governed(b workv1alpha2.Binding) bool {
	for _, label := range []string{
		policyv1alpha1.PropagationPolicyPermanentIDLabel, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel,
		workv1alpha2.BindingManagedByLabel,
	} {
		if b.GetLabels()[label] != "" {
			return true
		}
	}
	return false
}

func (c *Controller[B]) clusters(ctx context.Context) ([]*clusterv1alpha1.Cluster, error) {
	clusters, err := objects.List[*clusterv1alpha1.Cluster](ctx, c.Client, &clusterv1alpha1.ClusterList{})
	if err != nil {
		return nil, fmt.Errorf("list the clusters: %w", err)
	}
	slices.SortFunc(clusters, func(a, b *clusterv1alpha1.Cluster) int { return strings.Compare(a.Name, b.Name) })
	return clusters, nil
}

// writeTargets writes the targets and the placement they were chosen by; it reports whether
// the targets changed.
func (c *Controller[B]) writeTargets(ctx context.Context, b B, result placement.Result) (bool, error) {
	applied, err := json.Marshal(b.GetSpec().Placement)
	if err != nil {
		return false, fmt.Errorf("write the placement of %s as JSON: %w", b.GetName(), err)
	}
	moved := !equality.Semantic.DeepEqual(b.GetSpec().Clusters, result.Clusters)
	if !moved && b.GetAnnotations()[policyv1alpha1.AppliedPlacementAnnotation] == string(applied) {
		return false, nil
	}
	before := b.DeepCopyObject().(client.Object)
	base.SetAnnotation(b, policyv1alpha1.AppliedPlacementAnnotation, string(applied))
	b.GetSpec().Clusters = result.Clusters
	if err := c.Patch(ctx, b, before); err != nil {
		return false, fmt.Errorf("write the clusters of binding %s: %w", b.GetName(), err)
	}
	return moved, nil
}

// report writes the outcome to the status. The generation is that after the write of the
// targets, so that this write does not trigger a needless reconcile.
func (c *Controller[B]) report(ctx context.Context, b B, result placement.Result, decision error, moved bool) error {
	before := b.DeepCopyObject().(B)
	status := b.GetStatus()
	condition := metav1.Condition{
		Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue, Reason: workv1alpha2.BindingReasonSuccess,
		Message: "Binding has been scheduled successfully.", ObservedGeneration: b.GetGeneration(),
	}
	if decision != nil {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, reason(decision), decision.Error()
	}
	previous := meta.FindStatusCondition(status.Conditions, condition.Type)
	changed := previous == nil || previous.Status != condition.Status || previous.Message != condition.Message
	meta.SetStatusCondition(&status.Conditions, condition)
	if decision == nil {
		status.SchedulerObservedGeneration = b.GetGeneration()
		status.SchedulerObservedAffinityName = result.AffinityName
		if moved || status.LastScheduledTime == nil || placement.RescheduleAsked(b.GetSpec(), status) {
			now := metav1.NewTime(c.Clock.Now())
			status.LastScheduledTime = &now
		}
	}
	if equality.Semantic.DeepEqual(before.GetStatus(), status) {
		return nil
	}
	if err := c.PatchStatus(ctx, b, before); err != nil {
		return fmt.Errorf("write the status of binding %s: %w", b.GetName(), err)
	}
	switch {
	case decision != nil && changed:
		c.Warn(b, "ScheduleBindingFailed", "Schedule", decision)
		ctrl.LoggerFrom(ctx).Info("found no clusters", "reason", condition.Reason, "message", condition.Message)
	case moved:
		c.Events.Eventf(b, nil, corev1.EventTypeNormal, "ScheduleBindingSucceed", "Schedule", "Binding has been scheduled successfully. Result: %s", format(result.Clusters))
		ctrl.LoggerFrom(ctx).Info("scheduled binding", "clusters", format(result.Clusters))
	}
	return nil
}

// reason returns the published reason for a decision that placed nothing.
func reason(decision error) string {
	var (
		fit   *placement.FitError
		short *placement.UnschedulableError
	)
	switch {
	case errors.As(decision, &fit):
		return workv1alpha2.BindingReasonNoClusterFit
	case errors.As(decision, &short):
		return workv1alpha2.BindingReasonUnschedulable
	}
	return workv1alpha2.BindingReasonSchedulerError
}

// format returns targets as {member1:2, member2:1}.
func format(targets []workv1alpha2.TargetCluster) string {
	parts := make([]string, len(targets))
	for i, t := range targets {
		parts[i] = fmt.Sprintf("%s:%d", t.Name, t.Replicas)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
