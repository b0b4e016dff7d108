// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeAwaiting[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeAwaiting[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// justReady has a cluster be ready since now.
func justReady(c *clusterv1alpha1.Cluster) {
	c.Status.Conditions = append(c.Status.Conditions, metav1.Condition{
		Type: clusterv1alpha1.ClusterConditionReady, Status: metav1.ConditionTrue, Reason: "Spec", LastTransitionTime: metav1.NewTime(clock.Now()),
	})
}

func describeAwaiting[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind+" that is divided while a cluster has just joined", func() {
		It("is divided once that reports what is free, among all", func(ctx SpecContext) {
			through := manage[B]()
			join(ctx, "a", cpus("5"), justReady)
			joined := join(ctx, "b", justReady)
			fixture.CaughtUp(ctx, hub, through, &clusterv1alpha1.ClusterList{}) // else the manager may see the binding first
			b, result := decided(ctx, binding[B](ctx, toClusters("a", "b"), replicas(6)))
			Expect(b.GetSpec().Clusters).To(BeEmpty())
			Expect(b.GetStatus().Conditions).To(BeEmpty())
			Expect(result.RequeueAfter).To(Equal(10 * time.Second))

			change(ctx, joined, func(*clusterv1alpha1.Cluster) {})
			cpus("5")(joined)
			Expect(hub.Status().Update(ctx, joined)).To(Succeed())
			Eventually(func() map[string]int32 { return targets(read(ctx, b)) }).Should(Equal(map[string]int32{"a": 3, "b": 3}))
		})

		It("is divided among the others if that reports nothing for long", func(ctx SpecContext) {
			join(ctx, "a", cpus("9"), justReady)
			join(ctx, "b", justReady)
			b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), replicas(6)))
			Expect(b.GetSpec().Clusters).To(BeEmpty())
			clock.SetTime(clock.Now().Add(10 * time.Second))
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 6}))
		})
	})
}
