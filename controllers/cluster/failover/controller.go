// SPDX-License-Identifier: Apache-2.0

// Package failover evicts what runs in a cluster with a NoExecute taint that it does not
// tolerate, one binding after the other and at a pace of the whole control plane.
//
// Reads Clusters, bindings of both kinds, Works for reports that a binding does not have yet,
// ClusterTaintPolicies, and templates for the script that names the state. Writes spec.clusters and gracefulEvictionTasks of bindings with the
// state that a copy left behind, the time of NoExecute taints that have none, and the
// condition EvictionsStopped of Clusters. Asks the engine for state. Wakes up on Clusters
// whose taints or readiness changed, and on bindings in clusters with such taints.
package failover

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/leave"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Options are how clusters are left. The zero value evicts nothing.
type Options struct {
	// Evict has bindings leave clusters with NoExecute taints. Without it, evictions that
	// began before are still taken back where the taint is gone.
	Evict bool
	// PurgeMode is for bindings whose policy has no spec.failover.cluster: Gracefully, which
	// the empty value means, or Directly.
	PurgeMode policyv1alpha1.PurgeMode
	// Rate is how many evictions there are in a second, in all of the control plane; 0 means
	// none.
	Rate float64
	// UnhealthyShare is the share of the clusters, from 0 to 1, above which nothing is
	// evicted while more look unhealthy.
	UnhealthyShare float64
}

// DefaultOptions are the published defaults, and our own for the share.
func DefaultOptions() Options {
	return Options{PurgeMode: policyv1alpha1.PurgeModeGracefully, Rate: DefaultRate, UnhealthyShare: DefaultUnhealthyShare}
}

// Validate returns what is wrong with the options, by the names of the flags.
func (o Options) Validate() error {
	var mode error
	switch o.PurgeMode.Canonical() {
	case "", policyv1alpha1.PurgeModeGracefully, policyv1alpha1.PurgeModeDirectly:
	default:
		mode = fmt.Errorf("--no-execute-taint-eviction-purge-mode is %q; use Gracefully or Directly", o.PurgeMode)
	}
	return errors.Join(mode, validateRate(o.Rate), validateShare(o.UnhealthyShare))
}

// Controller evicts. All that it keeps in memory is derived from Clusters and bindings, but
// for the time of the last eviction. It reconciles one request at a time.
type Controller struct {
	base.Deps
	options Options
	metrics *metrics

	pace    *leave.Pace
	waiting leave.Queue
	loaded  bool
	// enqueue has a request looked at.
	enqueue func(request)

	mu sync.Mutex
	// tainted are the clusters with a NoExecute taint; its lock is for the event handlers.
	tainted map[string]bool
}

// New returns the controller.
func New(d base.Deps, o Options) *Controller {
	if o.PurgeMode == "" {
		o.PurgeMode = policyv1alpha1.PurgeModeGracefully
	}
	return &Controller{Deps: d, options: o, metrics: newMetrics(), enqueue: func(request) {}, tainted: map[string]bool{}}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "cluster.failover" }

// evicts reports whether bindings leave clusters.
func (c *Controller) evicts() bool { return c.options.Evict && c.Gates.Enabled(features.Failover) }

// subject is what a request is about.
type subject int

const (
	// aboutNext is the next eviction.
	aboutNext subject = iota
	// aboutCluster is a Cluster whose taints changed, and what is or was there.
	aboutCluster
	// aboutBinding is a binding of either kind.
	aboutBinding
)

// request is one thing to look at.
type request struct {
	subject subject
	types.NamespacedName
}

// tenant is the namespace of the binding.
func (r request) tenant() string { return r.Namespace }

// String returns the name of a request for the log.
func (r request) String() string {
	switch {
	case r.subject == aboutNext:
		return "next"
	case r.subject == aboutCluster || r.Namespace == "":
		return r.Name
	}
	return r.NamespacedName.String()
}

