// SPDX-License-Identifier: Apache-2.0

package placement

import "testing"

func TestSpread(t *testing.T) {
	rooms := clusters(cluster("a", has("cpu=3")), cluster("b", has("cpu=2")), cluster("c", has("cpu=9")))
	testSelect(t, map[string]selectCase{
		"FirstByName": {
			reason: "Where nothing else counts, the first names win.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 2)), Clusters: members("c", "b", "a")},
			want:   result(to("a", 2), to("b", 2)),
		},
		"TargetsFirst": {
			reason: "Present targets go before all others.",
			in:     Input{Spec: deployment(2, on(to("c", 2)), spread("cluster", 1, 2)), Clusters: members("a", "b", "c")},
			want:   result(to("a", 2), to("c", 2)),
		},
		"NoUpperBound": {
			reason: "A maxGroups of 0 is no bound; in Karmada it selects nothing.",
			in:     Input{Spec: deployment(2, spread("cluster", 1, 0)), Clusters: members("a", "b", "c")},
			want:   result(to("a", 2), to("b", 2), to("c", 2)),
		},
		"EmptyFieldIsCluster": {
			reason: "A constraint without field is by cluster.",
			in:     Input{Spec: deployment(2, spread("", 0, 1)), Clusters: members("a", "b")},
			want:   result(to("a", 2)),
		},
		"TooFewClusters": {
			reason: "Fewer clusters than minGroups are not enough.",
			in:     Input{Spec: deployment(2, spread("cluster", 3, 4)), Clusters: members("a", "b")},
			err:    "UnschedulableError: the spread constraint asks for at least 3 clusters, 2 fit",
		},
		"RoomiestForDivided": {
			reason: "One cluster for five replicas is the one with room for them.",
			in:     Input{Spec: deployment(5, onFew, spread("cluster", 1, 1)), Clusters: rooms},
			want:   result(to("c", 5)),
		},
		"RoomDoesNotMatterForCopies": {
			reason: "Copied replicas do not ask for room, so the first name wins.",
			in:     Input{Spec: deployment(5, copiedAll, spread("cluster", 1, 1)), Clusters: rooms},
			want:   result(to("a", 5)),
		},
		"TargetGivesWay": {
			reason: "A target that cannot hold all with the others is exchanged for a cluster that can.",
			in:     Input{Spec: deployment(8, onFew, on(to("b", 2)), spread("cluster", 1, 1)), Clusters: rooms},
			want:   result(to("c", 8)),
		},
		"TargetStaysWithAnother": {
			reason: "With two clusters the target stays and the roomiest joins.",
			in:     Input{Spec: deployment(8, onFew, on(to("b", 2)), spread("cluster", 1, 2)), Clusters: rooms},
			want:   result(to("b", 3), to("c", 5)),
		},
		"NoRoomInSoFewClusters": {
			reason: "All three would do, two do not.",
			in:     Input{Spec: deployment(13, onFew, spread("cluster", 1, 2)), Clusters: rooms},
			err:    "UnschedulableError: the spread constraint allows 2 of 3 feasible clusters, which have room for 12 of 13 replicas",
		},
		"StaticWeightsIgnoreIt": {
			reason: "Static weights determine where replicas go.",
			in:     Input{Spec: deployment(2, equally, spread("cluster", 1, 1)), Clusters: members("a", "b")},
			want:   result(to("a", 1), to("b", 1)),
		},
	})
}
