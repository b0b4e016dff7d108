// SPDX-License-Identifier: Apache-2.0

package rebalancer_test

import (
	"context"
	"reflect"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("a WorkloadRebalancer", func() {
	longAgo := time.Unix(1700000000, 0)
	asked := func(ctx context.Context, b workv1alpha2.Binding) *metav1.Time {
		GinkgoHelper()
		return read(ctx, b).GetSpec().RescheduleTriggeredAt
	}
	successful := func(w appsv1alpha1.ObjectReference) appsv1alpha1.ObservedWorkload {
		return appsv1alpha1.ObservedWorkload{Workload: w, Result: "Successful"}
	}
	notFound := func(w appsv1alpha1.ObjectReference) appsv1alpha1.ObservedWorkload {
		return appsv1alpha1.ObservedWorkload{Workload: w, Result: "Failed", Reason: "ReferencedBindingNotFound"}
	}
	list := func(ctx context.Context, r *appsv1alpha1.WorkloadRebalancer, workloads ...appsv1alpha1.ObjectReference) {
		GinkgoHelper()
		change(ctx, r, func(r *appsv1alpha1.WorkloadRebalancer) { r.Spec.Workloads = workloads })
	}

	It("asks for workloads with and without a namespace, as of its creation", func(ctx SpecContext) {
		one, wide := bound(ctx, gadget("one"), longAgo), bound(ctx, wideGadget("two"), longAgo)
		r := rebalance(ctx, wideGadget("two"), gadget("one"))
		Expect(reconcileOnce(ctx, r)).To(Equal(reconcile.Result{}))
		for _, b := range []workv1alpha2.Binding{one, wide} {
			Expect(asked(ctx, b).Time).To(BeTemporally("==", r.CreationTimestamp.Time))
			Expect(read(ctx, b).GetSpec().Clusters).To(Equal(b.GetSpec().Clusters), "the scheduler decides where it goes")
		}
		r = read(ctx, r)
		Expect(r.Status.ObservedWorkloads).To(Equal([]appsv1alpha1.ObservedWorkload{successful(gadget("one")), successful(wideGadget("two"))}))
		Expect(r.Status.ObservedGeneration).To(Equal(r.Generation))
		Expect(r.Status.FinishTime.Time).To(BeTemporally("==", clock.Now()))
	})

	It("writes its status once, each binding once, and then nothing", func(ctx SpecContext) {
		b := bound(ctx, gadget("one"), longAgo)
		before := read(ctx, b)
		r := rebalance(ctx, gadget("one"), gadget("none"))
		writes := 0
		counting := counted(&writes)
		caughtUp(ctx)
		reconcileWith(ctx, counting, r)
		Expect(writes).To(Equal(2), "the binding and the status")
		Expect(read(ctx, b).GetGeneration()).To(Equal(before.GetGeneration() + 1))
		later(time.Hour)
		caughtUp(ctx)
		reconcileWith(ctx, counting, r)
		Expect(writes).To(Equal(2))
	})

	It("asks for a workload that was scheduled in the second of its creation", func(ctx SpecContext) {
		r := rebalance(ctx, gadget("one"))
		b := bound(ctx, gadget("one"), r.CreationTimestamp.Time)
		reconcileOnce(ctx, r)
		Expect(asked(ctx, b).Time).To(BeTemporally(">", r.CreationTimestamp.Time))
	})

	DescribeTable("reports a workload for which it cannot ask", func(ctx SpecContext, with func(workv1alpha2.Binding), reason appsv1alpha1.RebalanceFailedReason) {
		if with != nil {
			b := bound(ctx, gadget("one"), longAgo, with)
			if len(b.GetFinalizers()) > 0 {
				Expect(hub.Delete(ctx, b)).To(Succeed())
				DeferCleanup(func(ctx SpecContext) { change(ctx, b, func(b workv1alpha2.Binding) { b.SetFinalizers(nil) }) })
			}
		}
		r := rebalance(ctx, gadget("one"))
		reconcileOnce(ctx, r)
		r = read(ctx, r)
		Expect(r.Status.ObservedWorkloads).To(ConsistOf(appsv1alpha1.ObservedWorkload{Workload: gadget("one"), Result: "Failed", Reason: reason}))
		Expect(r.Status.FinishTime).NotTo(BeNil())
	},
		Entry("that has no binding", nil, appsv1alpha1.RebalanceObjectNotFound),
		Entry("whose binding is being deleted", func(b workv1alpha2.Binding) { b.SetFinalizers([]string{"spec.dragoman.io/keep"}) }, appsv1alpha1.RebalanceObjectNotFound),
		Entry("whose binding has the name of it and is of another kind", func(b workv1alpha2.Binding) {
			b.GetSpec().Resource.APIVersion = "other.dragoman.io/v1"
		}, appsv1alpha1.RebalanceObjectNotFound),
		Entry("that goes where others go", func(b workv1alpha2.Binding) { b.GetSpec().Placement = nil }, appsv1alpha1.RebalanceNotScheduled),
	)

	It("asks for what is new in its list, also if that was scheduled since its creation", func(ctx SpecContext) {
		one, two := bound(ctx, gadget("one"), longAgo), bound(ctx, gadget("two"), longAgo)
		r := rebalance(ctx, gadget("one"))
		reconcileOnce(ctx, r)
		first := read(ctx, one)
		scheduled := clock.Now()
		schedule(ctx, two, scheduled)
		later(time.Hour)
		list(ctx, r, gadget("two"), gadget("one"))
		reconcileOnce(ctx, r)
		Expect(asked(ctx, two).Time).To(BeTemporally(">", scheduled), "else the scheduler does not follow it")
		Expect(read(ctx, one).GetResourceVersion()).To(Equal(first.GetResourceVersion()), "this one has been asked for")
		r = read(ctx, r)
		Expect(r.Status.ObservedWorkloads).To(Equal([]appsv1alpha1.ObservedWorkload{successful(gadget("one")), successful(gadget("two"))}))
		Expect(r.Status.ObservedGeneration).To(Equal(r.Generation))
		Expect(r.Status.FinishTime.Time).To(BeTemporally("==", clock.Now()))
	})

	It("keeps what it asked for when its list has it no more, and does not ask again when it comes back", func(ctx SpecContext) {
		one := bound(ctx, gadget("one"), longAgo)
		bound(ctx, gadget("two"), longAgo)
		r := rebalance(ctx, gadget("one"), gadget("two"))
		reconcileOnce(ctx, r)
		finished := read(ctx, r).Status.FinishTime
		schedule(ctx, one, clock.Now())
		later(time.Hour)
		list(ctx, r, gadget("two"))
		reconcileOnce(ctx, r)
		after := read(ctx, r)
		Expect(after.Status.ObservedWorkloads).To(Equal([]appsv1alpha1.ObservedWorkload{successful(gadget("one")), successful(gadget("two"))}))
		Expect(after.Status.ObservedGeneration).To(Equal(after.Generation))
		Expect(after.Status.FinishTime).To(Equal(finished), "nothing was left to do")
		before := read(ctx, one)
		list(ctx, r, gadget("two"), gadget("one"))
		reconcileOnce(ctx, r)
		Expect(read(ctx, one).GetResourceVersion()).To(Equal(before.GetResourceVersion()))
	})

	It("tries what failed again when its list changes, and not before", func(ctx SpecContext) {
		r := rebalance(ctx, gadget("one"))
		reconcileOnce(ctx, r)
		b := bound(ctx, gadget("one"), longAgo)
		reconcileOnce(ctx, r)
		Expect(asked(ctx, b)).To(BeNil(), "a binding that is new is placed afresh anyway")
		Expect(read(ctx, r).Status.ObservedWorkloads).To(ConsistOf(notFound(gadget("one"))))
		list(ctx, r, gadget("one"), gadget("two"))
		reconcileOnce(ctx, r)
		Expect(asked(ctx, b)).NotTo(BeNil())
		Expect(read(ctx, r).Status.ObservedWorkloads).To(Equal([]appsv1alpha1.ObservedWorkload{successful(gadget("one")), notFound(gadget("two"))}))
	})

	It("asks for each workload once, also when its status was not written", func(ctx SpecContext) {
		one, two := bound(ctx, gadget("one"), longAgo), bound(ctx, gadget("two"), longAgo)
		r := rebalance(ctx, gadget("one"), gadget("two"))
		caughtUp(ctx)
		result := reconcileWith(ctx, refusing(), r)
		Expect(result.RequeueAfter).To(BeNumerically(">", 0))
		Expect(read(ctx, r).Status.FinishTime).To(BeNil())
		first := asked(ctx, one)
		Expect(first).NotTo(BeNil())
		schedule(ctx, one, clock.Now())
		before := read(ctx, one)
		reconcileOnce(ctx, r)
		Expect(read(ctx, one).GetResourceVersion()).To(Equal(before.GetResourceVersion()))
		Expect(asked(ctx, two)).NotTo(BeNil())
		Expect(read(ctx, r).Status.FinishTime).NotTo(BeNil())
	})

	It("does not write over a binding that it read too early, and comes again", func(ctx SpecContext) {
		b := bound(ctx, gadget("one"), longAgo)
		r := rebalance(ctx, gadget("one"))
		caughtUp(ctx)
		stale := staleFor(read(ctx, b))
		change(ctx, b, func(b workv1alpha2.Binding) { b.GetSpec().Replicas = 3 })
		result := reconcileWith(ctx, stale, r)
		Expect(result.RequeueAfter).To(BeNumerically(">", 0))
		Expect(asked(ctx, b)).To(BeNil())
		reconcileOnce(ctx, r)
		Expect(asked(ctx, b)).NotTo(BeNil())
		Expect(read(ctx, b).GetSpec().Replicas).To(BeEquivalentTo(3))
	})

	Context("with ttlSecondsAfterFinished", func() {
		short := func(ctx context.Context, seconds int32) *appsv1alpha1.WorkloadRebalancer {
			GinkgoHelper()
			r := rebalance(ctx, gadget("one"))
			change(ctx, r, func(r *appsv1alpha1.WorkloadRebalancer) { r.Spec.TTLSecondsAfterFinished = ptr.To(seconds) })
			return r
		}
		gone := func(ctx context.Context, r *appsv1alpha1.WorkloadRebalancer) bool {
			return apierrors.IsNotFound(hub.Get(ctx, client.ObjectKeyFromObject(r), r))
		}

		It("is deleted after that time, and not before", func(ctx SpecContext) {
			r := short(ctx, 60)
			Expect(reconcileOnce(ctx, r).RequeueAfter).To(Equal(time.Minute))
			later(59 * time.Second)
			Expect(reconcileOnce(ctx, r).RequeueAfter).To(Equal(time.Second))
			Expect(gone(ctx, r)).To(BeFalse())
			later(time.Second)
			Expect(reconcileOnce(ctx, r)).To(Equal(reconcile.Result{}))
			Expect(gone(ctx, r)).To(BeTrue())
		})

		It("of 0 is deleted at once, when each workload has its result", func(ctx SpecContext) {
			b := bound(ctx, gadget("one"), longAgo)
			r := short(ctx, 0)
			reconcileOnce(ctx, r)
			Expect(gone(ctx, r)).To(BeTrue())
			Expect(asked(ctx, b)).NotTo(BeNil())
		})

		It("is not deleted while its list has changed", func(ctx SpecContext) {
			r := short(ctx, 60)
			reconcileOnce(ctx, r)
			later(time.Hour)
			caughtUp(ctx)
			stale := staleFor(read(ctx, r))
			list(ctx, r, gadget("one"), gadget("two"))
			Expect(reconcileWith(ctx, stale, r).RequeueAfter).To(BeNumerically(">", 0))
			Expect(gone(ctx, r)).To(BeFalse())
			Expect(reconcileOnce(ctx, r).RequeueAfter).To(Equal(time.Minute))
		})

		It("is deleted also if that was added after it finished", func(ctx SpecContext) {
			r := rebalance(ctx, gadget("one"))
			reconcileOnce(ctx, r)
			later(time.Hour)
			change(ctx, r, func(r *appsv1alpha1.WorkloadRebalancer) { r.Spec.TTLSecondsAfterFinished = ptr.To[int32](60) })
			reconcileOnce(ctx, r) // which tries what failed again
			later(time.Minute)
			reconcileOnce(ctx, r)
			Expect(gone(ctx, r)).To(BeTrue())
		})
	})

	DescribeTable("is refused by the API server", func(ctx SpecContext, by func(*appsv1alpha1.WorkloadRebalancer), at string) {
		r := &appsv1alpha1.WorkloadRebalancer{ObjectMeta: metav1.ObjectMeta{Name: space}}
		r.Spec.Workloads = []appsv1alpha1.ObjectReference{gadget("one")}
		by(r)
		err := hub.Create(ctx, r)
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring(at))
	},
		Entry("without workloads", func(r *appsv1alpha1.WorkloadRebalancer) { r.Spec.Workloads = nil }, "spec.workloads"),
		Entry("with a negative time", func(r *appsv1alpha1.WorkloadRebalancer) { r.Spec.TTLSecondsAfterFinished = ptr.To[int32](-1) }, "spec.ttlSecondsAfterFinished"),
		Entry("with a workload without a kind", func(r *appsv1alpha1.WorkloadRebalancer) { r.Spec.Workloads[0].Kind = "" }, "spec.workloads[0].kind"),
		Entry("with a version that is none", func(r *appsv1alpha1.WorkloadRebalancer) { r.Spec.Workloads[0].APIVersion = "a/b/c" }, "spec.workloads[0].apiVersion"),
	)

	It("is followed by its controller", func(ctx SpecContext) {
		through := manage()
		b := bound(ctx, gadget("one"), longAgo)
		fixture.CaughtUp(ctx, hub, through, &workv1alpha2.ResourceBindingList{}) // bindings and rebalancers have a watch each
		r := rebalance(ctx, gadget("one"))
		Eventually(func() []appsv1alpha1.ObservedWorkload { return read(ctx, r).Status.ObservedWorkloads }).Should(HaveLen(1))
		Expect(asked(ctx, b)).NotTo(BeNil())
		list(ctx, r, gadget("two"))
		Eventually(func() []appsv1alpha1.ObservedWorkload { return read(ctx, r).Status.ObservedWorkloads }).Should(ConsistOf(successful(gadget("one")), notFound(gadget("two"))))
		change(ctx, r, func(r *appsv1alpha1.WorkloadRebalancer) { r.Spec.TTLSecondsAfterFinished = ptr.To[int32](0) })
		Eventually(func() bool { return apierrors.IsNotFound(hub.Get(ctx, client.ObjectKeyFromObject(r), r)) }).Should(BeTrue())
	})
})