// Reconcile decides which bindings leave a cluster, or whether one leaves, or has the next
// one leave.
func (c *Controller) Reconcile(ctx context.Context, r request) (reconcile.Result, error) {
	if err := c.load(ctx); err != nil {
		return reconcile.Result{}, err
	}
	var err error
	switch r.subject {
	case aboutCluster:
		err = c.lookAtCluster(ctx, r.Name)
	case aboutBinding:
		err = c.lookAtBinding(ctx, r.NamespacedName)
	case aboutNext:
		return requeue.OnConflict(c.next(ctx))
	}
	c.enqueue(request{})
	return requeue.OnConflict(reconcile.Result{}, err)
}

// load looks at all clusters with taints, once: what waits is known before the first
// eviction, so that a restart changes no order. A cluster of which something fails is looked at
// again by a request of its own, and the others are left meanwhile.
func (c *Controller) load(ctx context.Context) error {
	if c.loaded {
		return nil
	}
	if c.pace == nil {
		// As nobody knows what was evicted before now, the first one waits for an interval too: a
		// program that restarts again and again evicts no faster.
		c.pace = leave.NewPace(c.options.Rate, c.Clock.Now().Add(leave.Interval(c.options.Rate)))
	}
	clusters, err := c.clusters(ctx)
	if err != nil {
		return err
	}
	for _, cluster := range clusters {
		if !hasNoExecute(cluster) {
			continue
		}
		if err := c.lookAtCluster(ctx, cluster.Name); err != nil {
			ctrl.LoggerFrom(ctx).Info("could not look at all of a tainted cluster, and tries again", "cluster", cluster.Name, "reason", err.Error())
			c.enqueue(request{subject: aboutCluster, NamespacedName: types.NamespacedName{Name: cluster.Name}})
		}
	}
	c.loaded = true
	return nil
}

// lookAtCluster decides about all bindings that are in a cluster or leave it. A NoExecute
// taint without a time gets one first, since tolerations count from it; while that fails, it was
// added now.
func (c *Controller) lookAtCluster(ctx context.Context, name string) error {
	cluster, err := c.cluster(ctx, name)
	if err != nil {
		return err
	}
	c.mark(name, cluster != nil && hasNoExecute(cluster))
	var failed []error
	if cluster != nil && c.evicts() {
		failed = append(failed, c.stamp(ctx, cluster))
	}
	all, err := index.BindingsOfCluster(ctx, c.Client, name)
	failed = append(failed, err)
	for _, b := range all {
		failed = append(failed, c.consider(ctx, b))
	}
	return errors.Join(failed...)
}

// lookAtBinding decides about one binding.
func (c *Controller) lookAtBinding(ctx context.Context, key types.NamespacedName) error {
	b := scope.EmptyBinding(key.Namespace, key.Name)
	err := c.Client.Get(ctx, key, b)
	if apierrors.IsNotFound(err) {
		c.waiting.Remove(key)
		return nil
	}
	if err != nil {
		return err
	}
	return c.consider(ctx, b)
}

// consider takes back evictions of a binding whose taint is gone, and notes when it leaves
// clusters, which it does too where the former fails. The binding is not changed.
func (c *Controller) consider(ctx context.Context, b workv1alpha2.Binding) error {
	var failed error
	if binding.LeavesTainted(b.GetSpec()) && b.GetDeletionTimestamp() == nil {
		failed = c.revert(ctx, b)
	}
	return errors.Join(failed, c.note(ctx, b))
}

// note makes a binding wait for its turn, or not any more.
func (c *Controller) note(ctx context.Context, b workv1alpha2.Binding) error {
	d, leaves, err := c.departure(ctx, b)
	switch {
	case err != nil:
		return err
	case leaves:
		c.waiting.Set(d)
	default:
		c.waiting.Remove(client.ObjectKeyFromObject(b))
	}
	return nil
}

