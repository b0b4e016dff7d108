// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	decisions "github.com/dragoman-io/dragoman/controllers/decide/binding"
)

var (
	_ = describeSteady[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeSteady[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// divided gives a binding replicas that are divided by equal static weights, the default
// of Divided.
func divided(n int32) func(workv1alpha2.Binding) {
	return func(b workv1alpha2.Binding) {
		replicas(n)(b)
		b.GetSpec().Placement.ReplicaScheduling = &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided,
		}
	}
}

// evict moves a cluster of a binding to its eviction tasks, as a failover does.
func evict[B workv1alpha2.Binding](ctx context.Context, b B, short string) {
	GinkgoHelper()
	change(ctx, b, func(b B) {
		s := b.GetSpec()
		s.Clusters = slices.DeleteFunc(s.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == name(short) })
		s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: name(short), Reason: "Test", Producer: "spec"}}
	})
}

// evicted ends the eviction tasks of a binding.
func evicted[B workv1alpha2.Binding](ctx context.Context, b B) {
	GinkgoHelper()
	change(ctx, b, func(b B) { b.GetSpec().GracefulEvictionTasks = nil })
}

// failed records that the application failed in a cluster just now.
func failed[B workv1alpha2.Binding](ctx context.Context, b B, short string) {
	GinkgoHelper()
	change(ctx, b, func(b B) {
		Expect(decisions.SetFailures(b, map[string]decisions.Failure{
			name(short): {Time: metav1.NewTime(clock.Now()), Tries: 1, Template: b.GetSpec().Resource.ResourceVersion},
		})).To(Succeed())
	})
}

// copied has a binding go to all clusters that match, or to some number of them.
func copied(most int) func(workv1alpha2.Binding) {
	return func(b workv1alpha2.Binding) {
		replicas(2)(b)
		b.GetSpec().Placement.ReplicaScheduling = nil // a whole copy in each
		if most > 0 {
			b.GetSpec().Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{{SpreadByField: "cluster", MinGroups: 1, MaxGroups: most}}
		}
	}
}

// describeSteady are the specs of what moves a binding that is placed, and what does not.
func describeSteady[B workv1alpha2.Binding](kind string) bool {
	Describe(kind+" that failed in a cluster", func() {
		all := toClusters("a", "b", "c")
		join3 := func(ctx context.Context) {
			for _, short := range []string{"a", "b", "c"} {
				join(ctx, short, cpus("9"))
			}
		}
		It("goes back there after a time if it goes to all clusters", func(ctx SpecContext) {
			join3(ctx)
			b, _ := decided(ctx, binding[B](ctx, all, copied(0)))
			failed(ctx, b, "b")
			evict(ctx, b, "b")
			evicted(ctx, b)
			b, result := decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 2, "c": 2}))
			Expect(result.RequeueAfter).To(Equal(time.Minute), "the time ends without an event")
			clock.SetTime(clock.Now().Add(time.Minute))
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 2, "b": 2, "c": 2}))
		})

		It("stays in the others while these are enough", func(ctx SpecContext) {
			join3(ctx)
			b, _ := decided(ctx, binding[B](ctx, all, copied(2)))
			Expect(targets(b)).To(Equal(map[string]int32{"a": 2, "b": 2}))
			failed(ctx, b, "b")
			evict(ctx, b, "b")
			evicted(ctx, b)
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 2, "c": 2}))
			clock.SetTime(clock.Now().Add(time.Minute))
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 2, "c": 2}))
		})
	})

	return Describe(kind+" that is divided by static weights", func() {
		placed := func(ctx context.Context) B {
			GinkgoHelper()
			join(ctx, "a")
			join(ctx, "b")
			b, _ := decided(ctx, binding[B](ctx, toClusters("a", "b", "c"), divided(12)))
			Expect(targets(b)).To(Equal(map[string]int32{"a": 6, "b": 6}))
			return b
		}

		It("moves nothing to a cluster that joins", func(ctx SpecContext) {
			b := placed(ctx)
			join(ctx, "c")
			after, _ := decided(ctx, b)
			Expect(targets(after)).To(Equal(map[string]int32{"a": 6, "b": 6}))
			Expect(after.GetResourceVersion()).To(Equal(b.GetResourceVersion()))
		})

		It("moves nothing back to the cluster that it was evicted from", func(ctx SpecContext) {
			b := placed(ctx)
			evict(ctx, b, "a")
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"b": 12}))
			evicted(ctx, b)
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"b": 12}))
			Expect(b.GetStatus().SchedulerObservedGeneration).To(Equal(b.GetGeneration()), "it was seen")
		})

		It("is divided again over all clusters when it is scaled", func(ctx SpecContext) {
			b := placed(ctx)
			join(ctx, "c")
			change(ctx, b, func(b B) { b.GetSpec().Replicas = 15 })
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"a": 5, "b": 5, "c": 5}))
		})

		It("leaves a cluster that is gone", func(ctx SpecContext) {
			b := placed(ctx)
			Expect(hub.Delete(ctx, read(ctx, &clusterv1alpha1.Cluster{ObjectMeta: named("a")}))).To(Succeed())
			b, _ = decided(ctx, b)
			Expect(targets(b)).To(Equal(map[string]int32{"b": 12}))
		})

		It("stays where another control plane placed it, in whatever words that recorded the placement", func(ctx SpecContext) {
			join(ctx, "a")
			join(ctx, "b")
			b := binding[B](ctx, divided(12), func(b workv1alpha2.Binding) {
				b.GetSpec().Clusters = []workv1alpha2.TargetCluster{{Name: name("b"), Replicas: 12}}
				b.SetAnnotations(map[string]string{
					policyv1alpha1.AppliedPlacementAnnotation: `{"spreadConstraints":[], "replicaScheduling":{"replicaSchedulingType":"Divided"}}`,
				})
			})
			after, _ := decided(ctx, b)
			Expect(targets(after)).To(Equal(map[string]int32{"b": 12}))
			Expect(after.GetGeneration()).To(Equal(b.GetGeneration()), "the spec was not written")
			Expect(after.GetStatus().SchedulerObservedGeneration).To(Equal(b.GetGeneration()))
		})
	})
}
