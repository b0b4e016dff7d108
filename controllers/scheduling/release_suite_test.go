// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeWithdrawing[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeWithdrawing[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// inUse labels a cluster for the spec; ours has a binding go to the clusters that have the label.
func inUse(c *clusterv1alpha1.Cluster) { c.Labels = map[string]string{"used-by": space} }

func ours(b workv1alpha2.Binding) { b.GetSpec().Placement.ClusterAffinity = oursAlone() }

func oursAlone() *policyv1alpha1.ClusterAffinity {
	return &policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"used-by": space}}}
}

// describeWithdrawing are the specs of clusters that do not match a placement any more.
func describeWithdrawing[B workv1alpha2.Binding](kind string) bool {
	unlabel := func(ctx context.Context, c *clusterv1alpha1.Cluster) {
		GinkgoHelper()
		change(ctx, c, func(c *clusterv1alpha1.Cluster) { c.Labels = nil })
	}
	return Describe(kind+" whose clusters do not match any more", func() {
		It("leaves them, the last one too, and comes back when one matches", func(ctx SpecContext) {
			a, b := join(ctx, "a", inUse), join(ctx, "b", inUse)
			o, _ := decided(ctx, binding[B](ctx, ours))
			Expect(targets(o)).To(Equal(map[string]int32{"a": 0, "b": 0}))
			unlabel(ctx, a)
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(Equal(map[string]int32{"b": 0}))
			unlabel(ctx, b)
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(BeEmpty())
			Expect(scheduled(o).Reason).To(Equal("NoClusterFit"))
			Expect(o.GetSpec().GracefulEvictionTasks).To(ConsistOf(And(HaveField("FromCluster", HaveSuffix("-b")), HaveField("Reason", "Unmatched"),
				HaveField("SuppressDeletion", HaveValue(BeFalse())))), "its copy goes")

			By("writing nothing more")
			clock.SetTime(clock.Now().Add(time.Hour))
			again, result := decided(ctx, o)
			Expect(again.GetResourceVersion()).To(Equal(o.GetResourceVersion()))
			Expect(result.RequeueAfter).To(BeNumerically(">", 0))

			By("placing it again")
			change(ctx, a, inUse)
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(Equal(map[string]int32{"a": 0}))
			Expect(scheduled(o).Status).To(Equal(metav1.ConditionTrue))
		})

		It("is not written when the labels are back before somebody looks", func(ctx SpecContext) {
			a := join(ctx, "a", inUse)
			o, _ := decided(ctx, binding[B](ctx, ours))
			unlabel(ctx, a)
			change(ctx, a, inUse)
			again, _ := decided(ctx, o)
			Expect(again.GetResourceVersion()).To(Equal(o.GetResourceVersion()))
		})

		It("goes to the next affinity group", func(ctx SpecContext) {
			a := join(ctx, "a", inUse)
			join(ctx, "b")
			o, _ := decided(ctx, binding[B](ctx, inGroups("none", "b"), func(b workv1alpha2.Binding) {
				b.GetSpec().Placement.ClusterAffinities[0].ClusterAffinity = *oursAlone()
			}))
			Expect(targets(o)).To(Equal(map[string]int32{"a": 0}))
			unlabel(ctx, a)
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(Equal(map[string]int32{"b": 0}))
			Expect(o.GetStatus().SchedulerObservedAffinityName).To(Equal("b"))
		})

		It("stays where a cluster is being deleted: that is for others to decide", func(ctx SpecContext) {
			a := join(ctx, "a", inUse, func(c *clusterv1alpha1.Cluster) { c.Finalizers = []string{"spec.dragoman.io/keep"} })
			DeferCleanup(func(ctx SpecContext) { change(ctx, a, func(c *clusterv1alpha1.Cluster) { c.Finalizers = nil }) })
			o, _ := decided(ctx, binding[B](ctx, ours))
			unlabel(ctx, a)
			Expect(hub.Delete(ctx, a)).To(Succeed())
			o, _ = decided(ctx, o)
			Expect(scheduled(o).Reason).To(Equal("NoClusterFit"))
			Expect(targets(o)).To(Equal(map[string]int32{"a": 0}))
		})

		It("keeps divided replicas, which a change of labels does not move", func(ctx SpecContext) {
			a := join(ctx, "a", inUse)
			o, _ := decided(ctx, binding[B](ctx, ours, divided(2)))
			unlabel(ctx, a)
			again, _ := decided(ctx, o)
			Expect(again.GetResourceVersion()).To(Equal(o.GetResourceVersion()))

			By("until they are decided about for another reason")
			change(ctx, o, func(o B) { o.GetSpec().Replicas = 3 })
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(BeEmpty())
		})

		It("stays where its placement is another one, and nothing matches that", func(ctx SpecContext) {
			join(ctx, "a", inUse)
			o, _ := decided(ctx, binding[B](ctx, ours))
			change(ctx, o, func(o B) { toClusters("nowhere")(o) })
			o, _ = decided(ctx, o)
			Expect(scheduled(o).Reason).To(Equal("NoClusterFit"))
			Expect(targets(o)).To(Equal(map[string]int32{"a": 0}))
		})

		It("is found by the change", func(ctx SpecContext) {
			through := manage[B]()
			a := join(ctx, "a", inUse)
			fixture.CaughtUp(ctx, hub, through, &clusterv1alpha1.ClusterList{})
			o := binding[B](ctx, ours)
			where := func() map[string]int32 { return targets(read(ctx, o)) }
			Eventually(where).Should(Equal(map[string]int32{"a": 0}))
			unlabel(ctx, a)
			Eventually(where).Should(BeEmpty())
			change(ctx, a, inUse)
			Eventually(where).Should(Equal(map[string]int32{"a": 0}))
		})
	})
}
