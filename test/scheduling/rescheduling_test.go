// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("when clusters change", func() {
	DescribeTable("a copied object is in each that joins, and not in those that leave", func(ctx SpecContext, everywhere bool, object func() client.Object, replicas int32) {
		first := join(ctx, "member1")
		o := object()
		propagate(ctx, o, everywhere, `
clusterAffinity: {labelSelector: {matchLabels: {spec: $space}}}
replicaScheduling: {replicaSchedulingType: Duplicated}
`)
		goesWhole(ctx, o, replicas, "member1")
		join(ctx, "member2")
		goesWhole(ctx, o, replicas, "member1", "member2")
		Expect(hub.Delete(ctx, first)).To(Succeed())
		goesWhole(ctx, o, replicas, "member2")
	}, scopes)

	It("an object without strategy goes to those that are named, also to one that joins later, and to no other", func(ctx SpecContext) {
		joinAll(ctx, "member1", "other")
		d := deployment(1)
		propagate(ctx, d, false, `{clusterAffinity: {clusterNames: [$space-member1, $space-member2]}}`)
		goesWhole(ctx, d, 1, "member1")
		joinAll(ctx, "another", "member2")
		goesWhole(ctx, d, 1, "member1", "member2")
	})

	DescribeTable("divided replicas leave one that leaves, and go to the others", func(ctx SpecContext, preference string) {
		for _, m := range []string{"member1", "member2", "member3"} {
			join(ctx, m, cpus("2")) // equal room: without requests the pods count
		}
		d := deployment(6)
		propagate(ctx, d, false, `
clusterAffinity: {labelSelector: {matchLabels: {spec: $space}}}
replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted`+preference+`}
`)
		goesTo(ctx, d, map[string]int32{"member1": 2, "member2": 2, "member3": 2})
		Expect(hub.Delete(ctx, &clusterv1alpha1.Cluster{ObjectMeta: fixture.Cluster(space + "-member2").ObjectMeta})).To(Succeed())
		goesTo(ctx, d, map[string]int32{"member1": 3, "member3": 3})
		numbers(ctx, d, "replicas", map[string]int64{"member1": 3, "member3": 3})
	},
		Entry("by equal weights", ""),
		Entry("by room", ", weightPreference: {dynamicWeight: AvailableReplicas}"),
	)

	DescribeTable("an object leaves the one whose labels do not match any more", func(ctx SpecContext, everywhere bool, object func() client.Object, replicas int32) {
		first := join(ctx, "member1", labelled("state", "ok"))
		second := join(ctx, "member2", labelled("state", "ok"))
		o := object()
		propagate(ctx, o, everywhere, `{clusterAffinity: {labelSelector: {matchLabels: {spec: $space, state: ok}}}}`)
		goesWhole(ctx, o, replicas, "member1", "member2")
		fixture.Change(ctx, hub, first, labelled("state", "not-ok"))
		goesWhole(ctx, o, replicas, "member2")

		By("changing the label of the last one: that is left too, and reported")
		fixture.Change(ctx, hub, second, labelled("state", "not-ok"))
		Expect(staysOut(ctx, o, "NoClusterFit").Message).To(ContainSubstring("did not match the placement cluster affinity constraint"))
		Eventually(func(g Gomega) { g.Expect(manifests(ctx, g, o)).To(BeEmpty()) }).WithContext(ctx).Should(Succeed())

		By("restoring the label of the first: the object is there again")
		fixture.Change(ctx, hub, first, labelled("state", "ok"))
		goesWhole(ctx, o, replicas, "member1")
	}, scopes)
})
