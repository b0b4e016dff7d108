// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeQuota[*workv1alpha2.ResourceBinding]("a ResourceBinding", 2, "QuotaExceeded")
	_ = describeQuota[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding, which no quota limits,", 5, "Success")
)

// describeQuota are the specs of a binding that has two replicas and wants five while a quota has
// room for two: it has so many then, for that reason. Each decision is made by a process that has
// just begun.
func describeQuota[B workv1alpha2.Binding](kind string, has int32, reason string) bool {
	start := func(ctx context.Context) B {
		GinkgoHelper()
		join(ctx, "a", cpus("99"))
		join(ctx, "b", cpus("99"))
		q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "q"}}
		q.Spec.Overall = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
		Expect(hub.Create(ctx, q)).To(Succeed())
		b := within(ctx, binding[B](ctx, toClusters("a"), replicas(2)))
		Expect(targets(b)).To(Equal(map[string]int32{"a": 2}))
		change(ctx, b, replicasOf[B](5))
		b = within(ctx, b)
		Expect(targets(b)).To(Equal(map[string]int32{"a": has}))
		return b
	}
	return Describe(kind+" that is larger than it may be", func() {
		It("moves as it is, and is not larger after that", func(ctx SpecContext) {
			b := start(ctx)
			for _, move := range []struct{ from, to string }{{"a", "b"}, {"b", "a"}} {
				change(ctx, b, func(b B) { toClusters(move.to)(b) })
				leave(ctx, b, move.from)
				for range 3 {
					b = within(ctx, b)
					Expect(targets(b)).To(Equal(map[string]int32{move.to: has}))
					Expect(scheduled(b).Reason).To(Equal(reason))
				}
				evicted(ctx, b)
				b = within(ctx, b)
				Expect(targets(b)).To(Equal(map[string]int32{move.to: has}))
			}
		})

		It("is not larger once a copy is back beside the one in its place", func(ctx SpecContext) {
			b := start(ctx)
			change(ctx, b, func(b B) { toClusters("b")(b) })
			leave(ctx, b, "a")
			b = within(ctx, b)
			change(ctx, b, func(b B) {
				s := b.GetSpec()
				s.GracefulEvictionTasks = nil
				s.Clusters = append([]workv1alpha2.TargetCluster{{Name: name("a"), Replicas: 2}}, s.Clusters...)
				toClusters("a", "b")(b)
				replicasOf[B](2 + has)(b) // as many as there are now
			})
			for range 2 {
				b = within(ctx, b)
			}
			sum := int32(0)
			for _, n := range targets(b) {
				sum += n
			}
			want := has
			if reason == "Success" {
				want += 2
			}
			Expect(sum).To(Equal(want))
			Expect(scheduled(b).Reason).To(Equal(reason))
		})
	})
}

// within has a controller that has just begun look at a binding, with quotas enforced.
func within[B workv1alpha2.Binding](ctx context.Context, b B) B {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha2.ClusterResourceBindingList{},
		&clusterv1alpha1.ClusterList{}, &policyv1alpha1.FederatedResourceQuotaList{})
	ledger, err := quotas.New(cached, clock, nil)
	Expect(err).NotTo(HaveOccurred())
	c := scheduling.New[B](base.Deps{Client: cached, Clock: clock, Events: events, Quotas: ledger}, &schedule.Assumptions{})
	_, err = reconcile.AsReconciler(cached, c).Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)})
	Expect(err).NotTo(HaveOccurred())
	return read(ctx, b)
}

// replicasOf has a binding want so many replicas.
func replicasOf[B workv1alpha2.Binding](n int32) func(B) {
	return func(b B) { b.GetSpec().Replicas = n }
}

// leave evicts a binding from a cluster, as a failover does, with the replicas that it has there.
func leave[B workv1alpha2.Binding](ctx context.Context, b B, short string) {
	GinkgoHelper()
	n := targets(read(ctx, b))[short]
	evict(ctx, b, short)
	change(ctx, b, func(b B) { b.GetSpec().GracefulEvictionTasks[0].Replicas = &n })
}
