// SPDX-License-Identifier: Apache-2.0

// Package status keeps the connections to clusters and reports their state.
//
// Reads Clusters and their Secrets, and the members' API servers, ids, nodes and pods. Writes
// the status of Clusters. Asks the engine nothing. Wakes up on Clusters, those that are the same
// cluster as another, and Secrets, on clusters that answer again, and every Period, because no
// watch reports that a cluster is gone. What writes to a member gets its connection once its id
// is that which is recorded, and this control plane holds the Lease of its owner there, which it
// renews.
package status

import (
	"cmp"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Options are the intervals of the controller.
type Options struct {
	// Period is the time between two probes of a cluster; 10 s by default.
	Period time.Duration
	// FailureThreshold and SuccessThreshold are how long a change of readiness must
	// last before it counts; 30 s by default.
	FailureThreshold, SuccessThreshold time.Duration
	// ProbeTimeout is how long a cluster may take to report whether it is ready; 10 s
	// by default.
	ProbeTimeout time.Duration
	// IgnoreResources has nodes and pods not read, so that the status has no sums of them.
	IgnoreResources bool
}

// Controller reconciles Clusters.
type Controller struct {
	base.Deps
	options     Options
	readiness   readiness
	inventories inventories
	ids         ids
	leases      leases
}

// New returns the controller; zero options take their defaults.
func New(d base.Deps, o Options) *Controller {
	o.Period = cmp.Or(o.Period, 10*time.Second)
	o.FailureThreshold = cmp.Or(o.FailureThreshold, 30*time.Second)
	o.SuccessThreshold = cmp.Or(o.SuccessThreshold, 30*time.Second)
	o.ProbeTimeout = cmp.Or(o.ProbeTimeout, 10*time.Second)
	graded := d.Gates == nil || d.Gates.Enabled(features.CustomizedClusterResourceModeling)
	if d.Election == nil && d.Clock != nil {
		d.Election = base.Unelected(d.Clock)
	}
	return &Controller{Deps: d, options: o, inventories: inventories{graded: graded}, leases: leases{
		owner: d.Owner, election: d.Election, clock: d.Clock, duration: leaseDuration(o.Period), timeout: o.ProbeTimeout,
	}}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "cluster.status" }

// clustersAtOnce is how many clusters are probed at once for each worker that the options
// have. One that does not answer keeps its worker until the probe ends; an idle worker takes
// a few kilobytes.
const clustersAtOnce = 100

// Register adds the controller to the manager. Each cluster has a worker of its own, so that
// those that do not answer delay no other.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	changed := predicate.Or(base.GenerationChanged{},
		predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }))
	options := c.Options(mgr, c.Name(), "cluster")
	options.MaxConcurrentReconciles *= clustersAtOnce
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&clusterv1alpha1.Cluster{}, builder.WithPredicates(changed)).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(c.clustersOfSecret)).
		Watches(&clusterv1alpha1.Cluster{}, handler.EnqueueRequestsFromMapFunc(c.namesakes), builder.WithPredicates(idMoved())).
		WatchesRawSource(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			c.Members.ListenRecovered(func(cluster string) {
				queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: cluster}})
			})
			return nil
		})).
		WithOptions(options).
		Complete(c)
}

func (c *Controller) clustersOfSecret(ctx context.Context, o client.Object) []reconcile.Request {
	clusters, err := index.ClustersWithSecret(ctx, c.Client, client.ObjectKeyFromObject(o))
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the clusters of a secret")
	}
	return requeue.Requests(clusters)
}

// Reconcile connects to one cluster and writes its status; it disconnects from one that
// is gone.
func (c *Controller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	cluster := &clusterv1alpha1.Cluster{}
	err := c.Client.Get(ctx, request.NamespacedName, cluster)
	if apierrors.IsNotFound(err) {
		c.forget(ctx, request.Name)
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	return requeue.OnConflict(c.reconcile(ctx, cluster))
}

// reconcile writes the status of a cluster. One that leaves is probed until it has left:
// its Works need the connection, and must know when it is lost.
func (c *Controller) reconcile(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	leaving := cluster.DeletionTimestamp != nil
	if leaving && !controllerutil.ContainsFinalizer(cluster, clusterv1alpha1.ClusterFinalizer) {
		c.forget(ctx, cluster.Name)
		return reconcile.Result{}, nil
	}
	if cluster.Spec.SyncMode == clusterv1alpha1.Pull {
		c.forget(ctx, cluster.Name) // it may have been another mode
		return reconcile.Result{}, c.awaitAgent(ctx, cluster)
	}
	if leaving {
		return reconcile.Result{RequeueAfter: c.retryInterval()}, c.refreshReadiness(ctx, cluster)
	}
	complete, err := c.collectStatus(ctx, cluster)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !complete {
		return reconcile.Result{RequeueAfter: c.retryInterval()}, nil
	}
	return reconcile.Result{RequeueAfter: c.readiness.next(cluster.Name, c.Clock.Now(), c.options)}, nil
}

// leaving returns the options for a cluster that leaves. What it holds is lost to it soon
// if it does not answer, and nobody waits for one that is gone for good.
func (o Options) leaving() Options {
	o.FailureThreshold, o.ProbeTimeout = min(o.FailureThreshold, leavingThreshold), min(o.ProbeTimeout, leavingThreshold)
	return o
}

// leavingThreshold is how long a cluster that leaves must not answer before it counts as
// not ready, and how long it may take to answer.
const leavingThreshold = 3 * time.Second

// retryInterval is the time to the next reconcile while something is under way.
func (c *Controller) retryInterval() time.Duration { return min(time.Second, c.options.Period) }

// forget drops all that is held for a cluster.
func (c *Controller) forget(ctx context.Context, cluster string) {
	c.leases.release(ctx, cluster)
	c.Members.Disconnect(cluster)
	c.inventories.forget(cluster)
	c.readiness.forget(cluster)
	c.ids.forget(cluster)
}
