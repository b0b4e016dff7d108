// SPDX-License-Identifier: Apache-2.0

package eviction_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
)

const (
	healthy   = workv1alpha2.ResourceHealthy
	unhealthy = workv1alpha2.ResourceUnhealthy
)

type is = map[string]workv1alpha2.ResourceHealth

var (
	_ = describeEviction[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeEviction[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// describeEviction are the specs of one kind of binding.
func describeEviction[B workv1alpha2.Binding](kind string) bool {
	toB := []string{"b"}
	return Describe(kind, func() {
		It("has its task stamped when the time of it begins: the new copy is there", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			b, result := reconcileOnce(ctx, b)
			Expect(stamp(b)).To(BeNil())
			Expect(result.RequeueAfter).To(BeZero())
			report(ctx, b, is{"b": unhealthy})
			b, result = reconcileOnce(ctx, b)
			Expect(stamp(b).Time).To(BeTemporally("==", clock.Now()))
			Expect(result.RequeueAfter).To(Equal(binding.DefaultEvictionTimeout))
		})

		It("is not written again until something changes", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			report(ctx, b, is{"b": unhealthy})
			once, _ := reconcileOnce(ctx, b)
			later(time.Minute)
			twice, result := reconcileOnce(ctx, b)
			Expect(twice.GetResourceVersion()).To(Equal(once.GetResourceVersion()))
			Expect(result.RequeueAfter).To(Equal(9 * time.Minute))
		})

		It("has its task end when the new copy is healthy, and reports it", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			report(ctx, b, is{"a": unhealthy, "b": healthy})
			b, result := reconcileOnce(ctx, b)
			Expect(evictingClusters(b)).To(BeEmpty())
			Expect(b.GetSpec().Clusters).To(Equal(fixture.Targets("b")))
			published := []string{"Normal EvictWorkloadFromClusterSucceed: Evict from cluster a succeed."}
			Expect(eventsAbout(b)).To(Equal(published))
			Expect(events.About(b.GetSpec().Resource.Namespace, b.GetSpec().Resource.Name)).To(Equal(published))
			Expect(result).To(Equal(reconcile.Result{}))
		})

		It("has its task go on while what is reported healthy is a copy that is gone", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			report(ctx, b, is{"b": healthy})
			before := read(ctx, b)
			changed := before.DeepCopyObject().(B)
			changed.GetStatus().AggregatedStatus[0].Copy = "of-an-earlier-work"
			Expect(hub.Status().Patch(ctx, changed, client.MergeFrom(client.Object(before)))).To(Succeed())
			b, result := reconcileOnce(ctx, b)
			Expect(evictingClusters(b)).To(Equal([]string{"a"}))
			Expect(result.RequeueAfter).To(Equal(time.Second), "the cache of Works may be the one that lags")
		})

		It("has its task end when the time is up", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			report(ctx, b, is{"b": unhealthy})
			reconcileOnce(ctx, b)
			later(binding.DefaultEvictionTimeout)
			b, _ = reconcileOnce(ctx, b)
			Expect(evictingClusters(b)).To(BeEmpty())
		})

		It("has a task end after its own grace period", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a", func(t *task) { t.GracePeriodSeconds = ptr.To[int32](30) }))
			report(ctx, b, is{"b": unhealthy})
			_, result := reconcileOnce(ctx, b)
			Expect(result.RequeueAfter).To(Equal(30 * time.Second))
			later(30 * time.Second)
			b, _ = reconcileOnce(ctx, b)
			Expect(evictingClusters(b)).To(BeEmpty())
		})

		It("has its tasks end one by one", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"), leaving("c", never), leaving("d", func(t *task) { t.GracePeriodSeconds = ptr.To[int32](30) }))
			report(ctx, b, is{"b": unhealthy})
			reconcileOnce(ctx, b)
			later(time.Minute)
			b, result := reconcileOnce(ctx, b)
			Expect(evictingClusters(b)).To(Equal([]string{"a", "c"}))
			Expect(result.RequeueAfter).To(Equal(9 * time.Minute))
			Expect(eventsAbout(b)).To(ConsistOf(ContainSubstring("cluster d")))
		})

		It("keeps what Never keeps until the user confirms", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a", never))
			report(ctx, b, is{"b": healthy})
			b, _ = reconcileOnce(ctx, b)
			Expect(stamp(b).Time).To(BeTemporally("==", clock.Now()))
			later(time.Hour)
			before, _ := reconcileOnce(ctx, b)
			Expect(waits(before)).To(ContainSubstring("AwaitingConfirmation: the copy in cluster a is kept until suppressDeletion"))
			b, result := reconcileOnce(ctx, b)
			Expect(b.GetResourceVersion()).To(Equal(before.GetResourceVersion()))
			Expect(result).To(Equal(reconcile.Result{}))
			change(ctx, b, func(b B) { b.GetSpec().GracefulEvictionTasks[0].SuppressDeletion = ptr.To(false) })
			b, _ = reconcileOnce(ctx, b)
			Expect(evictingClusters(b)).To(BeEmpty())
			Expect(waits(b)).To(BeEmpty())
		})

		It("says what it waits for, with an event where that does not come by itself", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			report(ctx, b, is{"a": unhealthy, "b": unhealthy})
			b, _ = reconcileOnce(ctx, b)
			Expect(waits(b)).To(HavePrefix("NewCopyNotHealthy: the new copy in cluster b is not healthy yet; the eviction from cluster a ends when it is, or at "))
			Expect(eventsAbout(b)).To(BeEmpty())
			refused(ctx, b, "b", "quota exceeded")
			b, _ = reconcileOnce(ctx, b)
			said := And(ContainSubstring("NewCopyNotApplied: "), ContainSubstring("in cluster b: quota exceeded"))
			Expect(waits(b)).To(said)
			Expect(eventsAbout(b)).To(ConsistOf(said))
			Expect(events.About(b.GetSpec().Resource.Namespace, b.GetSpec().Resource.Name)).To(ConsistOf(said))
		})

		It("loses the condition with the last task, whoever removes that", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			b, _ = reconcileOnce(ctx, b)
			Expect(waits(b)).NotTo(BeEmpty())
			change(ctx, b, func(b B) { b.GetSpec().GracefulEvictionTasks = nil })
			b, _ = reconcileOnce(ctx, b)
			Expect(waits(b)).To(BeEmpty())
		})

		It("has the time of a Directly task begin when the new copy was applied", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a", directly))
			report(ctx, b, is{"b": ""})
			b, result := reconcileOnce(ctx, b)
			Expect(stamp(b)).To(BeNil())
			Expect(result).To(Equal(reconcile.Result{}))
			later(time.Hour)
			report(ctx, b, is{"b": unhealthy})
			b, result = reconcileOnce(ctx, b)
			Expect(stamp(b).Time).To(BeTemporally("==", clock.Now()))
			Expect(result.RequeueAfter).To(Equal(binding.DefaultEvictionTimeout))
		})

		Context("without another place", func() {
			nowhere := []string{}

			It("keeps its task for as long as that lasts", func(ctx SpecContext) {
				b := bindingMoving[B](ctx, nowhere, leaving("a"))
				report(ctx, b, is{"a": unhealthy})
				later(24 * time.Hour)
				b, result := reconcileOnce(ctx, b)
				Expect(evictingClusters(b)).To(Equal([]string{"a"}))
				Expect(result).To(Equal(reconcile.Result{}), "only an event can change anything")
				Expect(eventsAbout(b)).To(BeEmpty())
			})

			It("lets the new copy have its full time once there is one", func(ctx SpecContext) {
				b := bindingMoving[B](ctx, nowhere, leaving("a"))
				reconcileOnce(ctx, b)
				later(24 * time.Hour)
				change(ctx, b, func(b B) { b.GetSpec().Clusters = fixture.Targets("b") })
				report(ctx, b, is{"b": unhealthy})
				b, result := reconcileOnce(ctx, b)
				Expect(evictingClusters(b)).To(Equal([]string{"a"}))
				Expect(result.RequeueAfter).To(Equal(binding.DefaultEvictionTimeout))
			})

			It("is taken back when it recovers", func(ctx SpecContext) {
				b := bindingMoving[B](ctx, nowhere, leaving("a", directly, func(t *task) { t.Replicas = ptr.To[int32](3) }))
				report(ctx, b, is{"a": healthy})
				b, _ = reconcileOnce(ctx, b)
				Expect(evictingClusters(b)).To(BeEmpty())
				Expect(b.GetSpec().Clusters).To(Equal([]workv1alpha2.TargetCluster{{Name: "a", Replicas: 3}}))
				Expect(eventsAbout(b)).To(BeEmpty(), "nothing was evicted")
			})
		})

		It("comes again silently when somebody else wrote first", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			report(ctx, b, is{"b": healthy})
			stale := read(ctx, b)
			change(ctx, b, func(b B) { b.GetSpec().PropagateDeps = true })
			result, err := controller[B]().Reconcile(ctx, stale)
			Expect(err).NotTo(HaveOccurred())
			Expect(result.RequeueAfter).To(BeNumerically(">", 0))
			Expect(evictingClusters(read(ctx, b))).To(Equal([]string{"a"}))
			Expect(eventsAbout(b)).To(BeEmpty())
		})

		It("is left alone when it is being deleted", func(ctx SpecContext) {
			b := bindingMoving[B](ctx, toB, leaving("a"))
			change(ctx, b, func(b B) { b.SetFinalizers([]string{"spec.dragoman.io/keep"}) })
			report(ctx, b, is{"b": healthy})
			Expect(hub.Delete(ctx, b)).To(Succeed())
			after, _ := reconcileOnce(ctx, b)
			change(ctx, b, func(b B) { b.SetFinalizers(nil) })
			Expect(evictingClusters(after)).To(Equal([]string{"a"}))
		})

		It("is looked at when a health changes", func(ctx SpecContext) {
			watch[B]()
			b := bindingMoving[B](ctx, toB, leaving("a"))
			report(ctx, b, is{"b": unhealthy})
			Eventually(func() any { return stamp(read(ctx, b)) }).ShouldNot(BeNil())
			report(ctx, b, is{"b": healthy})
			Eventually(func() []string { return evictingClusters(read(ctx, b)) }).Should(BeEmpty())
		})
	})
}
