// SPDX-License-Identifier: Apache-2.0

package failover

import (
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Disrupted returns how many clusters look unhealthy, of how many that somebody has probed,
// and whether that is more than a share of them, so that nothing is evicted.
func Disrupted(clusters []*clusterv1alpha1.Cluster, policies []*policyv1alpha1.ClusterTaintPolicy, share float64) (unhealthy, all int, stops bool) {
	o := outlookOf(clusters, policies)
	return o.unhealthy, o.all, o.exceeds(share)
}
