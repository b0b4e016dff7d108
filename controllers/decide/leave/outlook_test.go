// SPDX-License-Identifier: Apache-2.0

package leave

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

func TestOutlook(t *testing.T) {
	cluster := func(ready metav1.ConditionStatus, taints ...corev1.Taint) *clusterv1alpha1.Cluster {
		c := &clusterv1alpha1.Cluster{Spec: clusterv1alpha1.ClusterSpec{Taints: taints}}
		if ready != "" {
			c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: ready}}
		}
		return c
	}
	down := corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute}
	soft := corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoSchedule}
	drained := corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}
	policies := []*policyv1alpha1.ClusterTaintPolicy{{Spec: policyv1alpha1.ClusterTaintPolicySpec{Taints: []policyv1alpha1.Taint{
		{Key: "down", Effect: corev1.TaintEffectNoExecute}, {Key: "maintenance", Effect: corev1.TaintEffectNoSchedule},
	}}}}
	written, other := cluster("True"), cluster("True")
	written.Status.TaintedSince = []clusterv1alpha1.TaintSince{{Key: "down"}}
	other.Status.TaintedSince = []clusterv1alpha1.TaintSince{{Key: "maintenance"}}
	leaving := cluster("False")
	leaving.DeletionTimestamp = &metav1.Time{Time: start}
	cases := map[string]struct {
		reason  string
		cluster *clusterv1alpha1.Cluster
		want    Outlook
	}{
		"Ready":    {"nothing is wrong", cluster("True"), Outlook{0, 1}},
		"NotReady": {"it does not answer well", cluster("False"), Outlook{1, 1}},
		"Unknown":  {"it does not answer", cluster("Unknown"), Outlook{1, 1}},
		"New":      {"nobody has probed it", cluster(""), Outlook{}},
		"Leaving":  {"it does not count", leaving, Outlook{}},
		"Tainted":  {"a policy holds it for failed", cluster("True", down), Outlook{1, 1}},
		"Soft":     {"the taint evicts nothing", cluster("True", soft), Outlook{0, 1}},
		"Drained":  {"a person drains it", cluster("True", drained), Outlook{0, 1}},
		"Written":  {"somebody wrote it without the taint, which the policy adds again", written, Outlook{1, 1}},
		"Other":    {"or without that of a person", other, Outlook{0, 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := OutlookOf([]*clusterv1alpha1.Cluster{tc.cluster}, policies); got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
	for _, tc := range []struct {
		o     Outlook
		share float64
		want  bool
	}{
		{Outlook{0, 0}, 0.55, false},
		{Outlook{1, 2}, 0.55, false},
		{Outlook{2, 3}, 0.55, true},
		{Outlook{55, 100}, 0.55, false},
		{Outlook{56, 100}, 0.55, true},
		{Outlook{57, 100}, 0.57, false}, // 0.57 * 100 is less than 57
		{Outlook{29, 100}, 0.29, false},
		{Outlook{58, 100}, 0.57, true},
		{Outlook{570001, 1000000}, 0.57, true},
		{Outlook{3, 3}, 1, false},
		{Outlook{1, 100}, 0, true},
		{Outlook{0, 100}, 0, false},
	} {
		if got := tc.o.Exceeds(tc.share); got != tc.want {
			t.Errorf("%+v exceeds %v: got %t, want %t", tc.o, tc.share, got, tc.want)
		}
	}
}

func TestOutlookCounts(t *testing.T) {
	cluster := func(status metav1.ConditionStatus, reason string) *clusterv1alpha1.Cluster {
		c := &clusterv1alpha1.Cluster{}
		if status != "" {
			c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: status, Reason: reason}}
		}
		return c
	}
	o := OutlookOf([]*clusterv1alpha1.Cluster{
		cluster("", ""), cluster("Unknown", "NoAgent"), cluster("True", "ClusterReady"), cluster("False", "ClusterNotReachable"), cluster("Unknown", "ClusterStatusUnknown"),
	}, nil)
	if o != (Outlook{2, 3}) {
		t.Errorf("%d of %d clusters look unhealthy, want 2 of 3: nobody has looked at one that no agent serves", o.Unhealthy, o.All)
	}
}
