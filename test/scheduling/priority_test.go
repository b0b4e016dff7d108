// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("the priority of a binding", func() {
	It("is that of the PriorityClass; a class that does not exist is reported, and keeps nothing from its clusters", func(ctx SpecContext) {
		joinAll(ctx, "member1")
		d := deployment(1)
		p := propagate(ctx, d, false, here)
		goesWhole(ctx, d, 1, "member1")
		fixture.Change(ctx, hub, p, func(p policyv1alpha1.Policy) {
			p.GetSpec().SchedulePriority = &policyv1alpha1.SchedulePriority{
				PriorityClassSource: policyv1alpha1.KubePriorityClass, PriorityClassName: space,
			}
		})
		Eventually(func(g Gomega) {
			missing := meta.FindStatusCondition(binding(ctx, g, d).GetStatus().Conditions, template.PriorityResolved)
			g.Expect(missing).NotTo(BeNil())
			g.Expect(missing.Message).To(ContainSubstring("PriorityClass " + space + " does not exist"))
		}).WithContext(ctx).Should(Succeed())
		fixture.Change(ctx, hub, d, scale(2))
		goesWhole(ctx, d, 2, "member1")

		class := &schedulingv1.PriorityClass{Value: 1000}
		class.Name = space
		Expect(hub.Create(ctx, class)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, class))).To(Succeed()) })
		Eventually(func(g Gomega) {
			b := binding(ctx, g, d)
			g.Expect(b.GetSpec().SchedulePriority).To(Equal(&workv1alpha2.SchedulePriority{Priority: 1000}))
			g.Expect(meta.FindStatusCondition(b.GetStatus().Conditions, template.PriorityResolved)).To(BeNil())
		}).WithContext(ctx).Should(Succeed())
		goesWhole(ctx, d, 2, "member1")
	})
})
