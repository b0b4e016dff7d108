// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestNodeClaimIsReadWhole(t *testing.T) {
	const source = `function GetReplicas(object)
  return 1, { nodeClaim = {
    tolerations = {{ key = "spot", operator = "Exists", tolerationSeconds = 5 }},
    nodeSelector = { zone = "a", disk = "ssd" },
    hardNodeAffinity = { nodeSelectorTerms = {{ matchExpressions = {{ key = "gpu", operator = "In", values = { "a100" } }} }} },
  } }
end`
	want := &workv1alpha2.NodeClaim{
		NodeSelector: map[string]string{"zone": "a", "disk": "ssd"},
		Tolerations:  []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(5))}},
		HardNodeAffinity: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "gpu", Operator: corev1.NodeSelectorOpIn, Values: []string{"a100"}}},
		}}},
	}
	for range 20 { // a plain map is read in any order
		for name, rule := range map[string]*Rule{"strict": luaRule(t, InterpretReplica, source), "published": published(luaRule(t, InterpretReplica, source))} {
			got, err := answering(InterpretReplica, rule).Snapshot().Replicas(site(nil))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(want, got.Requirements.NodeClaim); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}
