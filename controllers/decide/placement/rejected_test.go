// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

func TestRejected(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     Input
		want   map[string]string
	}{
		"Filters": {
			reason: "each cluster has the first filter that rejects it, and a target none",
			in: Input{
				Spec:     configMap(on(to("a", 0)), affinity(named("a", "b", "c", "e"))),
				Clusters: clusters(cluster("a"), cluster("b", withoutAPIs), cluster("c", taint("k=v:NoSchedule")), cluster("d"), cluster("e", deleting)),
			},
			want: map[string]string{
				"b": "did not have the API resource",
				"c": "had untolerated taint {k: v}",
				"d": "did not match the placement cluster affinity constraint",
				"e": "was being deleted",
			},
		},
		"Spread": {
			reason: "a cluster that fits is one too many",
			in:     Input{Spec: configMap(on(to("a", 0)), spread(policyv1alpha1.SpreadByFieldCluster, 1, 1)), Clusters: members("a", "b")},
			want:   map[string]string{"b": "fits, and the spread constraint allows 1 cluster(s), which others fill"},
		},
		"TooFew": {
			reason: "a cluster that fits is not used where too few do",
			in:     Input{Spec: configMap(spread(policyv1alpha1.SpreadByFieldCluster, 2, 0)), Clusters: members("a")},
			want:   map[string]string{"a": "fits, and is not used: the spread constraint asks for at least 2 clusters, 1 fit"},
		},
		"Next": {
			reason: "a cluster that was joined since the last decision is taken by the next one",
			in:     Input{Spec: configMap(on(to("a", 0))), Clusters: members("a", "b")},
			want:   map[string]string{"b": "fits, and the next decision takes it"},
		},
		"Share": {
			reason: "a weight of a leaves nothing for b",
			in:     Input{Spec: deployment(2, on(to("a", 2)), byWeights(map[string]int64{"a": 1})), Clusters: members("a", "b")},
			want:   map[string]string{"b": "fits, and has no share in the division of the replicas"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Rejected(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
