// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	bindingrules "github.com/dragoman-io/dragoman/controllers/decide/binding"
)

var (
	_ = describeRescheduling[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeRescheduling[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// describeRescheduling are the specs of requests to place a binding again.
func describeRescheduling[B workv1alpha2.Binding](kind string) bool {
	ask := func(ctx context.Context, b B, at time.Time) {
		GinkgoHelper()
		change(ctx, b, func(b B) { b.GetSpec().RescheduleTriggeredAt = ptr.To(metav1.NewTime(at)) })
	}
	return Describe(kind+" that is to be placed again", func() {
		It("is placed again once, also where the clock of who asked is ahead", func(ctx SpecContext) {
			join(ctx, "a", cpus("4"))
			b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), replicas(4)))
			join(ctx, "b", cpus("9"))
			at := clock.Now().Add(30 * time.Second)
			ask(ctx, b, at)
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"b": 4}))
			Expect(b.GetStatus().LastScheduledTime.Time).To(BeTemporally("==", at), "the request is fulfilled")
			join(ctx, "c", cpus("99"))
			clock.SetTime(clock.Now().Add(time.Second))
			again, _ := decided(ctx, b)
			Expect(again.GetResourceVersion()).To(Equal(b.GetResourceVersion()))
		})

		DescribeTable("has been placed since the request, also where nothing changes", func(ctx SpecContext, ahead time.Duration, needs ...func(workv1alpha2.Binding)) {
			join(ctx, "a", cpus("9"))
			b, _ := decided(ctx, binding[B](ctx, append(needs, toClusters("a"))...))
			before := b.GetSpec().Clusters
			clock.SetTime(clock.Now().Add(time.Minute))
			at := metav1.NewTime(clock.Now().Add(ahead)).Rfc3339Copy()
			ask(ctx, b, at.Time)
			b, _ = decided(ctx, b)
			Expect(b.GetSpec().Clusters).To(Equal(before))
			Expect(b.GetStatus().LastScheduledTime.Before(&at)).To(BeFalse(), "it was placed at %s", b.GetStatus().LastScheduledTime)
			again, _ := decided(ctx, b)
			Expect(again.GetResourceVersion()).To(Equal(b.GetResourceVersion()))
		},
			Entry("with replicas", time.Duration(0), replicas(4)),
			Entry("without replicas", time.Duration(0)),
			Entry("without replicas, at a time that is ahead", time.Second),
		)

		It("stays out of the cluster that it is being evicted from", func(ctx SpecContext) {
			join(ctx, "a")
			join(ctx, "b")
			b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), divided(12)))
			evict(ctx, b, "a")
			clock.SetTime(clock.Now().Add(time.Minute))
			ask(ctx, b, clock.Now())
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"b": 12}))
			evicted(ctx, b)
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"b": 12}), "the request was fulfilled before")
			clock.SetTime(clock.Now().Add(time.Minute))
			ask(ctx, b, clock.Now())
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 6, "b": 6}))
		})

		It("goes also where it failed not long ago: a person asks", func(ctx SpecContext) {
			join(ctx, "a")
			join(ctx, "b")
			b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), divided(12)))
			evict(ctx, b, "a")
			change(ctx, b, func(b B) {
				failed := map[string]bindingrules.Failure{name("a"): {Time: metav1.NewTime(clock.Now()), Tries: 9, Template: b.GetSpec().Resource.ResourceVersion}}
				Expect(bindingrules.SetFailures(b, failed)).To(Succeed())
			})
			b, _ = decided(ctx, b)
			evicted(ctx, b)
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"b": 12}))
			clock.SetTime(clock.Now().Add(time.Second))
			ask(ctx, b, clock.Now())
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 6, "b": 6}))
		})

		It("starts from its first affinity group", func(ctx SpecContext) {
			join(ctx, "a")
			join(ctx, "b")
			b, _ := decided(ctx, binding[B](ctx, inGroups("a", "b"), divided(2)))
			Expect(targets(b)).To(Equal(map[string]int32{"a": 2}))
			evict(ctx, b, "a")
			b, _ = decided(ctx, b)
			Expect(b.GetStatus().SchedulerObservedAffinityName).To(Equal("b"))
			evicted(ctx, b)
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"b": 2}))
			clock.SetTime(clock.Now().Add(time.Minute))
			ask(ctx, b, clock.Now())
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 2}))
			Expect(b.GetStatus().SchedulerObservedAffinityName).To(Equal("a"))
			Expect(b.GetStatus().SchedulerObservedGeneration).To(Equal(b.GetGeneration()))
		})
	})
}

// inGroups gives a binding affinity groups of one cluster each, with its short name.
func inGroups(short ...string) func(workv1alpha2.Binding) {
	return func(b workv1alpha2.Binding) {
		for _, s := range short {
			b.GetSpec().Placement.ClusterAffinities = append(b.GetSpec().Placement.ClusterAffinities, policyv1alpha1.ClusterAffinityTerm{
				AffinityName: s, ClusterAffinity: policyv1alpha1.ClusterAffinity{ClusterNames: []string{name(s)}},
			})
		}
	}
}
