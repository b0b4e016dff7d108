// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// TaintsOf returns the taints of a cluster with the times from which tolerations count: those of
// its status where it has them, since whoever writes spec.taints writes times too, or none. They
// must not be changed.
func TaintsOf(c *clusterv1alpha1.Cluster) []corev1.Taint {
	if len(c.Status.TaintedSince) == 0 {
		return c.Spec.Taints
	}
	taints := slices.Clone(c.Spec.Taints)
	for i := range taints {
		if at := recordOf(c, &taints[i]); at >= 0 {
			taints[i].TimeAdded = c.Status.TaintedSince[at].Since.DeepCopy()
		}
	}
	return taints
}

// StandingTaints returns TaintsOf a cluster, and those that its status has alone: somebody wrote
// spec.taints without them, and the controller of ClusterTaintPolicies either adds them again, or
// removes them from the status too.
func StandingTaints(c *clusterv1alpha1.Cluster) []corev1.Taint {
	taints := TaintsOf(c)
	for i := range c.Status.TaintedSince {
		r := &c.Status.TaintedSince[i]
		has := func(t corev1.Taint) bool { return t.Key == r.Key && t.Effect == corev1.TaintEffectNoExecute }
		if !slices.ContainsFunc(taints, has) {
			// Appending to the taints of the cluster itself must not write into its memory.
			taints = append(slices.Clip(taints), corev1.Taint{Key: r.Key, Value: r.Value, Effect: corev1.TaintEffectNoExecute, TimeAdded: r.Since.DeepCopy()})
		}
	}
	return taints
}

// recordOf returns the index of what the status of a cluster has of a taint, or -1.
func recordOf(c *clusterv1alpha1.Cluster, t *corev1.Taint) int {
	if t.Effect != corev1.TaintEffectNoExecute {
		return -1
	}
	return slices.IndexFunc(c.Status.TaintedSince, func(r clusterv1alpha1.TaintSince) bool { return r.Key == t.Key && r.Value == t.Value })
}
