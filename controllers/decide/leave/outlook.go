// SPDX-License-Identifier: Apache-2.0

package leave

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Outlook is how many clusters look unhealthy, of all that count.
type Outlook struct{ Unhealthy, All int }

// OutlookOf counts the clusters that do not leave and that somebody has probed. One looks
// unhealthy if it is not ready, or has a NoExecute taint that a ClusterTaintPolicy adds. A
// taint of another key is a person's, who drains the cluster on purpose.
func OutlookOf(clusters []*clusterv1alpha1.Cluster, policies []*policyv1alpha1.ClusterTaintPolicy) Outlook {
	byPolicy := map[string]bool{}
	for _, p := range policies {
		for _, t := range p.Spec.Taints {
			if t.Effect == corev1.TaintEffectNoExecute {
				byPolicy[t.Key] = true
			}
		}
	}
	var o Outlook
	for _, c := range clusters {
		ready := meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
		if c.DeletionTimestamp != nil || ready == nil || ready.Reason == clusterv1alpha1.ReasonNoAgent {
			continue
		}
		o.All++
		if ready.Status != metav1.ConditionTrue || tainted(c, byPolicy) {
			o.Unhealthy++
		}
	}
	return o
}

// tainted reports whether a cluster has a NoExecute taint with one of the keys, be it only in its
// status: that is one which a policy adds again.
func tainted(c *clusterv1alpha1.Cluster, keys map[string]bool) bool {
	for _, t := range binding.StandingTaints(c) {
		if t.Effect == corev1.TaintEffectNoExecute && keys[t.Key] {
			return true
		}
	}
	return false
}

// roundingError is more than a share of a number of clusters is wrong by: 0.57 of 100 is a bit less
// than 57 for a computer. It is far less than a cluster.
const roundingError = 1e-9

// Exceeds reports whether more than a share of the clusters looks unhealthy.
func (o Outlook) Exceeds(share float64) bool {
	return float64(o.Unhealthy) > share*float64(o.All)+roundingError
}
