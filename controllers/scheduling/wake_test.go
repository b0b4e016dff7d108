// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeWaking[*workv1alpha2.ResourceBinding]("ResourceBindings")
	_ = describeWaking[*workv1alpha2.ClusterResourceBinding]("ClusterResourceBindings")
)

// tainted keeps new objects off a cluster.
func tainted(c *clusterv1alpha1.Cluster) {
	c.Spec.Taints = []corev1.Taint{{Key: "k", Value: "v", Effect: corev1.TaintEffectNoSchedule}}
}

// describeWaking are the specs of which bindings a change of a cluster enqueues.
func describeWaking[B workv1alpha2.Binding](kind string) bool {
	return Describe("Of many "+kind, func() {
		var a, b *clusterv1alpha1.Cluster
		BeforeEach(func(ctx SpecContext) {
			a, b = join(ctx, "a", cpus("2")), join(ctx, "b", cpus("2"))
			for gadget, with := range map[string][]func(workv1alpha2.Binding){
				"copied":    {toClusters("a", "b")},
				"elsewhere": {toClusters("b")},
				"divided":   {toClusters("a", "b"), divided(2)},
				"short":     {toClusters("a"), replicas(100)},
				"unfit":     {toClusters("c")},
			} {
				decided(ctx, bindingOf[B](ctx, gadget, with...))
			}
		})
		// concerned returns the gadgets of the bindings that a change enqueues.
		concerned := func(ctx context.Context, change placement.Change) []string {
			GinkgoHelper()
			fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{})
			found, err := index.BindingsConcerned[B](ctx, cached, change)
			Expect(err).NotTo(HaveOccurred())
			gadgets := []string{}
			for _, b := range found {
				if name := b.GetSpec().Resource.Name; b.GetNamespace() == space || strings.HasPrefix(name, space) {
					gadgets = append(gadgets, strings.TrimPrefix(name, space+"-"))
				}
			}
			return gadgets
		}

		It("none is enqueued by a heartbeat", func(ctx SpecContext) {
			after := a.DeepCopy()
			after.Status.NodeSummary = &clusterv1alpha1.NodeSummary{TotalNum: 3}
			Expect(concerned(ctx, placement.Change{Before: a, After: after})).To(BeEmpty())
		})

		It("only those that need room are enqueued by more room", func(ctx SpecContext) {
			after := a.DeepCopy()
			cpus("5")(after)
			Expect(concerned(ctx, placement.Change{Before: a, After: after})).To(ConsistOf("short"))
			Expect(concerned(ctx, placement.Change{Before: after, After: a})).To(BeEmpty())
		})

		It("those that it may go to are enqueued by a cluster that joins", func(ctx SpecContext) {
			c := b.DeepCopy()
			c.Name = name("c")
			Expect(concerned(ctx, placement.Change{After: c})).To(ConsistOf("unfit"))
		})

		It("those that may come are enqueued when a taint goes", func(ctx SpecContext) {
			before := b.DeepCopy()
			tainted(before)
			Expect(concerned(ctx, placement.Change{Before: before, After: b})).To(BeEmpty(), "they are there")
			before.Name = name("c")
			after := before.DeepCopy()
			after.Spec.Taints = nil
			Expect(concerned(ctx, placement.Change{Before: before, After: after})).To(ConsistOf("unfit"))
		})

		It("those that wait come by their priority, behind the events of users", func(ctx SpecContext) {
			for gadget, priority := range map[string]int32{"low": 1, "high": 9, "suspended": 10} {
				decided(ctx, bindingOf[B](ctx, gadget, toClusters("c"), func(b workv1alpha2.Binding) {
					b.GetSpec().SchedulePriority = &workv1alpha2.SchedulePriority{Priority: priority}
					b.GetSpec().Suspension = &workv1alpha2.Suspension{Scheduling: new(gadget == "suspended")}
				}))
			}
			c := b.DeepCopy()
			c.Name = name("c")
			q := priorityqueue.New[reconcile.Request](space)
			defer q.ShutDown()
			controller[B]().OnCluster().Create(ctx, event.CreateEvent{Object: c}, q)
			var got []string
			for range q.Len() {
				r, priority, _ := q.GetWithPriority()
				Expect(priority).To(Equal(handler.LowPriority))
				got = append(got, r.Name)
			}
			Expect(got).To(HaveExactElements(ContainSubstring("high"), ContainSubstring("low"), ContainSubstring("unfit")))
		})

		It("those that are there are enqueued when a cluster goes", func(ctx SpecContext) {
			Expect(concerned(ctx, placement.Change{Before: b})).To(ConsistOf("copied", "elsewhere", "divided"))
		})
	})
}
