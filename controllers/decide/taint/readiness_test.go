// SPDX-License-Identifier: Apache-2.0

package taint

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

func TestOfReadiness(t *testing.T) {
	now := metav1.NewTime(time.Unix(1000, 0))
	before := metav1.NewTime(time.Unix(1, 0))
	notReady := func(at metav1.Time) corev1.Taint {
		return corev1.Taint{Key: clusterv1alpha1.TaintClusterNotReady, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &at}
	}
	unreachable := corev1.Taint{Key: clusterv1alpha1.TaintClusterUnreachable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &now}
	own := corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}
	ofUser := corev1.Taint{Key: clusterv1alpha1.TaintClusterNotReady, Effect: corev1.TaintEffectNoExecute}
	ready := func(s metav1.ConditionStatus) *metav1.Condition { return &metav1.Condition{Status: s} }
	cases := map[string]struct {
		reason string
		taints []corev1.Taint
		ready  *metav1.Condition
		want   []corev1.Taint
	}{
		"NoCondition": {reason: "a cluster that was not looked at is not ready", want: []corev1.Taint{notReady(now)}},
		"False":       {reason: "not ready", ready: ready(metav1.ConditionFalse), want: []corev1.Taint{notReady(now)}},
		"Unknown":     {reason: "nobody knows", ready: ready(metav1.ConditionUnknown), want: []corev1.Taint{unreachable}},
		"True":        {reason: "nothing is wrong", ready: ready(metav1.ConditionTrue)},
		"Keeps": {
			reason: "the time of the taint stays that of its beginning", ready: ready(metav1.ConditionFalse),
			taints: []corev1.Taint{notReady(before)}, want: []corev1.Taint{notReady(before)},
		},
		"Replaces": {
			reason: "at most one of the two stands", ready: ready(metav1.ConditionUnknown),
			taints: []corev1.Taint{notReady(before)}, want: []corev1.Taint{unreachable},
		},
		"Removes": {
			reason: "both go, and other taints stay in their order", ready: ready(metav1.ConditionTrue),
			taints: []corev1.Taint{own, notReady(before), unreachable, ofUser}, want: []corev1.Taint{own, ofUser},
		},
		"OtherEffect": {
			reason: "a taint of the same key that a user set with another effect is not ours", ready: ready(metav1.ConditionFalse),
			taints: []corev1.Taint{ofUser}, want: []corev1.Taint{ofUser, notReady(now)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ofReadiness(tc.taints, tc.ready, now)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
