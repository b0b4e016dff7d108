// SPDX-License-Identifier: Apache-2.0

package dependencies_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("what a policy selects beside a workload that was moved", func() {
	It("goes along, also what comes later, and not any more once the policy moves nothing", func(ctx SpecContext) {
		p := &policyv1alpha1.PropagationPolicy{}
		p.Namespace, p.Name = space, "app"
		p.Labels = map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: space}
		application := &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
		beside := func(name string) {
			GinkgoHelper()
			b := fixture.Binding(addConfigMap(ctx, name, nil))
			claim.Of(p).Set(b)
			b.GetSpec().Clusters = fixture.Targets("c")
			Expect(hub.Create(ctx, b)).To(Succeed())
		}
		beside("early")
		o := gadget(false, "app", nil)
		Expect(hub.Create(ctx, o)).To(Succeed())
		b := fixture.Binding(o)
		claim.Of(p).Set(b)
		b.GetSpec().Replicas, b.GetSpec().Failover, b.GetSpec().Clusters = 1, application, fixture.Targets("a")
		Expect(hub.Create(ctx, b)).To(Succeed())

		By("moving it")
		change(ctx, b, func(b workv1alpha2.Binding) {
			binding.SetMoved(b, true)
			b.GetSpec().Clusters = fixture.Targets("b")
		})
		to := map[string][]string{b.GetName(): {"b"}}
		Eventually(required("early")).WithContext(ctx).Should(HaveKeyWithValue(b.GetName(), ContainElement("b")))
		beside("late")
		Eventually(required("late")).WithContext(ctx).Should(HaveKey(b.GetName()))
		Eventually(required("late")).WithContext(ctx).Should(Equal(to))

		By("having the policy move nothing any more")
		change(ctx, b, func(b workv1alpha2.Binding) { b.GetSpec().Failover = nil })
		for _, name := range []string{"early", "late"} {
			Eventually(required(name)).WithContext(ctx).Should(BeEmpty(), name)
			left, err := attachedOf(name)(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(left.Spec.Clusters).To(ConsistOf(HaveField("Name", "c")), "its own place")
		}
		Eventually(func(g Gomega) {
			b := fixture.Read(ctx, hub, b)
			g.Expect(b.GetFinalizers()).NotTo(ContainElement(workv1alpha2.DependenciesFinalizer))
			g.Expect(b.GetAnnotations()).NotTo(HaveKey(workv1alpha2.DependenciesAnnotation))
		}).WithContext(ctx).Should(Succeed())
	})
})
