// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// scopes are the ways in which an object is copied by a policy.
var scopes = []TableEntry{
	Entry("a Deployment, by a policy of its namespace", false, func() client.Object { return deployment(2) }, int32(2)),
	Entry("a Deployment, by a cluster-wide policy", true, func() client.Object { return deployment(2) }, int32(2)),
	Entry("a ClusterRole", true, func() client.Object { return clusterRole() }, int32(0)),
}

var _ = Describe("cluster affinities", func() {
	DescribeTable("move to the next group when the labels of the first stop matching, and stay there", func(ctx SpecContext, everywhere bool, object func() client.Object, replicas int32) {
		first := join(ctx, "member1", labelled("group", "one"))
		join(ctx, "member2", labelled("group", "two"))
		o := object()
		propagate(ctx, o, everywhere, `
clusterAffinities:
  - affinityName: group1
    labelSelector: {matchLabels: {spec: $space, group: one}}
  - affinityName: group2
    labelSelector: {matchLabels: {spec: $space, group: two}}
`)
		b := goesWhole(ctx, o, replicas, "member1")
		Expect(b.GetStatus().SchedulerObservedAffinityName).To(Equal("group1"))

		fixture.Change(ctx, hub, first, labelled("group", "none"))
		b = goesWhole(ctx, o, replicas, "member2")
		Expect(b.GetStatus().SchedulerObservedAffinityName).To(Equal("group2"))

		By("restoring the label, and joining another cluster of the group in force, which shows that both were seen")
		fixture.Change(ctx, hub, first, labelled("group", "one"))
		join(ctx, "member3", labelled("group", "two"))
		b = goesWhole(ctx, o, replicas, "member2", "member3")
		Expect(b.GetStatus().SchedulerObservedAffinityName).To(Equal("group2"))
	}, scopes)

	DescribeTable("follow a policy that switches from one affinity to groups, and back", func(ctx SpecContext, everywhere bool, object func() client.Object, replicas int32) {
		joinAll(ctx, "member1", "member2")
		o := object()
		p := propagate(ctx, o, everywhere, `{clusterAffinity: {clusterNames: [$space-member1]}}`)
		goesWhole(ctx, o, replicas, "member1")

		edit(ctx, p, `{clusterAffinities: [{affinityName: group1, clusterNames: [$space-member2]}]}`)
		b := goesWhole(ctx, o, replicas, "member2")
		Expect(b.GetStatus().SchedulerObservedAffinityName).To(Equal("group1"))

		edit(ctx, p, `{clusterAffinity: {clusterNames: [$space-member1]}}`)
		b = goesWhole(ctx, o, replicas, "member1")
		Expect(b.GetStatus().SchedulerObservedAffinityName).To(BeEmpty())
	}, scopes)

	It("let replicas overflow to further clusters, and take them back from there first", func(ctx SpecContext) {
		join(ctx, "primary", cpus("2"))
		join(ctx, "secondary", cpus("2"))
		d := deployment(2)
		d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
		propagate(ctx, d, false, `
clusterAffinities:
  - affinityName: group1
    clusterNames: [$space-primary]
    overflowAffinities:
      - affinityName: group1-overflow
        clusterNames: [$space-secondary]
replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}
`)
		goesTo(ctx, d, map[string]int32{"primary": 2})
		fixture.Change(ctx, hub, d, scale(4))
		goesTo(ctx, d, map[string]int32{"primary": 2, "secondary": 2})
		numbers(ctx, d, "replicas", map[string]int64{"primary": 2, "secondary": 2})

		fixture.Change(ctx, hub, d, scale(5))
		Expect(staysOut(ctx, d, "Unschedulable").Message).To(ContainSubstring("Clusters available replicas 0 are not enough to schedule"))
		Expect(binding(ctx, Default, d).GetSpec().Clusters).To(HaveLen(2), "what is placed stays")

		fixture.Change(ctx, hub, d, scale(2))
		goesTo(ctx, d, map[string]int32{"primary": 2})
	})
})

// cpus returns a cluster room for so many CPUs.
func cpus(n string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		c.Status.ResourceSummary = &clusterv1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(n), corev1.ResourceMemory: resource.MustParse("64Gi"), corev1.ResourcePods: resource.MustParse("110"),
		}}
	}
}
