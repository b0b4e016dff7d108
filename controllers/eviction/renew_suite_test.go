// SPDX-License-Identifier: Apache-2.0

package eviction_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeRenewal[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeRenewal[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// tainted makes a binding that leaves a, has nowhere to go, and reports a job there.
func tainted[B workv1alpha2.Binding](ctx context.Context) B {
	GinkgoHelper()
	b := bindingMoving[B](ctx, nil, leaving("a", directly, func(t *task) {
		t.Reason = workv1alpha2.EvictionReasonTaintUntolerated
		t.PreservedLabelState = map[string]string{"job": "1"}
	}))
	change(ctx, b, func(b B) {
		b.GetSpec().Failover = &policyv1alpha1.FailoverBehavior{Cluster: &policyv1alpha1.ClusterFailoverBehavior{
			StatePreservation: &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: "{.job}"}}},
		}}
		Expect(binding.SetCarriedStates(b, []binding.Carried{{
			From: "a", Copies: 1, Labels: map[string]string{"job": "1"}, Time: metav1.NewTime(clock.Now()),
		}})).To(Succeed())
	})
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace("a")}}
	Expect(client.IgnoreAlreadyExists(hub.Create(ctx, space))).To(Succeed())
	w := fixture.Work("a", reference.WorkName(b), fixture.Gadget(b.GetNamespace(), "one", nil))
	w.Annotations = map[string]string{
		workv1alpha2.ResourceBindingNamespaceAnnotation: b.GetNamespace(), workv1alpha2.ResourceBindingNameAnnotation: b.GetName(),
	}
	if scope.IsWideBinding[B]() {
		w.Annotations = map[string]string{workv1alpha2.ClusterResourceBindingNameAnnotation: b.GetName()}
	}
	Expect(hub.Create(ctx, w)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, w))).To(Succeed()) })
	fixture.CaughtUp(ctx, hub, cached, &workv1alpha1.WorkList{})
	return b
}

// runs writes that the copy in a runs a job.
func runs[B workv1alpha2.Binding](ctx context.Context, b B, health workv1alpha2.ResourceHealth, job int) {
	GinkgoHelper()
	before := read(ctx, b)
	changed := before.DeepCopyObject().(B)
	changed.GetStatus().AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{
		ClusterName: "a", Applied: true, Health: health, Status: &runtime.RawExtension{Raw: fmt.Appendf(nil, `{"job":"%d"}`, job)},
	}}
	Expect(hub.Status().Patch(ctx, changed, client.MergeFrom(client.Object(before)))).To(Succeed())
}

// carries returns the job that the next copy gets.
func carries(b workv1alpha2.Binding) string {
	all := binding.CarriedStates(b)
	Expect(all).To(HaveLen(1))
	return all[0].Labels["job"]
}

// describeRenewal are the specs of the state of a copy that has nowhere to go.
func describeRenewal[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind+" that leaves a cluster with a taint and has nowhere to go", func() {
		It("has the state carried over that its job has reached meanwhile", func(ctx SpecContext) {
			b := tainted[B](ctx)
			later(time.Minute)
			runs(ctx, b, healthy, 2)
			b, result := reconcileOnce(ctx, b)
			Expect(carries(b)).To(Equal("2"))
			Expect(result.RequeueAfter).To(BeZero())

			By("reporting too often")
			later(4 * time.Second)
			runs(ctx, b, healthy, 3)
			b, result = reconcileOnce(ctx, b)
			Expect(carries(b)).To(Equal("2"))
			Expect(result.RequeueAfter).To(Equal(6 * time.Second))
			later(6 * time.Second)
			b, _ = reconcileOnce(ctx, b)
			Expect(carries(b)).To(Equal("3"))

			By("finding a place, whose cluster is asked first")
			change(ctx, b, func(b B) { b.GetSpec().Clusters = fixture.Targets("b") })
			later(time.Second)
			runs(ctx, b, healthy, 4)
			b, _ = reconcileOnce(ctx, b)
			Expect(carries(b)).To(Equal("4"))
			Expect(binding.StateFor(b, "b", "").Labels).To(HaveKeyWithValue("job", "4"))
		})

		It("keeps the state of before where its job has failed since", func(ctx SpecContext) {
			b := tainted[B](ctx)
			later(time.Minute)
			runs(ctx, b, unhealthy, 2)
			b, _ = reconcileOnce(ctx, b)
			Expect(carries(b)).To(Equal("1"))
		})

		It("is not written again while its job reports the same", func(ctx SpecContext) {
			b := tainted[B](ctx)
			later(time.Minute)
			runs(ctx, b, healthy, 2)
			once, _ := reconcileOnce(ctx, b)
			later(time.Minute)
			twice, _ := reconcileOnce(ctx, once)
			Expect(twice.GetResourceVersion()).To(Equal(once.GetResourceVersion()))
		})
	})
}
