// SPDX-License-Identifier: Apache-2.0

package taint

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// Since returns since when a cluster has the NoExecute taints that it is to have, sorted by key:
// as its status has it, or else as the taint does, or else since now.
func Since(taints []corev1.Taint, known []clusterv1alpha1.TaintSince, now metav1.Time) []clusterv1alpha1.TaintSince {
	var all []clusterv1alpha1.TaintSince
	for i := range taints {
		t := &taints[i]
		is := func(s clusterv1alpha1.TaintSince) bool { return s.Key == t.Key }
		if t.Effect != corev1.TaintEffectNoExecute || slices.ContainsFunc(all, is) {
			continue
		}
		all = append(all, clusterv1alpha1.TaintSince{Key: t.Key, Value: t.Value, Since: *sinceOf(t, known, now)})
	}
	slices.SortFunc(all, func(a, b clusterv1alpha1.TaintSince) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// sinceOf returns since when a cluster has a NoExecute taint.
func sinceOf(t *corev1.Taint, known []clusterv1alpha1.TaintSince, now metav1.Time) *metav1.Time {
	for i := range known {
		if known[i].Key == t.Key && known[i].Value == t.Value {
			return known[i].Since.DeepCopy()
		}
	}
	if t.TimeAdded != nil {
		return t.TimeAdded.DeepCopy()
	}
	return now.DeepCopy()
}
