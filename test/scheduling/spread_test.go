// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// atMostTwo are one or two of the clusters that are labelled so.
const atMostTwo = `
clusterAffinity: {labelSelector: {matchLabels: {spec: $space, location: here}}}
spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 2}]
`

var _ = Describe("labels and counts of clusters", func() {
	BeforeEach(func(ctx SpecContext) {
		joinAll(ctx, "elsewhere1")
		for _, m := range []string{"member1", "member2", "member3"} {
			join(ctx, m, labelled("location", "here"))
		}
	})

	It("bound where a Deployment goes, and each change of its replicas goes there too", func(ctx SpecContext) {
		d := deployment(1)
		propagate(ctx, d, false, atMostTwo)
		goesWhole(ctx, d, 1, "member1", "member2")
		fixture.Change(ctx, hub, d, scale(4))
		goesWhole(ctx, d, 4, "member1", "member2")
		numbers(ctx, d, "replicas", map[string]int64{"member1": 4, "member2": 4})
	})

	It("bound where a CRD goes", func(ctx SpecContext) {
		crd := definition()
		propagate(ctx, crd, true, atMostTwo)
		goesWhole(ctx, crd, 0, "member1", "member2")
		for _, m := range manifests(ctx, Default, crd) {
			Expect(m.Object).NotTo(HaveKey("status"))
		}
	})

	It("bound where a Job goes, and a change of its parallelism goes there too", func(ctx SpecContext) {
		j := job(1)
		propagate(ctx, j, false, atMostTwo)
		goesWhole(ctx, j, 1, "member1", "member2")
		fixture.Change(ctx, hub, j, func(j *batchv1.Job) { j.Spec.Parallelism = new(int32(3)) })
		goesWhole(ctx, j, 3, "member1", "member2")
		numbers(ctx, j, "parallelism", map[string]int64{"member1": 3, "member2": 3})
	})
})

// in puts a cluster into a region.
func in(region string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) { c.Spec.Region = region }
}

var _ = Describe("spreading by region", func() {
	It("uses a cluster of each of two regions, and one cluster when the policy asks for one region", func(ctx SpecContext) {
		join(ctx, "member1", in("north"))
		join(ctx, "member2", in("south"))
		join(ctx, "nowhere")
		d := deployment(1)
		p := propagate(ctx, d, false, here+`
replicaScheduling: {replicaSchedulingType: Duplicated}
spreadConstraints:
  - {spreadByField: cluster, minGroups: 1, maxGroups: 1}
  - {spreadByField: region, minGroups: 2, maxGroups: 2}
`)
		goesWhole(ctx, d, 1, "member1", "member2")

		edit(ctx, p, here+`
replicaScheduling: {replicaSchedulingType: Duplicated}
spreadConstraints:
  - {spreadByField: cluster, minGroups: 1, maxGroups: 1}
  - {spreadByField: region, minGroups: 1, maxGroups: 1}
`)
		goesWhole(ctx, d, 1, "member1")
	})
})

var _ = Describe("a taint of clusters", func() {
	DescribeTable("keeps out what does not tolerate it", func(ctx SpecContext, everywhere bool, object func() client.Object, replicas int32) {
		for short, value := range map[string]string{"member1": "one", "member2": "two"} {
			join(ctx, short, func(c *clusterv1alpha1.Cluster) {
				c.Spec.Taints = []corev1.Taint{{Key: "cluster-toleration.karmada.io", Value: value, Effect: corev1.TaintEffectNoSchedule}}
			})
		}
		o := object()
		propagate(ctx, o, everywhere, here+`
clusterTolerations: [{key: cluster-toleration.karmada.io, operator: Equal, value: one, effect: NoSchedule}]
`)
		goesWhole(ctx, o, replicas, "member1")
	}, scopes)
})
