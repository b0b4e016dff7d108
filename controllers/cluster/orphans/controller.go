// SPDX-License-Identifier: Apache-2.0

// Package orphans finds what an earlier membership left in a cluster, and deletes it for a
// person who asks for that.
//
// Reads Clusters, Works, bindings, and the metadata of the managed objects of a member. An
// orphan is an object that this control plane wrote for a Work that is gone, and that no
// binding wants there. Writes the condition OrphansFound of Clusters; the controller deletes
// nothing, since that a store does not know an object is no decision of anybody. Asks the
// engine nothing. Wakes up on Clusters that become ready, once for each membership, and on the
// Works of orphans, which are none then.
package orphans

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

const (
	// Condition is the type of the condition that a Cluster has once it was looked through:
	// True where orphans were found. Whoever removes it has the cluster looked through again.
	Condition = "OrphansFound"
	// formerCondition was written when the controller deleted what it found.
	formerCondition = "OrphansDeleted"
	// Grace is how long a cluster is ready before it is looked through, for what is wanted
	// there again to be scheduled, and the least time between two looks.
	Grace = 2 * time.Minute
)

// Controller reconciles Clusters.
type Controller struct {
	base.Deps
	awaited awaited
}

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "cluster.orphans" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&clusterv1alpha1.Cluster{}).
		Watches(&workv1alpha1.Work{}, c.awaited.onWork()).
		WithOptions(c.Options(mgr, c.Name(), "cluster")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// Reconcile looks one cluster through, if that was not done since it joined or what was found
// has changed.
func (c *Controller) Reconcile(ctx context.Context, cluster *clusterv1alpha1.Cluster) (reconcile.Result, error) {
	if cluster.DeletionTimestamp != nil {
		c.awaited.forget(cluster.Name)
		return reconcile.Result{}, nil
	}
	ready := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	if c.Owner == "" || cluster.Spec.SyncMode == clusterv1alpha1.Pull || ready == nil || ready.Status != metav1.ConditionTrue {
		return reconcile.Result{}, nil
	}
	now := c.Clock.Now()
	if before := meta.FindStatusCondition(cluster.Status.Conditions, Condition); before != nil {
		if before.Status != metav1.ConditionTrue {
			return reconcile.Result{}, nil
		}
		if due, wait := c.awaited.isDue(cluster.Name, now); !due {
			return reconcile.Result{RequeueAfter: wait}, nil
		}
	}
	if wait := ready.LastTransitionTime.Add(Grace).Sub(now); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	m, ok := c.Members.Get(cluster.Name)
	if !ok || m.Unavailable() != nil {
		return reconcile.Result{RequeueAfter: Grace}, nil
	}
	found, err := c.find(ctx, m, now)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("look through cluster %s: %w", cluster.Name, err)
	}
	return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(c.write(ctx, cluster, found)))
}

// find looks a member through.
func (c *Controller) find(ctx context.Context, m *member.Member, now time.Time) (Found, error) {
	c.awaited.begin(m.Name, now)
	f := &Finder{Owner: c.Owner, hub: c.Client, member: m}
	found, err := f.Find(ctx)
	if err == nil {
		c.awaited.end(m.Name, found.Orphans)
	}
	return found, err
}

// write writes the condition, with an event if orphans were found that were not there before.
func (c *Controller) write(ctx context.Context, cluster *clusterv1alpha1.Cluster, found Found) error {
	before := cluster.DeepCopy()
	condition := conditionOf(cluster.Name, found)
	condition.ObservedGeneration = cluster.Generation
	removed := meta.RemoveStatusCondition(&cluster.Status.Conditions, formerCondition)
	if changed := meta.SetStatusCondition(&cluster.Status.Conditions, condition); !changed && !removed {
		return nil
	}
	if err := c.PatchStatus(ctx, cluster, before); err != nil {
		c.awaited.forget(cluster.Name) // so that it is counted again
		return err
	}
	if condition.Status == metav1.ConditionTrue && !meta.IsStatusConditionTrue(before.Status.Conditions, Condition) {
		c.Warn(cluster, Condition, "Count", errors.New(condition.Message))
		ctrl.LoggerFrom(ctx).Info("found objects of an earlier membership", "objects", len(found.Orphans))
	}
	return nil
}
