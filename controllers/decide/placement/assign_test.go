// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestAssignWithoutCapacity(t *testing.T) {
	testSelect(t, map[string]selectCase{
		"NilStrategy": {
			reason: "Without a strategy each cluster gets all replicas.",
			in:     Input{Spec: deployment(3), Clusters: members("a", "b")},
			want:   result(to("a", 3), to("b", 3)),
		},
		"Weights": {
			reason: "Replicas follow the weights.",
			in:     Input{Spec: deployment(6, byWeights(map[string]int64{"a": 1, "b": 2})), Clusters: members("a", "b")},
			want:   result(to("a", 2), to("b", 4)),
		},
		"LargestWeightCounts": {
			reason: "Of two weights for a cluster the larger counts.",
			in: Input{Clusters: members("a", "b"), Spec: deployment(4, byWeights(map[string]int64{"a": 1, "b": 1}), func(s *workv1alpha2.ResourceBindingSpec) {
				w := s.Placement.ReplicaScheduling.WeightPreference
				w.StaticWeightList = append(w.StaticWeightList, w.StaticWeightList[0])
				w.StaticWeightList[2].TargetCluster = named("a")
				w.StaticWeightList[2].Weight = 3
			})},
			want: result(to("a", 3), to("b", 1)),
		},
		"NoWeightNoReplicas": {
			reason: "A cluster without weight gets none.",
			in:     Input{Spec: deployment(3, byWeights(map[string]int64{"a": 1})), Clusters: members("a", "b")},
			want:   result(to("a", 3)),
		},
		"NobodyWeighs": {
			reason: "When no cluster has a weight all weigh the same.",
			in:     Input{Spec: deployment(4, byWeights(map[string]int64{"gone": 1})), Clusters: members("a", "b")},
			want:   result(to("a", 2), to("b", 2)),
		},
		"PresentReplicasDoNotMatter": {
			reason: "Weights are applied to all replicas each time.",
			in:     Input{Spec: deployment(6, byWeights(map[string]int64{"a": 1, "b": 2}), on(to("a", 6))), Clusters: members("a", "b")},
			want:   result(to("a", 2), to("b", 4)),
		},
		"OddReplicaForward": {
			reason: "The odd replica goes to the first cluster for one half of all objects.",
			in:     Input{Spec: deployment(3, equally), Clusters: members("a", "b")},
			want:   result(to("a", 2), to("b", 1)),
		},
		"OddReplicaReversed": {
			reason: "And to the last for the other half.",
			in:     Input{Spec: deployment(3, equally, uid(reversedUID)), Clusters: members("a", "b")},
			want:   result(to("a", 1), to("b", 2)),
		},
		"FewerReplicasThanClusters": {
			reason: "Clusters that would get none are left out.",
			in:     Input{Spec: deployment(1, equally), Clusters: members("a", "b", "c")},
			want:   result(to("a", 1)),
		},
		"ScaledToZero": {
			reason: "A Deployment of no replicas stays on its clusters.",
			in:     Input{Spec: deployment(0, onFew, on(to("a", 2))), Clusters: members("a", "b")},
			want:   result(to("a", 0), to("b", 0)),
		},
		"ConfigMapIsNotDivided": {
			reason: "An object without replicas has nothing to divide.",
			in:     Input{Spec: configMap(byFreeRoom), Clusters: members("a", "b")},
			want:   result(to("a", 0), to("b", 0)),
		},
	})
}

