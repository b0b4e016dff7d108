// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("the control plane's own kinds", func() {
	It("are no templates", func(ctx SpecContext) {
		o := fixture.Object(corev1.SchemeGroupVersion.WithKind("ConfigMap"), space, "plain", nil)
		p := fixture.Policy(space, "p", fixture.All(corev1.SchemeGroupVersion.WithKind("ConfigMap")),
			fixture.All(workv1alpha2.GroupVersion.WithKind("ResourceBinding")))
		create(ctx, o, p)
		bound(ctx, o)
		var list workv1alpha2.ResourceBindingList
		Consistently(func(g Gomega) {
			g.Expect(hub.List(ctx, &list, client.InNamespace(space))).To(Succeed())
			for _, b := range list.Items {
				g.Expect(b.Spec.Resource.Kind).To(Equal("ConfigMap"), "the kind of a template")
			}
		}).WithContext(ctx).WithTimeout(5 * settleTime).Should(Succeed())
		Eventually(func() []string { return events.About(space, "p") }).WithContext(ctx).Should(ContainElement(
			ContainSubstring("spec.resourceSelectors[1]: ResourceBinding of work.karmada.io/v1alpha2 is never propagated")))
	})
})

var _ = Describe("a policy with the id of another", func() {
	It("releases nothing of the other when it is deleted", func(ctx SpecContext) {
		o := gadget(false, "one", nil)
		victim := policyFor(false, "victim", o)
		create(ctx, o, victim)
		b := bound(ctx, o)
		id := b.GetLabels()[policyv1alpha1.PropagationPolicyPermanentIDLabel]

		other, err := running.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		thief := fixture.Policy(other, "thief", fixture.All(fixture.GadgetKind))
		thief.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: id})
		create(ctx, thief)
		Eventually(func() ([]string, error) {
			read, err := fresh(thief)(ctx)
			return read.GetFinalizers(), err
		}).WithContext(ctx).ShouldNot(BeEmpty())
		before := awaitValue(ctx, bindingOf(o))
		Expect(hub.Delete(ctx, thief)).To(Succeed())
		Eventually(gone).WithContext(ctx).WithArguments(thief).Should(BeTrue())
		last := gadget(false, "last", nil)
		create(ctx, last, policyFor(false, "last", last))
		bound(ctx, last)
		after := awaitValue(ctx, bindingOf(o))
		Expect(after.GetResourceVersion()).To(Equal(before.GetResourceVersion()), "nobody wrote the binding of the victim")
	})
})
