// SPDX-License-Identifier: Apache-2.0

// Package taint decides which taints a cluster has: by its readiness, by ClusterTaintPolicies, and
// since when. The controllers of taints and the simulation of a loss call it. It takes values and
// returns values; what time it is goes in.
package taint

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// ByReadiness returns the taints of a cluster as its readiness wants them. A cluster that leaves
// keeps those that it has, as does one in mode Pull, and one that nobody has probed yet. A new taint
// was added when the readiness changed, or now.
func ByReadiness(cluster *clusterv1alpha1.Cluster, now metav1.Time) []corev1.Taint {
	ready := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	if cluster.DeletionTimestamp != nil || cluster.Spec.SyncMode == clusterv1alpha1.Pull || ready == nil {
		return cluster.Spec.Taints
	}
	if since := ready.LastTransitionTime; !since.IsZero() {
		now = since
	}
	return ofReadiness(cluster.Spec.Taints, ready, now)
}

// ofReadiness returns the taints with those of readiness set by the condition: not ready
// while it is False or absent, unreachable while it is Unknown.
func ofReadiness(taints []corev1.Taint, ready *metav1.Condition, now metav1.Time) []corev1.Taint {
	key := clusterv1alpha1.TaintClusterNotReady
	switch {
	case ready != nil && ready.Status == metav1.ConditionTrue:
		key = ""
	case ready != nil && ready.Status == metav1.ConditionUnknown:
		key = clusterv1alpha1.TaintClusterUnreachable
	}
	var wanted []corev1.Taint
	found := false
	for _, t := range taints {
		ours := clusterv1alpha1.IsTaintOfReadiness(t.Key, t.Effect)
		if ours && t.Key != key {
			continue
		}
		found = found || ours
		wanted = append(wanted, t)
	}
	if key != "" && !found {
		wanted = append(wanted, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &now})
	}
	return wanted
}
