// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/suite"
)

// replicaRules are the rules of a customization for replicas.
func replicaRules(lua string) configv1alpha1.CustomizationRules {
	return configv1alpha1.CustomizationRules{ReplicaResource: &configv1alpha1.Script{LuaScript: lua}}
}

// customize makes a customization, which is gone again before the next spec.
func customize(ctx context.Context, o *unstructured.Unstructured, rule configv1alpha1.CustomizationRules) *configv1alpha1.ResourceInterpreterCustomization {
	GinkgoHelper()
	cr := suite.Customization(space, o.GroupVersionKind(), rule)
	Expect(hub.Create(ctx, cr)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		Expect(client.IgnoreNotFound(hub.Delete(ctx, cr))).To(Succeed())
		Eventually(func() string { return rules.Snapshot().Origin(o.GroupVersionKind(), engine.InterpretReplica) }).Should(Equal("bundle gadgets"))
	})
	return cr
}

var _ = Describe("a template whose kind has other scripts", func() {
	replicas := func(o *unstructured.Unstructured) func(context.Context) (int32, error) {
		return func(ctx context.Context) (int32, error) {
			b, err := bindingOf(o)(ctx)
			return b.GetSpec().Replicas, err
		}
	}

	DescribeTable("has the replicas by them, without being touched", func(ctx SpecContext, widePolicy, wide bool) {
		o := gadget(wide, "one", map[string]any{"replicas": int64(4)})
		create(ctx, o, policyFor(widePolicy, "p", o))
		before := bound(ctx, o)
		Expect(before.GetSpec().Replicas).To(BeEquivalentTo(4))
		Eventually(claimsOf(o)).WithContext(ctx).ShouldNot(BeEmpty())
		touched, err := fresh(o)(ctx)
		Expect(err).NotTo(HaveOccurred())

		cr := customize(ctx, o, replicaRules("function GetReplicas(o) return o.spec.replicas + 1 end"))
		Eventually(replicas(o)).WithContext(ctx).Should(BeEquivalentTo(5))
		change(ctx, cr, func(cr *configv1alpha1.ResourceInterpreterCustomization) {
			cr.Spec.Customizations = replicaRules("function GetReplicas(o) return o.spec.replicas + 2 end")
		})
		Eventually(replicas(o)).WithContext(ctx).Should(BeEquivalentTo(6))
		Expect(hub.Delete(ctx, cr)).To(Succeed())
		Eventually(replicas(o)).WithContext(ctx).Should(BeEquivalentTo(4), "the bundle answers again")

		after, err := fresh(o)(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(after.GetResourceVersion()).To(Equal(touched.GetResourceVersion()), "nobody wrote the template")
		Expect(bound(ctx, o).GetSpec().Resource).To(Equal(before.GetSpec().Resource), "and its Works need not be rendered for it")
	}, scopes)
})
