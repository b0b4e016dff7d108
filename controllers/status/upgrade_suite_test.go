// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// A manager of a version without the condition Ready writes the others: before an upgrade, or in its turn
// beside this one.
var _ = Describe("The condition Ready of a binding that another version reported", func() {
	change := func(ctx SpecContext, s *sum, by func(*workv1alpha2.ResourceBindingStatus)) {
		b := s.read(ctx)
		by(b.GetStatus())
		Expect(hub.Manager.GetClient().Status().Update(ctx, b)).To(Succeed())
		*s.writes = writes{Client: s.writes.Client}
	}
	ready := func(b workv1alpha2.Binding) *metav1.Condition {
		return meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.Ready)
	}

	It("comes with one write, though nothing else changes", func(ctx SpecContext) {
		s := newJob(ctx)
		was := ready(s.read(ctx)).DeepCopy()
		change(ctx, s, func(status *workv1alpha2.ResourceBindingStatus) {
			status.Conditions = slices.DeleteFunc(status.Conditions, func(c metav1.Condition) bool { return c.Type == workv1alpha2.Ready })
		})
		Expect(ready(s.read(ctx))).To(BeNil())
		is := ready(s.up(ctx))
		Expect(is).NotTo(BeNil())
		is.LastTransitionTime = was.LastTransitionTime
		Expect(is).To(Equal(was))
		s.pass(time.Minute)
		s.up(ctx)
		Expect(s.writes.statuses).To(Equal(1))
	})

	It("follows the others, which that version changed", func(ctx SpecContext) {
		s := newJob(ctx)
		change(ctx, s, func(status *workv1alpha2.ResourceBindingStatus) {
			meta.FindStatusCondition(status.Conditions, workv1alpha2.Ready).Status = metav1.ConditionFalse
		})
		s.up(ctx)
		s.up(ctx)
		Expect(s.writes.statuses).To(Equal(1))
		Expect(ready(s.read(ctx)).Status).NotTo(Equal(metav1.ConditionFalse))
	})
})
