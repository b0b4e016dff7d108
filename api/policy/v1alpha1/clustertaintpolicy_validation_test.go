// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestValidateClusterTaintPolicy(t *testing.T) {
	notReady := MatchCondition{ConditionType: "Ready", Operator: MatchConditionOpNotIn, StatusValues: []metav1.ConditionStatus{metav1.ConditionTrue}}
	cases := map[string]struct {
		reason string
		spec   ClusterTaintPolicySpec
		want   []string
	}{
		"Good": {
			reason: "the same key may have two effects",
			spec: ClusterTaintPolicySpec{
				AddOnConditions: []MatchCondition{notReady},
				Taints: []Taint{
					{Key: "not-ready", Effect: corev1.TaintEffectNoSchedule},
					{Key: "not-ready", Effect: corev1.TaintEffectNoExecute, Value: "x"},
				},
			},
		},
		"NoTaints": {
			reason: "a policy without taints does nothing",
			want:   []string{"FieldValueRequired spec.taints"},
		},
		"Taints": {
			reason: "key and effect stand once and are well formed",
			spec: ClusterTaintPolicySpec{Taints: []Taint{
				{Key: "a", Effect: corev1.TaintEffectNoSchedule, Value: "x"},
				{Key: "a", Effect: corev1.TaintEffectNoSchedule, Value: "y"},
				{Key: "-", Effect: "NoRun", Value: "a b"},
			}},
			want: []string{
				"FieldValueDuplicate spec.taints[1]",
				"FieldValueInvalid spec.taints[2].key",
				"FieldValueInvalid spec.taints[2].value",
				"FieldValueNotSupported spec.taints[2].effect",
			},
		},
		"Managers": {
			reason: "the taints of readiness are the manager's, with its effect alone",
			spec: ClusterTaintPolicySpec{Taints: []Taint{
				{Key: "cluster.karmada.io/not-ready", Effect: corev1.TaintEffectNoExecute},
				{Key: "cluster.karmada.io/not-ready", Effect: corev1.TaintEffectNoSchedule, Value: "x"},
				{Key: "cluster.karmada.io/unreachable", Effect: corev1.TaintEffectPreferNoSchedule},
				{Key: "cluster.karmada.io/unreachable", Effect: corev1.TaintEffectNoSchedule},
			}},
			want: []string{"FieldValueForbidden spec.taints[1]", "FieldValueForbidden spec.taints[3]"},
		},
		"Conditions": {
			reason: "a condition has a type, an operator and statuses",
			spec: ClusterTaintPolicySpec{
				TargetClusters:     &ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"-": ""}}},
				RemoveOnConditions: []MatchCondition{{Operator: "Is"}},
				Taints:             []Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule}},
			},
			want: []string{
				"FieldValueInvalid spec.targetClusters.labelSelector.matchLabels",
				"FieldValueRequired spec.removeOnConditions[0].conditionType",
				"FieldValueNotSupported spec.removeOnConditions[0].operator",
				"FieldValueRequired spec.removeOnConditions[0].statusValues",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy := &ClusterTaintPolicy{Spec: tc.spec}
			wantErrors(t, tc.reason, policy.Validate(), tc.want...)
		})
	}
}
