// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("lazy activation", func() {
	lazy := func(p policyv1alpha1.Policy) policyv1alpha1.Policy {
		p.GetSpec().ActivationPreference = policyv1alpha1.LazyActivation
		return p
	}
	overwrite := func(p policyv1alpha1.Policy) { p.GetSpec().ConflictResolution = policyv1alpha1.ConflictOverwrite }
	edit := func(ctx context.Context, o *unstructured.Unstructured) {
		GinkgoHelper()
		change(ctx, o, func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"replicas": int64(5)} })
	}
	resolution := func(o *unstructured.Unstructured) func(context.Context) (policyv1alpha1.ConflictResolution, error) {
		return func(ctx context.Context) (policyv1alpha1.ConflictResolution, error) {
			b, err := bindingOf(o)(ctx)
			return b.GetSpec().ConflictResolution, err
		}
	}
	generation := func(o *unstructured.Unstructured) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			b, err := bindingOf(o)(ctx)
			return b.GetAnnotations()["propagation.dragoman.io/deferred-policy-generation"], err
		}
	}
	// restart reconciles a template as a manager does that has just started.
	restart := func(ctx context.Context, o *unstructured.Unstructured, policies ...policyv1alpha1.Policy) {
		GinkgoHelper()
		d := deps
		d.Policies = &selection.Index{}
		for _, p := range policies {
			d.Policies.Set(awaitValue(ctx, fresh(p)), "")
		}
		_, err := template.New(d).Reconcile(ctx, templates.KeyOf(o))
		Expect(err).NotTo(HaveOccurred())
	}

	It("binds a template that is created after the policy", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, lazy(policyFor(false, "p", o)), o)
		bound(ctx, o)
	})

	It("binds such a template also when it is the first of its kind", func(ctx SpecContext) {
		kind := late("v1")
		serve(ctx, fixture.Definition(kind, "Namespaced"))
		o := fixture.Object(kind, space, "one", nil)
		create(ctx, lazy(policyFor(false, "p", o)), o)
		bound(ctx, o)
	})

	DescribeTable("claims a template that was there before the policy, and binds it when it is changed", func(ctx SpecContext, first bool) {
		o := gadget(false, "one", nil)
		if first {
			kind := late("v1")
			serve(ctx, fixture.Definition(kind, "Namespaced"))
			o = fixture.Object(kind, space, "one", nil)
		} else {
			// Something else has the kind watched, and the template is seen before the policy.
			other := gadget(false, "other", nil)
			create(ctx, other, policyFor(false, "other", other))
			bound(ctx, other)
		}
		create(ctx, o)
		if !first {
			seen := gadget(false, "seen", nil)
			create(ctx, seen, policyFor(false, "seen", seen))
			bound(ctx, seen)
		}
		p := lazy(policyFor(false, "p", o))
		create(ctx, p)
		Eventually(claimsOf(o)).WithContext(ctx).Should(HaveKeyWithValue(policyv1alpha1.PropagationPolicyNameAnnotation, "p"))
		restart(ctx, o, p)
		change(ctx, p, overwrite)
		Consistently(func() error { _, err := bindingOf(o)(ctx); return err }).WithTimeout(settleTime).Should(HaveOccurred())
		edit(ctx, o)
		bound(ctx, o)
		Eventually(func() (map[string]string, error) {
			read, err := fresh(o)(ctx)
			return read.GetAnnotations(), err
		}).WithContext(ctx).ShouldNot(HaveKey(claim.DeferredAnnotation))
	}, Entry("of a kind that is watched", false), Entry("of a kind that is not", true))

	It("defers a change of the policy until the template is changed, also after a restart", func(ctx SpecContext) {
		o := gadget(false, "one", map[string]any{"replicas": int64(1)})
		p := lazy(policyFor(false, "p", o))
		create(ctx, p, o)
		before := bound(ctx, o)
		change(ctx, p, overwrite)
		Eventually(generation(o)).WithContext(ctx).Should(Equal("2"), "what is deferred is on the binding")
		restart(ctx, o, p)
		Expect(resolution(o)(ctx)).To(Equal(policyv1alpha1.ConflictAbort))
		Expect(bound(ctx, o).GetGeneration()).To(Equal(before.GetGeneration()))
		edit(ctx, o)
		Eventually(resolution(o)).WithContext(ctx).Should(Equal(policyv1alpha1.ConflictOverwrite))
		Expect(generation(o)(ctx)).To(BeEmpty())
	})

	It("takes over a template from another policy when it is changed", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		first, second := policyFor(false, "first", o), lazy(policyFor(false, "second", o))
		overwrite(second)
		create(ctx, o, first)
		before := bound(ctx, o)
		create(ctx, second)
		Expect(hub.Delete(ctx, first)).To(Succeed())
		Eventually(gone).WithContext(ctx).WithArguments(first).Should(BeTrue(), "a deferred claim does not keep the other policy")
		Eventually(claimsOf(o)).WithContext(ctx).Should(HaveKeyWithValue(policyv1alpha1.PropagationPolicyNameAnnotation, "second"))
		b := bound(ctx, o)
		Expect(b.GetSpec().ConflictResolution).To(Equal(policyv1alpha1.ConflictAbort))
		Expect(b.GetSpec().Resource).To(Equal(before.GetSpec().Resource), "nothing is rendered again")
		edit(ctx, o)
		Eventually(resolution(o)).WithContext(ctx).Should(Equal(policyv1alpha1.ConflictOverwrite))
	})

	It("activates what it deferred when the policy ceases to be lazy", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		p := lazy(policyFor(false, "p", o))
		create(ctx, p, o)
		bound(ctx, o)
		change(ctx, p, overwrite)
		Eventually(generation(o)).WithContext(ctx).Should(Equal("2"))
		change(ctx, p, func(p policyv1alpha1.Policy) { p.GetSpec().ActivationPreference = "" })
		Eventually(resolution(o)).WithContext(ctx).Should(Equal(policyv1alpha1.ConflictOverwrite))
		Expect(generation(o)(ctx)).To(BeEmpty())
	})

	It("does not keep a lost binding from being created again", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		create(ctx, lazy(policyFor(false, "p", o)), o)
		b := bound(ctx, o)
		remove(ctx, b)
		Eventually(func() (types.UID, error) {
			again, err := bindingOf(o)(ctx)
			return again.GetUID(), err
		}).WithContext(ctx).ShouldNot(Or(Equal(b.GetUID()), BeEmpty()))
	})

	It("does not defer what other scripts answer", func(ctx SpecContext) {
		o := gadget(false, "one", map[string]any{"replicas": int64(4)})
		create(ctx, lazy(policyFor(false, "p", o)), o)
		bound(ctx, o)
		customize(ctx, o, replicaRules("function GetReplicas(o) return o.spec.replicas + 1 end"))
		Eventually(func() (int32, error) {
			b, err := bindingOf(o)(ctx)
			return b.GetSpec().Replicas, err
		}).WithContext(ctx).Should(BeEquivalentTo(5))
	})
})
