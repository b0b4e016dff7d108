// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// FencedTaint is the key of the taint by which a person confirms that nothing runs in a
// cluster any more: what the cluster was evicted from Directly may run elsewhere.
const FencedTaint = "failover.dragoman.io/fenced"

// IsFenced reports whether somebody confirmed that nothing runs in a cluster.
func IsFenced(c *clusterv1alpha1.Cluster) bool {
	return slices.ContainsFunc(c.Spec.Taints, func(t corev1.Taint) bool { return t.Key == FencedTaint })
}
