// SPDX-License-Identifier: Apache-2.0

// Package taints keeps new work away from clusters that are not ready.
//
// Reads Clusters and their Ready condition. Writes the taints of readiness among
// spec.taints. Asks the engine nothing. Wakes up on Clusters whose spec or readiness
// changed.
package taints

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/taint"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Controller reconciles Clusters.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "cluster.taints" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	readinessChanged := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := ready(e.ObjectOld), ready(e.ObjectNew)
		return (before == nil) != (after == nil) || (before != nil && before.Status != after.Status)
	}}
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&clusterv1alpha1.Cluster{}, builder.WithPredicates(predicate.Or(base.GenerationChanged{}, readinessChanged))).
		WithOptions(c.Options(mgr, c.Name(), "cluster")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// Reconcile writes the taints of one cluster if they changed. A cluster that leaves keeps
// those that it has, as does one in mode Pull, and one that nobody has probed yet.
func (c *Controller) Reconcile(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	wanted := taint.ByReadiness(cluster, metav1.NewTime(c.Clock.Now()))
	if len(wanted) == len(cluster.Spec.Taints) && equality.Semantic.DeepEqual(wanted, cluster.Spec.Taints) {
		return reconcile.Result{}, nil
	}
	before := cluster.DeepCopy()
	cluster.Spec.Taints = wanted
	if err := c.Patch(ctx, cluster, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("write the taints of cluster %s: %w", cluster.Name, err)))
	}
	ctrl.LoggerFrom(ctx).Info("changed taints", "taints", wanted)
	return reconcile.Result{}, nil
}

// ready returns the Ready condition of a Cluster, or nil.
func ready(o client.Object) *metav1.Condition {
	return meta.FindStatusCondition(o.(*clusterv1alpha1.Cluster).Status.Conditions, clusterv1alpha1.ClusterConditionReady)
}
