// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("preemption", func() {
	// ranked returns a policy of a priority for one object, which may preempt.
	ranked := func(wide bool, name string, o *unstructured.Unstructured, priority int32, preemption policyv1alpha1.PreemptionBehavior) policyv1alpha1.Policy {
		p := policyFor(wide, name, o)
		p.GetSpec().Priority, p.GetSpec().Preemption = &priority, preemption
		return p
	}
	holder := func(o *unstructured.Unstructured) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			b, err := bindingOf(o)(ctx)
			if name := b.GetAnnotations()[policyv1alpha1.PropagationPolicyNameAnnotation]; name != "" || err != nil {
				return name, err
			}
			return b.GetAnnotations()[policyv1alpha1.ClusterPropagationPolicyNameAnnotation], nil
		}
	}
	always, never := policyv1alpha1.PreemptAlways, policyv1alpha1.PreemptNever

	It("gives a template to the policy of higher priority, with an event", func(ctx SpecContext) {
		with(features.PropagationPolicyPreemption)
		o := gadget(false, "one", nil)
		create(ctx, o, ranked(false, "low", o, 1, never))
		Eventually(holder(o)).WithContext(ctx).Should(Equal("low"))
		create(ctx, ranked(false, "high", o, 2, always))
		Eventually(holder(o)).WithContext(ctx).Should(Equal("high"))
		Eventually(claimsOf(o)).WithContext(ctx).Should(HaveKeyWithValue(policyv1alpha1.PropagationPolicyNameAnnotation, "high"))
		Eventually(func() []string { return events.About(space, "one") }).WithContext(ctx).Should(ContainElement(
			"Normal PreemptPolicySucceed: PropagationPolicy " + space + "/high took the template from PropagationPolicy " + space + "/low"))
	})

	It("gives it from a cluster-wide policy to one of the namespace, whatever the priority", func(ctx SpecContext) {
		with(features.PropagationPolicyPreemption)
		o := gadget(false, "one", nil)
		create(ctx, o, ranked(true, "wide", o, 100, always))
		Eventually(holder(o)).WithContext(ctx).Should(Equal(space + "-wide"))
		create(ctx, ranked(false, "near", o, -1, always))
		Eventually(holder(o)).WithContext(ctx).Should(Equal("near"))
	})

	It("goes by the highest when the priority of the holder is lowered", func(ctx SpecContext) {
		with(features.PropagationPolicyPreemption)
		o := gadget(false, "one", nil)
		top := ranked(false, "top", o, 10, never)
		create(ctx, o, top)
		Eventually(holder(o)).WithContext(ctx).Should(Equal("top"))
		create(ctx, ranked(false, "three", o, 3, always), ranked(false, "seven", o, 7, always), ranked(false, "one", o, 1, always))
		change(ctx, top, func(p policyv1alpha1.Policy) { *p.GetSpec().Priority = 2 })
		Eventually(holder(o)).WithContext(ctx).Should(Equal("seven"))
	})

	It("waits for the gate", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, o, ranked(false, "low", o, 1, never))
		Eventually(holder(o)).WithContext(ctx).Should(Equal("low"))
		create(ctx, ranked(false, "high", o, 2, always))
		other := gadget(false, "other", nil)
		create(ctx, other, ranked(false, "later", other, 1, never))
		bound(ctx, other)
		Consistently(holder(o)).WithContext(ctx).WithTimeout(settleTime).Should(Equal("low"))
	})

	It("leaves the template where it is as long as the other policy waits for an override", func(ctx SpecContext) {
		with(features.PropagationPolicyPreemption)
		o := gadget(false, "one", nil)
		create(ctx, o, ranked(false, "low", o, 1, never))
		Eventually(holder(o)).WithContext(ctx).Should(Equal("low"))
		high := ranked(false, "high", o, 2, always)
		high.GetSpec().DependentOverrides = []string{"needed"}
		create(ctx, high)
		change(ctx, o, func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"replicas": int64(2)} })
		Eventually(func(g Gomega) {
			b, err := bindingOf(o)(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.GetSpec().Replicas).To(Equal(int32(2)))
		}).WithContext(ctx).Should(Succeed())
		Expect(holder(o)(ctx)).To(Equal("low"))
		create(ctx, override(space, "needed"))
		Eventually(holder(o)).WithContext(ctx).Should(Equal("high"))
	})
})

var _ = Describe("association", func() {
	It("changes nothing", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		p := policyFor(false, "p", o)
		p.GetSpec().Association = true
		create(ctx, o, p, fixture.Policy(space, "q", fixture.All(fixture.GadgetKind)))
		Expect(claims(bound(ctx, o))).To(HaveKeyWithValue(policyv1alpha1.PropagationPolicyNameAnnotation, "p"))
	})
})
