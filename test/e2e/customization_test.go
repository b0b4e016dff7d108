// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// healthOf is a customization of how ConfigMaps are healthy.
func healthOf(name, lua string) *configv1alpha1.ResourceInterpreterCustomization {
	return &configv1alpha1.ResourceInterpreterCustomization{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: configv1alpha1.ResourceInterpreterCustomizationSpec{
			Target:         configv1alpha1.CustomizationTarget{APIVersion: "v1", Kind: "ConfigMap"},
			Customizations: configv1alpha1.CustomizationRules{HealthInterpretation: &configv1alpha1.Script{LuaScript: lua}},
		},
	}
}

var _ = Describe("a customization", Ordered, func() {
	const good = "function InterpretHealth(obj)\n  return obj.data ~= nil and obj.data.state == 'fine'\nend\n"

	It("answers for its kind without a restart", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		cr := healthOf("configmap", good)
		Expect(env.Hub.Create(ctx, cr)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, cr))).To(Succeed()) })
		Eventually(func(g Gomega) {
			g.Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(cr), cr)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(cr.Status.Conditions, configv1alpha1.ConditionActive)).To(BeTrue(), "%+v", cr.Status.Conditions)
		}).Should(Succeed())
		env.Apply(ctx, space, placing("v1", "ConfigMap", "nginx", "{}"))
		Expect(env.Hub.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "nginx"}, Data: map[string]string{"state": "ill"}})).To(Succeed())
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-configmap")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Status.AggregatedStatus).To(HaveLen(3))
			for _, item := range b.Status.AggregatedStatus {
				g.Expect(item.Health).To(Equal(workv1alpha2.ResourceUnhealthy))
			}
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))

	DescribeTable("that is broken reports what and where, and the rest continues",
		func(ctx SpecContext, name, lua, message string) {
			broken := healthOf(name, lua)
			Expect(env.Hub.Create(ctx, broken)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(env.Hub.Delete(ctx, broken)).To(Succeed()) })
			Eventually(func(g Gomega) {
				g.Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(broken), broken)).To(Succeed())
				compiled := meta.FindStatusCondition(broken.Status.Conditions, "Compiled")
				g.Expect(compiled).NotTo(BeNil())
				g.Expect(compiled.Status).To(Equal(metav1.ConditionFalse))
				g.Expect(compiled.Message).To(ContainSubstring("spec.customizations.healthInterpretation.luaScript"))
				g.Expect(compiled.Message).To(MatchRegexp(message))
			}).Should(Succeed())
			GinkgoWriter.Println(meta.FindStatusCondition(broken.Status.Conditions, "Compiled").Message)

			space := env.Namespace(ctx)
			env.Apply(ctx, space, duplicated)
			Expect(env.Hub.Create(ctx, fixture.Nginx(space, 1))).To(Succeed())
			Eventually(env.Deployments(ctx, space)).Should(Equal(3))
		},
		Entry("a syntax error", "syntax", "function InterpretHealth(obj)\n  return obj..\nend\n", `line [23].*`, NodeTimeout(10*time.Minute)),
		Entry("a wrong function name", "misspelt", "\nfunction InterpretHeath(obj)\n  return true\nend\n", `line 2: .*InterpretHeath`, NodeTimeout(10*time.Minute)),
		Entry("an endless loop", "endless", "function InterpretHealth(obj)\n  while true do end\nend\n", `line 2: .*gas`, NodeTimeout(10*time.Minute)),
	)
})
