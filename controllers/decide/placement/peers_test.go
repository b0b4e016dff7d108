// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestPeers(t *testing.T) {
	together, apart := workv1alpha2.WorkloadAffinityGroups{AffinityGroup: "g=1"}, workv1alpha2.WorkloadAffinityGroups{AntiAffinityGroup: "g=1"}
	at := func(names ...string) (all []workv1alpha2.TargetCluster) {
		for _, n := range names {
			all = append(all, to(n, 1))
		}
		return all
	}
	peers := func(own, others workv1alpha2.WorkloadAffinityGroups, targets ...[]workv1alpha2.TargetCluster) Peers {
		p := Peers{}
		for _, t := range targets {
			p.add(own, others, t)
		}
		return p
	}
	once := spread("cluster", 1, 1)
	all := members("a", "b", "c")
	testSelect(t, map[string]selectCase{
		"First": {
			reason: "Nobody of the group is placed, so any cluster will do.",
			in:     Input{Spec: configMap(once), Clusters: all, Peers: peers(together, together, nil)},
			want:   result(to("a", 0)),
		},
		"Together": {
			reason: "Where all others are.",
			in:     Input{Spec: configMap(once), Clusters: all, Peers: peers(together, together, at("b", "c"), at("c"))},
			want:   result(to("c", 0)),
		},
		"NowhereTogether": {
			reason: "The others have no cluster in common.",
			in:     Input{Spec: configMap(once), Clusters: all, Peers: peers(together, together, at("b"), at("c"))},
			err:    "FitError: 0/3 clusters are available: 3 cluster(s) did not have the other workloads of the affinity group.",
		},
		"Apart": {
			reason: "Where none of the others is.",
			in:     Input{Spec: configMap(once), Clusters: all, Peers: peers(apart, apart, at("a"), at("c"))},
			want:   result(to("b", 0)),
		},
		"NowhereApart": {
			reason: "The others are everywhere.",
			in:     Input{Spec: configMap(once), Clusters: all, Peers: peers(apart, apart, at("a", "b"), at("c"))},
			err:    "FitError: 0/3 clusters are available: 3 cluster(s) had a workload of the anti-affinity group.",
		},
		"OtherGroup": {
			reason: "Another value of the label is another group, and the groups of affinity are others than those of anti-affinity.",
			in:     Input{Spec: configMap(once), Clusters: all, Peers: peers(apart, workv1alpha2.WorkloadAffinityGroups{AffinityGroup: "g=1", AntiAffinityGroup: "g=2"}, at("a"))},
			want:   result(to("a", 0)),
		},
		"Stays": {
			reason: "A workload that came to the same cluster moves nothing.",
			in:     Input{Spec: configMap(once, on(to("a", 0))), Clusters: all, Peers: peers(apart, apart, at("a"))},
			want:   result(to("a", 0)),
		},
		"Fresh": {
			reason: "Unless somebody asks for a new decision.",
			in:     Input{Spec: configMap(once, on(to("a", 0))), Clusters: all, Peers: peers(apart, apart, at("a")), Fresh: true},
			want:   result(to("b", 0)),
		},
	})
}