// counted returns the client, which counts the writes.
func counted(writes *int) client.Client {
	return interceptor.NewClient(hub, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, options ...client.PatchOption) error {
			*writes++
			return c.Patch(ctx, o, p, options...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, options ...client.SubResourcePatchOption) error {
			*writes++
			return c.SubResource(sub).Patch(ctx, o, p, options...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.DeleteOption) error {
			*writes++
			return c.Delete(ctx, o, options...)
		},
	})
}

// refusing returns the client, which refuses to write a status as if somebody wrote first.
func refusing() client.Client {
	return interceptor.NewClient(hub, interceptor.Funcs{
		SubResourcePatch: func(_ context.Context, _ client.Client, _ string, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
			return apierrors.NewConflict(schema.GroupResource{Resource: "workloadrebalancers"}, o.GetName(), nil)
		},
	})
}

// staleFor returns the client, which reads one object as it was.
func staleFor(was client.Object) client.Client {
	return interceptor.NewClient(hub, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
			if key != client.ObjectKeyFromObject(was) || reflect.TypeOf(o) != reflect.TypeOf(was) {
				return c.Get(ctx, key, o, options...)
			}
			reflect.ValueOf(o).Elem().Set(reflect.ValueOf(was.DeepCopyObject()).Elem())
			return nil
		},
	})
}
