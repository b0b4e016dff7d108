// SPDX-License-Identifier: Apache-2.0

package dependencies_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("what a policy selects beside a workload that was moved", func() {
	It("goes along, also what comes later, and not any more once the policy moves nothing", func(ctx SpecContext) {
		p := fixture.Policy(space, "app", fixture.All(configMap), fixture.Named(fixture.GadgetKind, "app"))
		p.GetSpec().Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
		Expect(hub.Create(ctx, p)).To(Succeed())
		// placed waits for the binding of an object of the policy, and places it as a scheduler would.
		placed := func(name, cluster string) *workv1alpha2.ResourceBinding {
			GinkgoHelper()
			b := &workv1alpha2.ResourceBinding{}
			Eventually(func() error { return hub.Get(ctx, client.ObjectKey{Namespace: space, Name: name}, b) }).WithContext(ctx).Should(Succeed())
			change(ctx, b, func(b *workv1alpha2.ResourceBinding) { b.GetSpec().Clusters = fixture.Targets(cluster) })
			return b
		}
		beside := func(name string) {
			GinkgoHelper()
			addConfigMap(ctx, name, nil)
			placed(name+"-configmap", "c")
		}
		beside("early")
		Expect(hub.Create(ctx, gadget(false, "app", nil))).To(Succeed())
		b := placed("app-gadget", "a")

		By("moving it")
		change(ctx, b, func(b *workv1alpha2.ResourceBinding) {
			binding.SetMoved(b, true)
			b.GetSpec().Clusters = fixture.Targets("b")
		})
		to := map[string][]string{b.GetName(): {"b"}}
		Eventually(required("early")).WithContext(ctx).Should(HaveKeyWithValue(b.GetName(), ContainElement("b")))
		beside("late")
		Eventually(required("late")).WithContext(ctx).Should(HaveKey(b.GetName()))
		Eventually(func(g Gomega) {
			g.Expect(endWorks(ctx)).To(Succeed()) // the workload is gone from a, and so goes what is needed there
			g.Expect(required("late")(ctx)).To(Equal(to))
		}).WithContext(ctx).Should(Succeed())

		By("having the policy move nothing any more")
		change(ctx, p, func(p policyv1alpha1.Policy) { p.GetSpec().Failover = nil })
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
