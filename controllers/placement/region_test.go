// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

func TestSpreadByRegion(t *testing.T) {
	in := func(name, region string, with ...func(*clusterv1alpha1.Cluster)) *clusterv1alpha1.Cluster {
		return cluster(name, append(with, located("", region))...)
	}
	plain := clusters(in("a1", "a"), in("b1", "b"), in("b2", "b"), in("c1", "c"), in("c2", "c"), in("c3", "c"), cluster("nowhere"))
	rooms := clusters(in("a1", "a", has("cpu=1")), in("a2", "a", has("cpu=2")), in("b1", "b", has("cpu=9")), in("b2", "b", has("cpu=1")))
	testSelect(t, map[string]selectCase{
		"OneOfEach": {
			reason: "The limit of clusters gives way to the number of regions.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 2, 2)), Clusters: plain},
			want:   result(to("a1", 2), to("b1", 2)),
		},
		"OneRegion": {
			reason: "One cluster of one region.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 1, 1)), Clusters: plain},
			want:   result(to("a1", 2)),
		},
		"FewestRegions": {
			reason: "As few regions as have enough clusters.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 1, 3)), Clusters: plain},
			want:   result(to("a1", 2)),
		},
		"Filled": {
			reason: "One of each region, then the best others of them.",
			in:     Input{Spec: deployment(2, spread("cluster", 3, 3), spread("region", 2, 2)), Clusters: plain},
			want:   result(to("a1", 2), to("b1", 2), to("b2", 2)),
		},
		"LargeRegions": {
			reason: "Four clusters in two regions are not in the first two; five are in the largest.",
			in:     Input{Spec: deployment(2, spread("cluster", 5, 5), spread("region", 2, 2)), Clusters: plain},
			want:   result(to("b1", 2), to("b2", 2), to("c1", 2), to("c2", 2), to("c3", 2)),
		},
		"MoreRegionsForMoreClusters": {
			reason: "No two regions have six clusters.",
			in:     Input{Spec: deployment(2, spread("cluster", 6, 6), spread("region", 1, 3)), Clusters: plain},
			want:   result(to("a1", 2), to("b1", 2), to("b2", 2), to("c1", 2), to("c2", 2), to("c3", 2)),
		},
		"Stays": {
			reason: "Present targets go before all others.",
			in:     Input{Spec: deployment(2, on(to("c2", 2)), spread("cluster", 1, 1), spread("region", 1, 1)), Clusters: plain},
			want:   result(to("c2", 2)),
		},
		"TooFewRegions": {
			reason: "A cluster without a region is in none.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 4, 4)), Clusters: plain},
			err:    "UnschedulableError: the spread constraint asks for at least 4 regions, clusters of 3 fit",
		},
		"TooFewClusters": {
			reason: "No two regions have six clusters.",
			in:     Input{Spec: deployment(2, spread("cluster", 6, 6), spread("region", 2, 2)), Clusters: plain},
			err:    "UnschedulableError: the spread constraints ask for at least 6 clusters in at most 2 of 3 regions, which have fewer that fit",
		},
		"RoomiestRegion": {
			reason: "One region has room for eight replicas.",
			in:     Input{Spec: deployment(8, onFew, spread("cluster", 1, 1), spread("region", 1, 1)), Clusters: rooms},
			want:   result(to("b1", 8)),
		},
		"RoomInEach": {
			reason: "The roomiest of each region.",
			in:     Input{Spec: deployment(11, byFreeRoom, spread("cluster", 2, 2), spread("region", 2, 2)), Clusters: rooms},
			want:   result(to("a2", 2), to("b1", 9)),
		},
		"NoRoom": {
			reason: "Two clusters do not do.",
			in:     Input{Spec: deployment(12, byFreeRoom, spread("cluster", 2, 2), spread("region", 1, 2)), Clusters: rooms},
			err:    "UnschedulableError: the spread constraints ask for at least 2 and at most 2 clusters in at most 2 of 2 regions, which have no room for 12 replicas",
		},
		"NoRegion": {
			reason: "No cluster has a region.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 1), spread("region", 1, 1)), Clusters: members("a", "b")},
			err:    "FitError: 0/2 clusters are available: 2 cluster(s) did not have region property.",
		},
	})
}
