// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// DefaultUnhealthyShare is the share of unhealthy clusters above which nothing is evicted
// by default: that of the nodes of a zone in Kubernetes' node lifecycle.
const DefaultUnhealthyShare = 0.55

// outlook is how many clusters there are and look unhealthy.
type outlook struct{ unhealthy, all int }

// outlookOf counts the clusters that do not leave and that somebody has probed. One looks
// unhealthy if it is not ready, or has a NoExecute taint that a ClusterTaintPolicy adds. A
// taint of another key is a person's, who drains the cluster on purpose.
func outlookOf(clusters []*clusterv1alpha1.Cluster, policies []*policyv1alpha1.ClusterTaintPolicy) outlook {
	byPolicy := map[string]bool{}
	for _, p := range policies {
		for _, t := range p.Spec.Taints {
			if t.Effect == corev1.TaintEffectNoExecute {
				byPolicy[t.Key] = true
			}
		}
	}
	var o outlook
	for _, c := range clusters {
		ready := meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
		if c.DeletionTimestamp != nil || ready == nil || ready.Reason == clusterv1alpha1.ReasonNoAgent {
			continue
		}
		o.all++
		if ready.Status != metav1.ConditionTrue || tainted(c, byPolicy) {
			o.unhealthy++
		}
	}
	return o
}

// tainted reports whether a cluster has a NoExecute taint with one of the keys.
func tainted(c *clusterv1alpha1.Cluster, keys map[string]bool) bool {
	for _, t := range c.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoExecute && keys[t.Key] {
			return true
		}
	}
	return false
}

// exceeds reports whether more than a share of the clusters looks unhealthy.
func (o outlook) exceeds(share float64) bool { return float64(o.unhealthy) > share*float64(o.all) }

// validateShare returns an error for a share that is none.
func validateShare(share float64) error {
	if share < 0 || share > 1 || math.IsNaN(share) {
		return fmt.Errorf("--unhealthy-cluster-threshold is %v; use a share of all clusters from 0 to 1, such as %v", share, DefaultUnhealthyShare)
	}
	return nil
}
