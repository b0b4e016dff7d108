// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestComponentsTogether(t *testing.T) {
	one := flink(1, once)
	one.Components = one.Components[:1]
	testSelect(t, map[string]selectCase{
		"RoomiestCluster": {
			reason: "Of the clusters with room, the one for most sets.",
			in:     Input{Spec: flink(2, once), Clusters: clusters(cluster("a", has("cpu=5")), cluster("b", has("cpu=10")))},
			want:   result(toFlink("b", 2)),
		},
		"FirstOfEqualRoom": {
			reason: "Of equal room, the first name.",
			in:     Input{Spec: flink(2, once), Clusters: clusters(cluster("b", has("cpu=5")), cluster("a", has("cpu=6")))},
			want:   result(toFlink("a", 2)),
		},
		"RoomIsAskedForInEveryStrategy": {
			reason: "Karmada places it on the full cluster here.",
			in:     Input{Spec: flink(2, once, copiedAll), Clusters: clusters(cluster("a", has("cpu=4")), cluster("b", has("cpu=5")))},
			want:   result(toFlink("b", 2)),
		},
		"NoRoom": {
			reason: "A set that fits nowhere is not placed.",
			in:     Input{Spec: flink(2, once), Clusters: clusters(cluster("a", has("cpu=4")), cluster("b", has("cpu=3 memory=1Gi")), cluster("c", has("cpu=50 pods=2")))},
			err:    "UnschedulableError: none of 3 feasible clusters has room for all components: 2 cluster(s) had too little cpu, 1 cluster(s) had too little pods",
		},
		"UnknownRoomIsSecond": {
			reason: "Known room goes before unknown room.",
			in:     Input{Spec: flink(2, once), Clusters: clusters(cluster("a"), cluster("b", has("cpu=5")))},
			want:   result(toFlink("b", 2)),
		},
		"UnknownRoomIsBetterThanNone": {
			reason: "A cluster of unknown room may fit.",
			in:     Input{Spec: flink(2, once), Clusters: clusters(cluster("a", has("cpu=4")), cluster("b"))},
			want:   result(toFlink("b", 2)),
		},
		"StaysWhenFull": {
			reason: "What fills the present cluster is the object itself.",
			in:     Input{Spec: flink(2, once, on(toFlink("a", 2))), Clusters: clusters(cluster("a", has("cpu=0")), cluster("b", has("cpu=50")))},
			want:   result(toFlink("a", 2)),
		},
		"ScaledInPlace": {
			reason: "More task managers do not move it; the record follows.",
			in:     Input{Spec: flink(3, once, on(toFlink("a", 2))), Clusters: clusters(cluster("a", has("cpu=0")), cluster("b", has("cpu=50")))},
			want:   result(toFlink("a", 3)),
		},
		"Evicted": {
			reason: "An eviction moves it.",
			in:     Input{Spec: flink(2, once, leaving("a")), Clusters: clusters(cluster("a", has("cpu=50")), cluster("b", has("cpu=5")))},
			want:   result(toFlink("b", 2)),
		},
		"OneComponent": {
			reason: "With one component nothing is recorded.",
			in:     Input{Spec: one, Clusters: members("a", "b")},
			want:   result(workv1alpha2.TargetCluster{Name: "a"}),
		},
		"OneOfTwoTargets": {
			reason: "An object that was copied before it had components keeps one of its clusters.",
			in:     Input{Spec: flink(2, once, on(to("b", 0), to("c", 0))), Clusters: members("a", "b", "c")},
			want:   result(toFlink("b", 2)),
		},
		"AnyFieldOnce": {
			reason: "One cluster is in one region, whatever the constraints count.",
			in:     Input{Spec: flink(2, spread("region", 1, 1), spread("cluster", 1, 1)), Clusters: clusters(cluster("a"), cluster("b", located("", "eu")))},
			want:   result(toFlink("b", 2)),
		},
		"NextGroup": {
			reason: "When no cluster of the group has room, the next group is tried.",
			in: Input{
				Spec: flink(2, once, groups("first: a", "second: b")), Status: observed("first"),
				Clusters: clusters(cluster("a", has("cpu=1")), cluster("b", has("cpu=5"))),
			},
			want: inGroup("second", toFlink("b", 2)),
		},
	})
}

// TestComponentsByPolicy has what is published for a spread constraint that is not of
// exactly one cluster: the object goes whole to each chosen cluster, and no replicas are
// recorded.
func TestComponentsByPolicy(t *testing.T) {
	everywhere := result(to("a", 0), to("b", 0))
	rooms := clusters(cluster("a", has("cpu=1")), cluster("b", has("cpu=50")))
	testSelect(t, map[string]selectCase{
		"NoStrategy": {
			reason: "Without a strategy it goes to every cluster, and nobody asks for room.",
			in:     Input{Spec: flink(2), Clusters: rooms},
			want:   everywhere,
		},
		"Duplicated": {
			reason: "A copy for each.",
			in:     Input{Spec: flink(2, copiedAll), Clusters: rooms},
			want:   everywhere,
		},
		"DividedByWeights": {
			reason: "Components are not divided, so weights do not leave clusters out.",
			in:     Input{Spec: flink(2, byWeights(map[string]int64{"a": 1})), Clusters: rooms},
			want:   everywhere,
		},
		"Aggregated": {
			reason: "Nor are they packed.",
			in:     Input{Spec: flink(2, onFew), Clusters: rooms},
			want:   everywhere,
		},
		"TakenOver": {
			reason: "What another control plane placed on two clusters stays there.",
			in:     Input{Spec: flink(2, copiedAll, on(to("a", 0), to("b", 0))), Clusters: rooms},
			want:   everywhere,
		},
		"AtLeastTwo": {
			reason: "A constraint of two clusters gets two.",
			in:     Input{Spec: flink(2, spread("cluster", 2, 2)), Clusters: members("a", "b", "c")},
			want:   everywhere,
		},
		"TooFew": {
			reason: "One cluster is not two.",
			in:     Input{Spec: flink(2, spread("cluster", 2, 2)), Clusters: members("a")},
			err:    "UnschedulableError: the spread constraint asks for at least 2 clusters, 1 fit",
		},
		"AtMostOne": {
			reason: "A minGroups of 0 means 1, so this asks for exactly one cluster.",
			in:     Input{Spec: flink(2, spread("cluster", 0, 1)), Clusters: rooms},
			want:   result(toFlink("b", 2)),
		},
		"ReplicasBeside": {
			reason: "Replicas beside components are not divided.",
			in:     Input{Spec: flink(2, onFew, func(s *workv1alpha2.ResourceBindingSpec) { s.Replicas = 3 }), Clusters: rooms},
			want:   everywhere,
		},
	})
}
