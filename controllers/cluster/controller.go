// SPDX-License-Identifier: Apache-2.0

// Package cluster brings member clusters in, watches over them and lets them go.
//
// Reads Cluster objects and their Secrets, and the members' API servers. Writes
// Cluster status and taints, the finalizer, and the execution namespace. Asks the
// engine nothing. Wakes up on Cluster and Secret events, and every Period, because
// nothing can be watched that tells that a cluster is gone.
package cluster

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Options are the times that the controller goes by.
type Options struct {
	// Period is the time between two looks at a cluster; 10 s by default.
	Period time.Duration
	// FailureThreshold and SuccessThreshold are how long a change of readiness must
	// last before it is believed; 30 s by default.
	FailureThreshold, SuccessThreshold time.Duration
	// ProbeTimeout is how long a cluster may take to say whether it is ready; 10 s by
	// default.
	ProbeTimeout time.Duration
}

// Controller reconciles Cluster objects.
type Controller struct {
	client  client.Client
	members *member.Registry
	clock   clock.PassiveClock
	options Options

	readiness   readiness
	inventories inventories
}

// New returns the controller; zero options take their defaults.
func New(c client.Client, members *member.Registry, clk clock.PassiveClock, options Options) *Controller {
	if options.Period == 0 {
		options.Period = 10 * time.Second
	}
	if options.FailureThreshold == 0 {
		options.FailureThreshold = 30 * time.Second
	}
	if options.SuccessThreshold == 0 {
		options.SuccessThreshold = 30 * time.Second
	}
	if options.ProbeTimeout == 0 {
		options.ProbeTimeout = 10 * time.Second
	}
	return &Controller{client: c, members: members, clock: clk, options: options}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "cluster" }

// Register adds the controller to the manager. Clusters are looked at side by side,
// since one that does not answer takes its time.
func (c *Controller) Register(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&clusterv1alpha1.Cluster{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, deletionBegan()))).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(c.clustersOfSecret)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 10}).
		WithLogConstructor(base.For(mgr, c.Name(), "cluster")).
		Complete(reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			cluster := &clusterv1alpha1.Cluster{}
			err := c.client.Get(ctx, request.NamespacedName, cluster)
			if apierrors.IsNotFound(err) {
				c.forget(request.Name) // also where somebody took the finalizer away
				return reconcile.Result{}, nil
			}
			if err != nil {
				return reconcile.Result{}, err
			}
			return c.Reconcile(ctx, cluster)
		}))
}

func deletionBegan() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetDeletionTimestamp() != nil })
}

func (c *Controller) clustersOfSecret(ctx context.Context, o client.Object) []reconcile.Request {
	clusters, err := index.ClustersWithSecret(ctx, c.client, client.ObjectKeyFromObject(o))
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "read clusters of secret")
	}
	requests := make([]reconcile.Request, 0, len(clusters))
	for _, name := range clusters {
		requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
	}
	return requests
}

// Reconcile joins, looks after, or lets go of one cluster.
func (c *Controller) Reconcile(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	return requeue.OnConflict(c.reconcile(ctx, cluster))
}

func (c *Controller) reconcile(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	if cluster.DeletionTimestamp != nil {
		return c.leave(ctx, cluster)
	}
	if err := c.join(ctx, cluster); err != nil {
		return reconcile.Result{}, err
	}
	if cluster.Spec.SyncMode == clusterv1alpha1.Pull {
		return reconcile.Result{}, nil
	}
	settled, err := c.collectStatus(ctx, cluster)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := c.taint(ctx, cluster); err != nil {
		return reconcile.Result{}, err
	}
	if !settled {
		return reconcile.Result{RequeueAfter: c.retryInterval()}, nil
	}
	return reconcile.Result{RequeueAfter: c.options.Period}, nil
}

// retryInterval is the time to the next look at something that is under way.
func (c *Controller) retryInterval() time.Duration { return min(time.Second, c.options.Period) }

// forget drops all that is held for a cluster.
func (c *Controller) forget(cluster string) {
	c.members.Disconnect(cluster)
	c.inventories.forget(cluster)
	c.readiness.forget(cluster)
}

// join returns the cluster its finalizer, and then its execution namespace, which the
// finalizer is for.
func (c *Controller) join(ctx context.Context, cluster *clusterv1alpha1.Cluster) error {
	base := cluster.DeepCopy()
	if controllerutil.AddFinalizer(cluster, clusterv1alpha1.ClusterFinalizer) {
		if err := c.client.Patch(ctx, cluster, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})); err != nil {
			return fmt.Errorf("add the finalizer to cluster %s: %w", cluster.Name, err)
		}
	}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(cluster.Name)}}
	_, err := controllerutil.CreateOrPatch(ctx, c.client, space, func() error {
		metav1.SetMetaDataLabel(&space.ObjectMeta, workv1alpha2.SystemLabel, workv1alpha2.SystemLabelValue)
		return nil
	})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the execution namespace of cluster %s: %w", cluster.Name, err)
	}
	return nil
}

// leave ends the execution namespace, and with it the Works and what they made;
// then waits until no binding names the cluster. The cluster is looked at all the
// while: the Works need the connection, and must know when it is lost.
func (c *Controller) leave(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(cluster, clusterv1alpha1.ClusterFinalizer) {
		return reconcile.Result{}, nil
	}
	left, err := c.release(ctx, cluster.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	space := &corev1.Namespace{}
	err = c.client.Get(ctx, types.NamespacedName{Name: names.ExecutionSpace(cluster.Name)}, space)
	if err == nil && space.DeletionTimestamp == nil {
		err = c.client.Delete(ctx, space)
	}
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("delete the execution namespace of cluster %s: %w", cluster.Name, err)
	}
	if err == nil {
		if cluster.Spec.SyncMode == clusterv1alpha1.Push {
			err = c.refreshReadiness(ctx, cluster)
		}
		return reconcile.Result{RequeueAfter: c.retryInterval()}, err
	}
	if !left {
		return reconcile.Result{RequeueAfter: c.retryInterval()}, nil // as long as the cache still names it
	}
	c.forget(cluster.Name)
	base := cluster.DeepCopy()
	controllerutil.RemoveFinalizer(cluster, clusterv1alpha1.ClusterFinalizer)
	err = c.client.Patch(ctx, cluster, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
	return reconcile.Result{}, client.IgnoreNotFound(err)
}
