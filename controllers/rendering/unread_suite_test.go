// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

var (
	_ = describeUnread[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeUnread[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// lastReport is what the old copy reports.
var lastReport = &runtime.RawExtension{Raw: []byte(`{"jobId":"17"}`)}

// said has the Work of the old copy, whose state must survive, report last.
func (r *replacing[B]) said(ctx context.Context) workv1alpha1.Work {
	GinkgoHelper()
	r.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
		s.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
	})
	w := r.works(ctx)["a"]
	before := w.DeepCopy()
	w.Annotations[workv1alpha2.FailoverAnnotation] = workv1alpha2.FailoverState
	Expect(hub.Patch(ctx, &w, client.MergeFrom(before))).To(Succeed())
	before = w.DeepCopy()
	w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue, Reason: "Spec", LastTransitionTime: metav1.Now()}}
	w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{
		Identifier: workv1alpha1.ResourceIdentifier{Version: "v1", Kind: "Gadget", Resource: "gadgets", Name: "one"},
		Health:     workv1alpha2.ResourceUnhealthy, Status: lastReport,
	}}
	Expect(hub.Status().Patch(ctx, &w, client.MergeFrom(before))).To(Succeed())
	return w
}

// describeUnread are the specs of old copies whose last report their binding does not have yet.
func describeUnread[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind+" whose old copy has just reported something", func() {
		// waits has the controller look until only the report is missing.
		waits := func(ctx SpecContext) (*replacing[B], workv1alpha1.Work) {
			GinkgoHelper()
			r := replacement[B](ctx)
			r.onceInMember(ctx)
			w := r.said(ctx)
			Eventually(func() time.Duration { return r.look(ctx).RequeueAfter }).WithContext(ctx).Should(Equal(100 * time.Millisecond))
			Expect(r.going(ctx)).To(BeFalse(), "its last report would be lost")
			return r, w
		}

		It("keeps it until the binding has that", func(ctx SpecContext) {
			r, w := waits(ctx)
			b := read(ctx, r.binding)
			before := b.DeepCopyObject().(client.Object)
			b.GetStatus().AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{
				ClusterName: "a", Applied: true, Copy: w.UID, Health: workv1alpha2.ResourceUnhealthy, Status: lastReport,
			}}
			Expect(hub.Status().Patch(ctx, b, client.MergeFrom(before))).To(Succeed())
			r.look(ctx)
			Expect(r.going(ctx)).To(BeTrue())
		})

		It("waits no longer than it takes to say why", func(ctx SpecContext) {
			r, _ := waits(ctx)
			clock.SetTime(clock.Now().Add(6 * time.Second))
			r.look(ctx)
			Expect(r.going(ctx)).To(BeTrue())
		})
	})
}
