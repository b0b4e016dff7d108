// SPDX-License-Identifier: Apache-2.0

// Package lifecycle lets clusters join and leave.
//
// Reads Clusters, and the bindings of those that leave. Writes the finalizer of
// Clusters, their execution namespaces, and takes a cluster that leaves out of its
// bindings. Asks the engine nothing. Wakes up on Clusters, on execution namespaces that are
// gone or not protected, and while a cluster leaves every second.
package lifecycle

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// retryInterval is the time between two reconciles of a cluster that leaves.
const retryInterval = time.Second

// Controller reconciles Clusters.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "cluster.lifecycle" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	changed := predicate.Or(base.GenerationChanged{},
		predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }))
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&clusterv1alpha1.Cluster{}, builder.WithPredicates(changed)).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(clusterOfSpace), builder.WithPredicates(predicate.NewPredicateFuncs(unprotected))).
		WithOptions(c.Options(mgr, c.Name(), "cluster")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// Reconcile lets one cluster join, or leave once it is deleted.
func (c *Controller) Reconcile(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	if cluster.DeletionTimestamp != nil {
		return requeue.OnConflict(c.leave(ctx, cluster))
	}
	return requeue.OnConflict(reconcile.Result{}, c.join(ctx, cluster))
}

// join adds the finalizer to the cluster, and then creates its execution namespace, which
// the finalizer is for.
func (c *Controller) join(ctx context.Context, cluster *clusterv1alpha1.Cluster) error {
	before := cluster.DeepCopy()
	if controllerutil.AddFinalizer(cluster, clusterv1alpha1.ClusterFinalizer) {
		if err := c.Patch(ctx, cluster, before); err != nil {
			return fmt.Errorf("add the finalizer to cluster %s: %w", cluster.Name, err)
		}
	}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(cluster.Name)}}
	_, err := controllerutil.CreateOrPatch(ctx, c.Client, space, func() error {
		base.SetLabel(space, workv1alpha2.SystemLabel, workv1alpha2.SystemLabelValue)
		base.SetLabel(space, policyv1alpha1.DeletionProtectedLabel, policyv1alpha1.DeletionProtectedAlways)
		return nil
	})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create the execution namespace of cluster %s: %w", cluster.Name, err)
	}
	return nil
}

// leave takes the cluster out of its bindings and deletes its execution namespace, and
// with it the Works and what they applied. Once the namespace is gone and no binding
// names the cluster, it removes the finalizer.
func (c *Controller) leave(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(cluster, clusterv1alpha1.ClusterFinalizer) {
		return reconcile.Result{}, nil
	}
	released, err := c.release(ctx, cluster.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	ended, err := c.endSpace(ctx, cluster)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !ended || !released { // released is false also as long as the cache names the cluster
		return reconcile.Result{RequeueAfter: retryInterval}, nil
	}
	before := cluster.DeepCopy()
	controllerutil.RemoveFinalizer(cluster, clusterv1alpha1.ClusterFinalizer)
	return reconcile.Result{}, client.IgnoreNotFound(c.Patch(ctx, cluster, before))
}

// clusterOfSpace enqueues the cluster of an execution namespace.
func clusterOfSpace(_ context.Context, o client.Object) []reconcile.Request {
	cluster, ok := names.Cluster(o.GetName())
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: cluster}}}
}

// unprotected lets the events of namespaces through that are execution namespaces, unless
// they are as they should be. The deletion of one removes what it sent to its member, so
// it comes back, and all that with it.
func unprotected(o client.Object) bool {
	_, isSpace := names.Cluster(o.GetName())
	return isSpace && (o.GetDeletionTimestamp() != nil || o.GetLabels()[policyv1alpha1.DeletionProtectedLabel] != policyv1alpha1.DeletionProtectedAlways)
}

// endSpace deletes the execution namespace of a cluster, and reports whether it is gone.
func (c *Controller) endSpace(ctx context.Context, cluster *clusterv1alpha1.Cluster) (bool, error) {
	space := &corev1.Namespace{}
	err := c.Client.Get(ctx, types.NamespacedName{Name: names.ExecutionSpace(cluster.Name)}, space)
	if err == nil && space.DeletionTimestamp == nil {
		err = c.deleteSpace(ctx, space)
	}
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("delete the execution namespace of cluster %s: %w", cluster.Name, err)
	}
	return apierrors.IsNotFound(err), nil
}

// deleteSpace deletes an execution namespace, which no one else may delete.
func (c *Controller) deleteSpace(ctx context.Context, space *corev1.Namespace) error {
	if _, protected := space.Labels[policyv1alpha1.DeletionProtectedLabel]; protected {
		before := space.DeepCopy()
		delete(space.Labels, policyv1alpha1.DeletionProtectedLabel)
		if err := c.Patch(ctx, space, before); err != nil {
			return err
		}
	}
	return c.Client.Delete(ctx, space)
}
