// SPDX-License-Identifier: Apache-2.0

package taint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

func TestSince(t *testing.T) {
	taint := func(key, value string, at *metav1.Time) corev1.Taint {
		return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffectNoExecute, TimeAdded: at}
	}
	record := func(key, value string, at metav1.Time) clusterv1alpha1.TaintSince {
		return clusterv1alpha1.TaintSince{Key: key, Value: value, Since: at}
	}
	type records = []clusterv1alpha1.TaintSince
	for _, tc := range []struct {
		reason      string
		taints      []corev1.Taint
		known, want records
	}{
		{"no taints", nil, records{record("down", "", earlier)}, nil},
		{"other effects have no time", []corev1.Taint{{Key: "down", Effect: corev1.TaintEffectNoSchedule}}, nil, nil},
		{"new ones", []corev1.Taint{taint("down", "", nil), taint("b", "", &earlier)}, nil, records{record("b", "", earlier), record("down", "", now)}},
		{"one that was written again", []corev1.Taint{taint("down", "", &now)}, records{record("down", "", earlier)}, records{record("down", "", earlier)}},
		{"and without its time", []corev1.Taint{taint("down", "", nil)}, records{record("down", "", earlier)}, records{record("down", "", earlier)}},
		{"another value", []corev1.Taint{taint("down", "b", nil)}, records{record("down", "a", earlier)}, records{record("down", "b", now)}},
		{"twice in an object of before", []corev1.Taint{taint("down", "a", &earlier), taint("down", "b", nil)}, nil, records{record("down", "a", earlier)}},
	} {
		if diff := cmp.Diff(tc.want, Since(tc.taints, tc.known, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
	}
}

// A policy adds a taint that somebody removed with the time that it had.
func TestTaintComesBackWithItsTime(t *testing.T) {
	notReady := when("Ready", policyv1alpha1.MatchConditionOpNotIn, metav1.ConditionTrue)
	cluster := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "one"}}
	cluster.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse}}
	cluster.Status.TaintedSince = []clusterv1alpha1.TaintSince{{Key: "down", Since: earlier}}
	got, err := ByPolicies(cluster, []*policyv1alpha1.ClusterTaintPolicy{policyOf("p", 1, notReady, nil)}, now)
	want := []corev1.Taint{{Key: "down", Effect: corev1.TaintEffectNoExecute, TimeAdded: &earlier}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}