func TestAssignByCapacity(t *testing.T) {
	rooms := clusters(cluster("a", has("cpu=3")), cluster("b", has("cpu=6")), cluster("c", has("cpu=9")))
	testSelect(t, map[string]selectCase{
		"Proportional": {
			reason: "A cluster with three times the room gets three times the replicas.",
			in:     Input{Spec: deployment(6, byFreeRoom), Clusters: rooms},
			want:   result(to("a", 1), to("b", 2), to("c", 3)),
		},
		"Aggregated": {
			reason: "One cluster is enough.",
			in:     Input{Spec: deployment(6, onFew), Clusters: rooms},
			want:   result(to("c", 6)),
		},
		"AggregatedOnTwo": {
			reason: "The roomiest two are, and share by their room.",
			in:     Input{Spec: deployment(10, onFew), Clusters: rooms},
			want:   result(to("b", 4), to("c", 6)),
		},
		"NotEnough": {
			reason: "Nothing is placed in part.",
			in:     Input{Spec: deployment(19, byFreeRoom), Clusters: rooms},
			err:    "UnschedulableError: Clusters available replicas 18 are not enough to schedule.",
		},
		"UnknownHasNoRoom": {
			reason: "A cluster without summary gets none.",
			in:     Input{Spec: deployment(3, byFreeRoom), Clusters: clusters(cluster("a"), cluster("b", has("cpu=3")))},
			want:   result(to("b", 3)),
		},
		"AsManyAsWanted": {
			reason: "What is there stays, whatever the room.",
			in:     Input{Spec: deployment(6, byFreeRoom, on(to("a", 6))), Clusters: rooms},
			want:   result(to("a", 6)),
		},
		"ScaleUp": {
			reason: "Only the six new ones are divided.",
			in:     Input{Spec: deployment(8, byFreeRoom, on(to("a", 2))), Clusters: rooms},
			want:   result(to("a", 3), to("b", 2), to("c", 3)),
		},
		"ScaleUpAggregated": {
			reason: "The new ones join the present ones while there is room.",
			in:     Input{Spec: deployment(4, onFew, on(to("a", 2))), Clusters: rooms},
			want:   result(to("a", 4)),
		},
		"ScaleUpAggregatedOverflows": {
			reason: "Then the roomiest is added, and both share by their room.",
			in:     Input{Spec: deployment(6, onFew, on(to("a", 2))), Clusters: rooms},
			want:   result(to("a", 3), to("c", 3)),
		},
		"ScaleUpWithoutRoom": {
			reason: "What is missing does not fit.",
			in:     Input{Spec: deployment(30, byFreeRoom, on(to("a", 2))), Clusters: rooms},
			err:    "UnschedulableError: Clusters available replicas 18 are not enough to schedule.",
		},
		"ScaleDown": {
			reason: "Each loses in proportion to what it has.",
			in:     Input{Spec: deployment(3, byFreeRoom, on(to("a", 4), to("b", 2))), Clusters: rooms},
			want:   result(to("a", 2), to("b", 1)),
		},
		"ScaleDownNeedsNoRoom": {
			reason: "Full and unknown clusters can lose replicas too.",
			in:     Input{Spec: deployment(3, byFreeRoom, on(to("a", 4), to("b", 2))), Clusters: members("a", "b")},
			want:   result(to("a", 2), to("b", 1)),
		},
		"ScaleDownAggregated": {
			reason: "The cluster with most keeps, the others are emptied.",
			in:     Input{Spec: deployment(3, onFew, on(to("a", 2), to("b", 4))), Clusters: rooms},
			want:   result(to("b", 3)),
		},
		"LostCluster": {
			reason: "The replicas of a cluster that is left are divided again, the others stay.",
			in:     Input{Spec: deployment(5, byFreeRoom, on(to("a", 2), to("c", 3)), leaving("c")), Clusters: rooms},
			want:   result(to("a", 3), to("b", 2)),
		},
		"Fresh": {
			reason: "A fresh decision weighs by the room without the present replicas: 3+6, 6 and 9.",
			in:     Input{Spec: deployment(8, byFreeRoom, on(to("a", 6))), Clusters: rooms, Fresh: true},
			want:   result(to("a", 3), to("b", 2), to("c", 3)),
		},
		"FreshAggregated": {
			reason: "Present targets do not go first in a fresh decision.",
			in:     Input{Spec: deployment(4, onFew, on(to("a", 4))), Clusters: rooms, Fresh: true},
			want:   result(to("c", 4)),
		},
	})
}

func TestOverflowGroups(t *testing.T) {
	rooms := clusters(cluster("a", has("cpu=2")), cluster("b", has("cpu=2")), cluster("c", has("cpu=9")))
	overflow := groups("main: a+b+c")
	testSelect(t, map[string]selectCase{
		"NotNeeded": {
			reason: "The affinity itself has room.",
			in:     Input{Spec: deployment(2, onFew, overflow), Clusters: rooms},
			want:   inGroup("main", to("a", 2)),
		},
		"InOrder": {
			reason: "Each overflow group takes what the one before cannot hold.",
			in:     Input{Spec: deployment(5, byFreeRoom, overflow), Clusters: rooms},
			want:   inGroup("main", to("a", 2), to("b", 2), to("c", 1)),
		},
		"EmptiedFirst": {
			reason: "Scaling down empties the overflow groups first, the last one before the others.",
			in:     Input{Spec: deployment(3, byFreeRoom, overflow, on(to("a", 2), to("b", 2), to("c", 1))), Clusters: rooms},
			want:   inGroup("main", to("a", 2), to("b", 1)),
		},
		"Full": {
			reason: "More than all groups hold does not fit.",
			in:     Input{Spec: deployment(14, onFew, overflow), Clusters: rooms},
			err:    "UnschedulableError: affinity group main: Clusters available replicas 13 are not enough to schedule.",
		},
		"NotForCopies": {
			reason: "Copied replicas do not overflow.",
			in:     Input{Spec: deployment(14, overflow), Clusters: rooms},
			want:   inGroup("main", to("a", 14)),
		},
	})
}
