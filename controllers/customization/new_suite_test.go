// SPDX-License-Identifier: Apache-2.0

package customization_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("A customization that comes while the process runs", func() {
	It("has what decides about copies wait until it is compiled, and whoever reported goes on", func(ctx SpecContext) {
		t := newTenants()
		p := t.process()
		kind := t.kind("bomb")
		Expect(p.engine.Set(engine.Embedded, answering(kind))).To(Succeed())
		t.manage(p)
		replicas := func() script.Code {
			if !p.engine.Snapshot().Supports(kind, engine.InterpretReplica) {
				return "none"
			}
			_, err := p.engine.Snapshot().Replicas(fixture.Object(kind, "space", "one", map[string]any{"spec": map[string]any{"size": int64(3)}}))
			var failure *script.Error
			if errors.As(err, &failure) {
				return failure.Code
			}
			return ""
		}
		cr := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: t.name("bomb"), Labels: map[string]string{"spec": t.id}}}
		cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = kind.ToAPIVersionAndKind()
		cr.Spec.Customizations = configv1alpha1.CustomizationRules{
			HealthInterpretation: &configv1alpha1.Script{LuaScript: bomb},
			ReplicaResource:      &configv1alpha1.Script{LuaScript: "function GetReplicas(obj)\n  return obj.spec.size, nil\nend\n"},
		}
		Expect(replicas()).To(BeEquivalentTo("none"))
		Expect(hub.Client.Create(ctx, cr)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Client.Delete(ctx, cr))).To(Succeed()) })
		Eventually(replicas).Should(Equal(script.Pending))
		Expect(p.asked(kind)).To(BeEmpty())
		Expect(p.answers(kind)).To(Equal("bundle spec"))

		By("compiling it")
		t.explode <- struct{}{}
		Eventually(replicas).Should(BeEmpty())
		Expect(p.answers(kind)).To(Equal("customization " + cr.Name))
		Eventually(p.kinds).Should(ContainElement(And(HavePrefix("Kindbomb "), ContainSubstring("InterpretReplica"))), "what met the pending answer is asked again")

		By("editing it: the generation before answers meanwhile")
		before := cr.DeepCopy()
		cr.Spec.Customizations.HealthInterpretation.LuaScript += "-- edited\n"
		Expect(hub.Client.Patch(ctx, cr, client.MergeFrom(before))).To(Succeed())
		Eventually(t.order).Should(HaveLen(2))
		Expect(replicas()).To(BeEmpty())
		t.explode <- struct{}{}
	})
})
