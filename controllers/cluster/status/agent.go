// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// awaitAgent reports that no agent serves a cluster in mode Pull, until one has written whether the cluster
// is ready: all that is reported of it afterwards is the agent's. What was probed while the cluster had
// the mode Push is no agent's: it is of an earlier generation. Published agents write none.
func (c *Controller) awaitAgent(ctx context.Context, cluster *clusterv1alpha1.Cluster) error {
	ready := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	probed := ready != nil && ready.Reason != clusterv1alpha1.ReasonNoAgent && ready.ObservedGeneration != 0 && ready.ObservedGeneration < cluster.Generation
	if cluster.DeletionTimestamp != nil || ready != nil && !probed {
		return nil
	}
	const message = "spec.syncMode is Pull, so an agent in the cluster has to carry out its Works and report, and none has; " +
		"Dragoman has no agent: use Push, by spec.proxyURL where the cluster cannot be reached directly"
	status := cluster.Status.DeepCopy()
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{
		Type: clusterv1alpha1.ClusterConditionReady, Status: metav1.ConditionUnknown, Reason: clusterv1alpha1.ReasonNoAgent,
		Message: message, ObservedGeneration: cluster.Generation, LastTransitionTime: metav1.NewTime(c.Clock.Now()),
	})
	if err := c.write(ctx, cluster, status); err != nil {
		return err
	}
	c.Warn(cluster, clusterv1alpha1.ReasonNoAgent, "Probe", errors.New(message))
	return nil
}
