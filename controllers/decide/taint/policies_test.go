// SPDX-License-Identifier: Apache-2.0

package taint

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

var (
	now     = metav1.NewTime(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	earlier = metav1.NewTime(now.Add(-time.Hour))
)

func when(kind string, operator policyv1alpha1.MatchConditionOperator, values ...metav1.ConditionStatus) []policyv1alpha1.MatchCondition {
	return []policyv1alpha1.MatchCondition{{ConditionType: kind, Operator: operator, StatusValues: values}}
}

// policyOf returns a policy with the taint down:NoExecute, that many seconds old.
func policyOf(name string, age int, add, remove []policyv1alpha1.MatchCondition, with ...func(*policyv1alpha1.ClusterTaintPolicy)) *policyv1alpha1.ClusterTaintPolicy {
	p := &policyv1alpha1.ClusterTaintPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(now.Add(-time.Duration(age) * time.Second))},
		Spec: policyv1alpha1.ClusterTaintPolicySpec{
			AddOnConditions: add, RemoveOnConditions: remove, Taints: []policyv1alpha1.Taint{{Key: "down", Effect: corev1.TaintEffectNoExecute}},
		},
	}
	for _, w := range with {
		w(p)
	}
	return p
}

func TestByPolicies(t *testing.T) {
	const in, notIn = policyv1alpha1.MatchConditionOpIn, policyv1alpha1.MatchConditionOpNotIn
	taint := func(key string, at *metav1.Time) corev1.Taint {
		return corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute, TimeAdded: at}
	}
	notReady, isReady := when("Ready", notIn, metav1.ConditionTrue), when("Ready", in, metav1.ConditionTrue)
	about := func(cluster string) func(*policyv1alpha1.ClusterTaintPolicy) {
		return func(p *policyv1alpha1.ClusterTaintPolicy) {
			p.Spec.TargetClusters = &policyv1alpha1.ClusterAffinity{ClusterNames: []string{cluster}}
		}
	}
	const notReadyKey, soft = clusterv1alpha1.TaintClusterNotReady, corev1.TaintEffectNoSchedule
	unreachable := corev1.Taint{Key: clusterv1alpha1.TaintClusterUnreachable, Effect: soft, TimeAdded: &earlier}
	with := func(key string, effect corev1.TaintEffect) func(*policyv1alpha1.ClusterTaintPolicy) {
		return func(p *policyv1alpha1.ClusterTaintPolicy) {
			p.Spec.Taints = append(p.Spec.Taints[:0], policyv1alpha1.Taint{Key: key, Effect: effect})
		}
	}
	type policies = []*policyv1alpha1.ClusterTaintPolicy
	cases := map[string]struct {
		reason     string
		taints     []corev1.Taint
		conditions map[string]metav1.ConditionStatus
		policies   policies
		want       []corev1.Taint
		fails      string
	}{
		"NoPolicy": {reason: "taints of others stay", taints: []corev1.Taint{taint("own", nil)}, want: []corev1.Taint{taint("own", nil)}},
		"Adds": {
			reason: "the condition holds", conditions: map[string]metav1.ConditionStatus{"Ready": "False"}, policies: policies{policyOf("p", 1, notReady, isReady)},
			want: []corev1.Taint{taint("down", &now)},
		},
		"DoesNotHold": {reason: "it does not hold", conditions: map[string]metav1.ConditionStatus{"Ready": "True"}, policies: policies{policyOf("p", 1, notReady, nil)}},
		"Absent": {
			reason: "a condition that the cluster does not have holds for no operator", conditions: map[string]metav1.ConditionStatus{"Other": "True"},
			policies: policies{policyOf("p", 1, notReady, nil), policyOf("q", 1, isReady, nil)},
		},
		"All": {
			reason: "all conditions must hold", conditions: map[string]metav1.ConditionStatus{"Ready": "False", "Network": "True"},
			policies: policies{policyOf("p", 1, append(when("Network", notIn, metav1.ConditionTrue), notReady...), nil)},
		},
		"AllHold": {
			reason: "and do here", conditions: map[string]metav1.ConditionStatus{"Ready": "Unknown", "Network": "False"},
			policies: policies{policyOf("p", 1, append(when("Network", in, metav1.ConditionFalse, metav1.ConditionUnknown), notReady...), nil)},
			want:     []corev1.Taint{taint("down", &now)},
		},
		"Empty": {
			reason: "without conditions nothing is added or removed", taints: []corev1.Taint{taint("down", &earlier)},
			conditions: map[string]metav1.ConditionStatus{"Ready": "True"}, policies: policies{policyOf("p", 1, nil, nil)}, want: []corev1.Taint{taint("down", &earlier)},
		},
		"Keeps": {
			reason: "a taint that is there keeps its time", taints: []corev1.Taint{taint("down", &earlier)},
			conditions: map[string]metav1.ConditionStatus{"Ready": "False"}, policies: policies{policyOf("p", 1, notReady, nil)}, want: []corev1.Taint{taint("down", &earlier)},
		},
		"Removes": {
			reason: "others stay", taints: []corev1.Taint{taint("down", &earlier), taint("own", nil), {Key: "down", Effect: corev1.TaintEffectNoSchedule}},
			conditions: map[string]metav1.ConditionStatus{"Ready": "True"}, policies: policies{policyOf("p", 1, notReady, isReady)},
			want: []corev1.Taint{taint("own", nil), {Key: "down", Effect: corev1.TaintEffectNoSchedule}},
		},
		"AddsThenRemoves": {
			reason: "to add comes before to remove", conditions: map[string]metav1.ConditionStatus{"Ready": "True"},
			policies: policies{policyOf("p", 1, isReady, isReady)},
		},
		"OtherCluster": {
			reason: "the policy is about another cluster", conditions: map[string]metav1.ConditionStatus{"Ready": "False"},
			policies: policies{policyOf("p", 1, notReady, nil, about("two"))},
		},
		"ItsCluster": {
			reason: "the policy is about this one", conditions: map[string]metav1.ConditionStatus{"Ready": "False"},
			policies: policies{policyOf("p", 1, notReady, nil, about("one"))}, want: []corev1.Taint{taint("down", &now)},
		},
		"Order": {
			reason:     "the older policy removes, the newer adds: the taint that was there stays as it is, and is not written again and again",
			taints:     []corev1.Taint{taint("down", &earlier)},
			conditions: map[string]metav1.ConditionStatus{"Ready": "True"},
			policies:   policies{policyOf("new", 1, isReady, nil), policyOf("old", 9, nil, isReady)}, want: []corev1.Taint{taint("down", &earlier)},
		},
		"OtherOrder": {
			reason: "the newer policy removes", conditions: map[string]metav1.ConditionStatus{"Ready": "True"},
			policies: policies{policyOf("new", 1, nil, isReady), policyOf("old", 9, isReady, nil)},
		},
		"SameAge": {
			reason: "of one age, the name decides", conditions: map[string]metav1.ConditionStatus{"Ready": "True"},
			policies: policies{policyOf("b", 1, nil, isReady), policyOf("a", 1, isReady, nil)},
		},
		"Managers": {
			reason:     "the taints that readiness adds and removes are no policy's, which would undo them again and again",
			taints:     []corev1.Taint{unreachable},
			conditions: map[string]metav1.ConditionStatus{"Ready": "True"},
			policies:   policies{policyOf("p", 1, isReady, nil, with(notReadyKey, soft)), policyOf("q", 1, nil, isReady, with(unreachable.Key, soft))},
			want:       []corev1.Taint{unreachable},
		},
		"OtherEffect": {
			reason:     "those of the keys with another effect are",
			conditions: map[string]metav1.ConditionStatus{"Ready": "False"},
			policies:   policies{policyOf("p", 1, notReady, nil, with(notReadyKey, corev1.TaintEffectNoExecute))},
			want:       []corev1.Taint{taint(notReadyKey, &now)},
		},
		"Broken": {
			reason: "a policy that cannot be read does not keep the others from their work", conditions: map[string]metav1.ConditionStatus{"Ready": "False"},
			policies: policies{
				policyOf("bad", 9, notReady, nil, func(p *policyv1alpha1.ClusterTaintPolicy) {
					p.Spec.TargetClusters = &policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"-": ""}}}
				}),
				policyOf("p", 1, notReady, nil),
			},
			want: []corev1.Taint{taint("down", &now)}, fails: "ClusterTaintPolicy bad: spec.targetClusters: ",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: clusterv1alpha1.ClusterSpec{Taints: tc.taints}}
			for kind, status := range tc.conditions {
				cluster.Status.Conditions = append(cluster.Status.Conditions, metav1.Condition{Type: kind, Status: status})
			}
			got, err := ByPolicies(cluster, tc.policies, now)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if (err == nil) != (tc.fails == "") || err != nil && !strings.HasPrefix(err.Error(), tc.fails) {
				t.Errorf("%s: got error %v, want one that begins with %q", tc.reason, err, tc.fails)
			}
		})
	}
}
