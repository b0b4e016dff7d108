// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	. "github.com/onsi/ginkgo/v2"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/dragoman-io/dragoman/test/fixture"
)

// here is the affinity to the clusters of the spec.
const here = "clusterAffinity: {labelSelector: {matchLabels: {spec: $space}}}\n"

// byWeight are static weights from 1 on: cluster i has i+1.
const byWeight = here + `
replicaScheduling:
  replicaSchedulingType: Divided
  replicaDivisionPreference: Weighted
  weightPreference:
    staticWeightList:
      - {targetCluster: {clusterNames: [$space-member0]}, weight: 1}
      - {targetCluster: {clusterNames: [$space-member1]}, weight: 2}
      - {targetCluster: {clusterNames: [$space-member2]}, weight: 3}
`

var _ = Describe("the replicas of a Deployment", func() {
	BeforeEach(func(ctx SpecContext) { joinAll(ctx, "member0", "member1", "member2") })

	DescribeTable("are divided exactly, again when it is scaled, and as divided they are in the manifests",
		func(ctx SpecContext, policy string, steps ...[4]int32) {
			d := deployment(steps[0][0])
			propagate(ctx, d, false, policy)
			for i, s := range steps {
				if i > 0 {
					fixture.Change(ctx, hub, d, scale(s[0]))
				}
				goesTo(ctx, d, map[string]int32{"member0": s[1], "member1": s[2], "member2": s[3]})
				numbers(ctx, d, "replicas", map[string]int64{"member0": int64(s[1]), "member1": int64(s[2]), "member2": int64(s[3])})
			}
		},
		Entry("copied to each", here+"replicaScheduling: {replicaSchedulingType: Duplicated}",
			[4]int32{2, 2, 2, 2}, [4]int32{5, 5, 5, 5}, [4]int32{1, 1, 1, 1}),
		Entry("equally, without weights", here+"replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}",
			[4]int32{6, 2, 2, 2}, [4]int32{9, 3, 3, 3}, [4]int32{3, 1, 1, 1}),
		Entry("by static weights", byWeight,
			[4]int32{6, 1, 2, 3}, [4]int32{12, 2, 4, 6}, [4]int32{6, 1, 2, 3}),
	)
})

var _ = Describe("a Job", func() {
	It("has its parallelism divided, and again when that changes", func(ctx SpecContext) {
		joinAll(ctx, "member0", "member1", "member2")
		j := job(6)
		propagate(ctx, j, false, byWeight)
		goesTo(ctx, j, map[string]int32{"member0": 1, "member1": 2, "member2": 3})
		numbers(ctx, j, "parallelism", map[string]int64{"member0": 1, "member1": 2, "member2": 3})

		fixture.Change(ctx, hub, j, func(j *batchv1.Job) { j.Spec.Parallelism = new(int32(12)) })
		goesTo(ctx, j, map[string]int32{"member0": 2, "member1": 4, "member2": 6})
		numbers(ctx, j, "parallelism", map[string]int64{"member0": 2, "member1": 4, "member2": 6})
	})
})