// departure returns which clusters a binding leaves, and when.
func (c *Controller) departure(ctx context.Context, b workv1alpha2.Binding) (leave.Departure, bool, error) {
	if !c.evicts() {
		return leave.Departure{}, false, nil
	}
	var failed error
	d, leaves := leave.Of(b, func(name string) []corev1.Taint {
		cluster, err := c.cluster(ctx, name)
		failed = errors.Join(failed, err)
		return leave.Taints(cluster)
	}, c.Clock.Now())
	return d, leaves, failed
}

// revert has a binding return to clusters whose taint is gone in time.
func (c *Controller) revert(ctx context.Context, b workv1alpha2.Binding) error {
	var failed error
	changed := b.DeepCopyObject().(workv1alpha2.Binding)
	back, err := binding.RevertTainted(changed, func(name string) bool {
		cluster, err := c.cluster(ctx, name)
		failed = errors.Join(failed, err)
		return err == nil && placement.Fits(b.GetSpec(), b.GetStatus(), cluster) && !binding.Leaves(b.GetSpec(), binding.StandingTaints(cluster))
	})
	if err := errors.Join(err, failed); err != nil || len(back) == 0 {
		return err
	}
	c.Trail.Urgent(requeue.AboutBinding(client.ObjectKeyFromObject(b)))
	if err := c.Patch(ctx, changed, b); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("take back the eviction of binding %s: %w", client.ObjectKeyFromObject(b), err))
	}
	for _, name := range back {
		c.Events.Eventf(changed, nil, corev1.EventTypeNormal, "EvictWorkloadFromClusterReverted", "Failover",
			"The taint of cluster %s is gone before another copy was healthy; the copy there stays.", name)
	}
	ctrl.LoggerFrom(ctx).Info("reverted evictions, since the taints are gone", "binding", client.ObjectKeyFromObject(b), "clusters", back)
	c.metrics.reverted.Add(float64(len(back)))
	return nil
}

// next evicts the next binding that is due, unless evictions are stopped, and writes the condition
// that says whether they are. It returns when to look again. A condition that cannot be written
// stops nothing: it is written with the next turn, or a little later.
func (c *Controller) next(ctx context.Context) (reconcile.Result, error) {
	now := c.Clock.Now()
	clusters, stopped, err := c.outlook(ctx, now)
	if err != nil {
		return reconcile.Result{}, err
	}
	unwritten := c.report(ctx, now, clusters, stopped)
	result, err := c.turn(ctx, now, stopped != nil)
	if err != nil || unwritten == nil {
		return result, errors.Join(unwritten, err)
	}
	again := reportRetry
	if apierrors.IsConflict(unwritten) {
		again = requeue.Lag
	} else {
		ctrl.LoggerFrom(ctx).Info("could not report whether evictions stop, and tries again", "reason", unwritten.Error())
	}
	if result.RequeueAfter == 0 || result.RequeueAfter > again {
		result.RequeueAfter = again
	}
	return result, nil
}

// turn evicts the next binding that is due, unless evictions are stopped, and returns when to look
// again.
func (c *Controller) turn(ctx context.Context, now time.Time, stops bool) (reconcile.Result, error) {
	turn, found, wait := c.waiting.Next(now)
	switch {
	case !found:
		return reconcile.Result{RequeueAfter: wait}, nil
	case stops: // until more is due, an event of a cluster, or a restart with another rate
		_, _, more := c.waiting.DueNow(now)
		return reconcile.Result{RequeueAfter: more}, nil
	}
	if wait := c.pace.Wait(now); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	if err := c.leave(ctx, turn.Key); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: max(c.pace.Wait(c.Clock.Now()), time.Millisecond)}, nil
}

// cluster reads a Cluster, which must not be changed; nil where there is none.
func (c *Controller) cluster(ctx context.Context, name string) (*clusterv1alpha1.Cluster, error) {
	cluster := &clusterv1alpha1.Cluster{}
	err := c.Client.Get(ctx, types.NamespacedName{Name: name}, cluster, client.UnsafeDisableDeepCopy)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // none is an answer
	}
	return cluster, err
}
