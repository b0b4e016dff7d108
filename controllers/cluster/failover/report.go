// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/leave"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// Reasons of the condition EvictionsStopped.
const (
	// ReasonClustersUnhealthy means that too many clusters look unhealthy at once.
	ReasonClustersUnhealthy = "ClustersUnhealthy"
	// ReasonRateIsZero means that the control plane runs with --resource-eviction-rate=0.
	ReasonRateIsZero = "RateIsZero"
)

// reportRetry is after which time a report that could not be written is tried again, where no
// eviction is due before.
const reportRetry = 10 * time.Second

// outlook returns the clusters, and why nothing may be evicted from them; nil where it may be.
func (c *Controller) outlook(ctx context.Context, now time.Time) ([]*clusterv1alpha1.Cluster, *metav1.Condition, error) {
	clusters, err := c.clusters(ctx)
	if err != nil {
		return nil, nil, err
	}
	policies, err := index.List[*policyv1alpha1.ClusterTaintPolicy](ctx, c.Client, &policyv1alpha1.ClusterTaintPolicyList{})
	if err != nil {
		return nil, nil, fmt.Errorf("list the ClusterTaintPolicies: %w", err)
	}
	o := leave.OutlookOf(clusters, policies)
	stopped := c.stopped(o)
	count, _, _ := c.waiting.DueNow(now)
	c.metrics.observe(o, count, stopped)
	return clusters, stopped, nil
}

// report writes why nothing is evicted, or that it is again, to the clusters that bindings
// wait to leave.
func (c *Controller) report(ctx context.Context, now time.Time, clusters []*clusterv1alpha1.Cluster, stopped *metav1.Condition) error {
	_, left, _ := c.waiting.DueNow(now)
	var failed []error
	for _, cluster := range clusters {
		var wanted *metav1.Condition
		if left[cluster.Name] {
			wanted = stopped
		}
		failed = append(failed, c.write(ctx, cluster, wanted))
	}
	return errors.Join(failed...)
}

// stopped returns the condition EvictionsStopped if nothing may be evicted.
func (c *Controller) stopped(o leave.Outlook) *metav1.Condition {
	condition := &metav1.Condition{Type: clusterv1alpha1.ClusterConditionEvictionsStopped, Status: metav1.ConditionTrue}
	switch {
	case !c.evicts():
		return nil
	case c.pace.Stopped():
		condition.Reason = ReasonRateIsZero
		condition.Message = "nothing is evicted from this cluster, since the control plane runs with --resource-eviction-rate=0"
	case o.Exceeds(c.options.UnhealthyShare):
		condition.Reason = ReasonClustersUnhealthy
		condition.Message = fmt.Sprintf("nothing is evicted from this cluster, since %d of %d clusters look unhealthy, more than --unhealthy-cluster-threshold=%v allows; "+
			"look at the network of the control plane first", o.Unhealthy, o.All, c.options.UnhealthyShare)
	default:
		return nil
	}
	return condition
}

// write sets or removes the condition of a cluster, which is not changed, with an event when
// it begins and ends.
func (c *Controller) write(ctx context.Context, cluster *clusterv1alpha1.Cluster, wanted *metav1.Condition) error {
	old := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionEvictionsStopped)
	if old == nil && wanted == nil || old != nil && wanted != nil && old.Reason == wanted.Reason && old.Message == wanted.Message {
		return nil
	}
	changed := cluster.DeepCopy()
	if wanted == nil {
		meta.RemoveStatusCondition(&changed.Status.Conditions, clusterv1alpha1.ClusterConditionEvictionsStopped)
	} else {
		wanted.LastTransitionTime = metav1.NewTime(c.Clock.Now())
		meta.SetStatusCondition(&changed.Status.Conditions, *wanted)
	}
	if err := c.PatchStatus(ctx, changed, cluster); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("write the condition %s of cluster %s: %w", clusterv1alpha1.ClusterConditionEvictionsStopped, cluster.Name, err))
	}
	switch {
	case wanted == nil:
		c.Events.Eventf(changed, nil, corev1.EventTypeNormal, "EvictionsResumed", "Failover", "Nothing stops the evictions from this cluster any more.")
	case old == nil || old.Reason != wanted.Reason:
		c.Warn(changed, "EvictionsStopped", "Failover", errors.New(wanted.Message))
	}
	ctrl.LoggerFrom(ctx).Info("changed whether evictions are stopped", "cluster", cluster.Name, "stopped", wanted != nil)
	return nil
}

// clusters lists all Clusters; they must not be changed.
func (c *Controller) clusters(ctx context.Context) ([]*clusterv1alpha1.Cluster, error) {
	clusters, err := index.List[*clusterv1alpha1.Cluster](ctx, c.Client, &clusterv1alpha1.ClusterList{})
	if err != nil {
		return nil, fmt.Errorf("list the clusters: %w", err)
	}
	return clusters, nil
}
