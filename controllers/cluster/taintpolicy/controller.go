// SPDX-License-Identifier: Apache-2.0

// Package taintpolicy taints clusters whose conditions ClusterTaintPolicies name.
//
// Reads Clusters and ClusterTaintPolicies. Writes spec.taints of Clusters, and in their status
// since when they have those with the effect NoExecute. Asks the engine
// nothing. Wakes up on Clusters whose spec, labels or conditions changed, and on policies,
// for the clusters that they are about. Without the feature gate Failover it does nothing.
package taintpolicy

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/taint"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Controller reconciles Clusters.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "cluster.taintpolicy" }

// Register adds the controller to the manager, if the feature gate is on.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	if !c.Gates.Enabled(features.Failover) {
		return nil
	}
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&clusterv1alpha1.Cluster{}, builder.WithPredicates(predicate.Or(
			base.GenerationChanged{}, predicate.LabelChangedPredicate{}, conditionsChanged))).
		Watches(&policyv1alpha1.ClusterTaintPolicy{}, handler.EnqueueRequestsFromMapFunc(c.clustersOf), builder.WithPredicates(policyChanged)).
		WithOptions(c.Options(mgr, c.Name(), "cluster")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// policyChanged accepts new policies and those whose spec changed. The taints of a deleted
// one stay.
var policyChanged = predicate.And[client.Object](base.GenerationChanged{}, predicate.Funcs{
	DeleteFunc: func(event.DeleteEvent) bool { return false },
})

// conditionsChanged accepts Clusters of which a condition has another status, or came or
// went.
var conditionsChanged = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	return !maps.Equal(statuses(e.ObjectOld), statuses(e.ObjectNew))
}}

// statuses returns the status of each condition of a Cluster.
func statuses(o client.Object) map[string]metav1.ConditionStatus {
	all := map[string]metav1.ConditionStatus{}
	for _, condition := range o.(*clusterv1alpha1.Cluster).Status.Conditions {
		all[condition.Type] = condition.Status
	}
	return all
}

// clustersOf returns requests for the clusters that a policy is about.
func (c *Controller) clustersOf(ctx context.Context, o client.Object) []reconcile.Request {
	p := o.(*policyv1alpha1.ClusterTaintPolicy)
	clusters, err := index.List[*clusterv1alpha1.Cluster](ctx, c.Client, &clusterv1alpha1.ClusterList{})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the clusters of a policy", "policy", p.Name)
	}
	var requests []reconcile.Request
	for _, cluster := range clusters {
		matches, err := taint.Targets(p, cluster)
		if err != nil {
			c.Warn(p, reasonFailed, "Taint", fmt.Errorf("spec.targetClusters: %w; no cluster is tainted until it is mended", err))
			return nil
		}
		if matches {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: cluster.Name}})
		}
	}
	return requests
}

// Reasons of the events about clusters, as published.
const (
	reasonSucceeded = "TaintClusterSucceed"
	reasonUntainted = "UntaintClusterSucceed"
	reasonFailed    = "TaintClusterFailed"
)

// Reconcile writes the taints of one cluster if policies want others. A cluster that leaves
// keeps those that it has.
func (c *Controller) Reconcile(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	if cluster.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	policies, err := index.List[*policyv1alpha1.ClusterTaintPolicy](ctx, c.Client, &policyv1alpha1.ClusterTaintPolicyList{})
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("list the ClusterTaintPolicies: %w", err)
	}
	now := metav1.NewTime(c.Clock.Now())
	wanted, broken := taint.ByPolicies(cluster, policies, now)
	if broken != nil {
		// The policy has an event; it is no reason to try this cluster again.
		ctrl.LoggerFrom(ctx).V(1).Info("left out policies", "reason", broken.Error())
	}
	if err := c.record(ctx, cluster, taint.Since(wanted, cluster.Status.TaintedSince, now)); err != nil {
		return c.failed(cluster, err)
	}
	if len(wanted) == len(cluster.Spec.Taints) && equality.Semantic.DeepEqual(wanted, cluster.Spec.Taints) {
		return reconcile.Result{}, nil
	}
	before := cluster.DeepCopy()
	cluster.Spec.Taints = wanted
	if err := c.Patch(ctx, cluster, before); err != nil {
		return c.failed(before, err)
	}
	c.Events.Eventf(cluster, nil, corev1.EventTypeNormal, reasonSucceeded, "Taint", "%s", base.Clip("Taint cluster succeed: "+describe(wanted)+".", base.MaxNote))
	if gone := without(before.Spec.Taints, wanted); len(gone) > 0 {
		c.Succeeded(cluster, base.Success{Reason: reasonUntainted, Action: "Taint", Note: "Taken away: %s.", Args: []any{list(gone)}})
	}
	ctrl.LoggerFrom(ctx).Info("changed taints by policies", "taints", wanted)
	return reconcile.Result{}, nil
}

// record writes since when a cluster has its taints, before these are written: from then on no
// other writer of spec.taints can have the time begin again.
func (c *Controller) record(ctx context.Context, cluster *clusterv1alpha1.Cluster, since []clusterv1alpha1.TaintSince) error {
	if equality.Semantic.DeepEqual(since, cluster.Status.TaintedSince) {
		return nil
	}
	before := cluster.DeepCopy()
	cluster.Status.TaintedSince = since
	return c.PatchStatus(ctx, cluster, before)
}

// failed returns the result of a write that failed, with an event unless it is a conflict or
// the cluster is gone.
func (c *Controller) failed(cluster *clusterv1alpha1.Cluster, err error) (reconcile.Result, error) {
	err = client.IgnoreNotFound(fmt.Errorf("write the taints of cluster %s: %w", cluster.Name, err))
	result, err := requeue.OnConflict(reconcile.Result{}, err)
	if err != nil {
		c.Warn(cluster, reasonFailed, "Taint", err)
	}
	return result, err
}
