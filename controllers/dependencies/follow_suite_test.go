// SPDX-License-Identifier: Apache-2.0

package dependencies_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// account returns a ServiceAccount of the spec that names pull secrets.
func account(name string, secrets ...string) *corev1.ServiceAccount {
	a := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}}
	for _, s := range secrets {
		a.ImagePullSecrets = append(a.ImagePullSecrets, corev1.LocalObjectReference{Name: s})
	}
	return a
}

// runsAs is the spec of a gadget that depends on a ServiceAccount.
func runsAs(name string) map[string]any {
	return map[string]any{"needs": []any{map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "namespace": space, "name": name}}}
}

func addSecret(ctx context.Context, name string) {
	GinkgoHelper()
	Expect(hub.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}})).To(Succeed())
}

// parents reads which bindings the binding of an object of the spec names; nothing where it does not exist.
func parents(ctx context.Context, binding string) []string {
	b := &workv1alpha2.ResourceBinding{}
	if err := hub.Get(ctx, client.ObjectKey{Namespace: space, Name: binding}, b); err != nil || b.DeletionTimestamp != nil {
		return nil
	}
	var all []string
	for _, s := range b.Spec.RequiredBy {
		all = append(all, s.Name)
	}
	return all
}

var _ = Describe("what the dependencies of a template depend on", func() {
	It("goes along, whenever it comes, changes and goes", func(ctx SpecContext) {
		for _, name := range []string{"registry", "mirror"} {
			addSecret(ctx, name)
		}
		p := create(ctx, gadget(false, "p", runsAs("shop")), "a")
		Eventually(func() map[string]string { return fixture.Read(ctx, hub, p).GetAnnotations() }).WithContext(ctx).Should(HaveKey(workv1alpha2.DependenciesAnnotation))

		By("creating the account")
		shop := account("shop", "registry")
		Expect(hub.Create(ctx, shop)).To(Succeed())
		Eventually(parents).WithContext(ctx).WithArguments("registry-secret").Should(ConsistOf(p.GetName()))
		Eventually(func() ([]string, error) { return worksOfBinding(ctx, space, "registry-secret") }).WithContext(ctx).Should(ConsistOf("a"))

		By("changing the account, which another template has got meanwhile")
		q := create(ctx, gadget(false, "q", runsAs("shop")), "b")
		Eventually(parents).WithContext(ctx).WithArguments("registry-secret").Should(ConsistOf(p.GetName(), q.GetName()))
		change(ctx, shop, func(a *corev1.ServiceAccount) { a.ImagePullSecrets[0].Name = "mirror" })
		Eventually(parents).WithContext(ctx).WithArguments("mirror-secret").Should(ConsistOf(p.GetName(), q.GetName()))
		Eventually(parents).WithContext(ctx).WithArguments("registry-secret").Should(BeEmpty())

		By("deleting the account, and its binding, as the garbage collector does")
		Expect(hub.Delete(ctx, shop)).To(Succeed())
		attached := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "shop-serviceaccount"}}
		Expect(hub.Delete(ctx, attached)).To(Succeed())
		Eventually(parents).WithContext(ctx).WithArguments("mirror-secret").Should(BeEmpty())
	})

	It("goes along where what is between comes with a binding of its own", func(ctx SpecContext) {
		addSecret(ctx, "registry")
		p := create(ctx, gadget(false, "p", runsAs("shop")), "a")
		Eventually(func() map[string]string { return fixture.Read(ctx, hub, p).GetAnnotations() }).WithContext(ctx).Should(HaveKey(workv1alpha2.DependenciesAnnotation))
		own := fixture.Binding(fixture.Object(corev1.SchemeGroupVersion.WithKind("ServiceAccount"), space, "shop", nil))
		own.GetSpec().Clusters = fixture.Targets("b")
		Expect(hub.Create(ctx, own)).To(Succeed())
		fixture.CaughtUp(ctx, hub, running.Manager.GetCache(), &workv1alpha2.ResourceBindingList{})
		Expect(hub.Create(ctx, account("shop", "registry"))).To(Succeed())
		Eventually(parents).WithContext(ctx).WithArguments("registry-secret").Should(ConsistOf(p.GetName()))
	})

	It("is left out while a script of what is between fails, which keeps nothing else", func(ctx SpecContext) {
		addConfigMap(ctx, "inner", nil)
		addConfigMap(ctx, "own", nil)
		between := gadget(false, "between", needs("inner"))
		Expect(hub.Create(ctx, between)).To(Succeed())
		spec := map[string]any{"needs": []any{map[string]any{"apiVersion": "spec.dragoman.io/v1", "kind": "Gadget", "namespace": space, "name": "between"}}}
		object := gadget(false, "p", spec)
		p := create(ctx, object, "a")
		Eventually(required("inner")).WithContext(ctx).Should(HaveKey(p.GetName()))

		By("breaking it")
		change(ctx, between, func(o *unstructured.Unstructured) { o.Object["spec"].(map[string]any)["broken"] = true })
		Eventually(unresolved(p)).WithContext(ctx).Should(And(
			HaveField("Reason", "GetDependenciesFailed"), HaveField("Message", And(ContainSubstring("by Gadget between: "), ContainSubstring("the gadget is broken"))),
		))
		change(ctx, object, func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedSlice(o.Object, append(spec["needs"].([]any), needs("own")["needs"].([]any)...), "spec", "needs")
		})
		version := fixture.Read(ctx, hub, object).GetResourceVersion()
		change(ctx, p, func(b workv1alpha2.Binding) { b.GetSpec().Resource.ResourceVersion = version })
		Eventually(required("own")).WithContext(ctx).Should(HaveKey(p.GetName()))
		Expect(required("inner")(ctx)).To(HaveKey(p.GetName()), "what was attached before stays")

		By("mending it")
		change(ctx, between, func(o *unstructured.Unstructured) { delete(o.Object["spec"].(map[string]any), "broken") })
		Eventually(unresolved(p)).WithContext(ctx).Should(BeNil())
	})

	It("is what a new script of what is between returns", func(ctx SpecContext) {
		addConfigMap(ctx, "late", nil)
		kind := configMap.GroupVersion().WithKind("LimitRange")
		Expect(hub.Create(ctx, fixture.Object(kind, space, "limits", map[string]any{"spec": map[string]any{"limits": []any{}}}))).To(Succeed())
		p := create(ctx, gadget(false, "p", map[string]any{"needs": []any{map[string]any{"apiVersion": "v1", "kind": "LimitRange", "namespace": space, "name": "limits"}}}), "a")
		Eventually(parents).WithContext(ctx).WithArguments("limits-limitrange").Should(ConsistOf(p.GetName()))
		rule := configv1alpha1.CustomizationRules{DependencyInterpretation: &configv1alpha1.Script{LuaScript: `function GetDependencies(o)
			return {{apiVersion = "v1", kind = "ConfigMap", namespace = o.metadata.namespace, name = "late"}}
		end`}}
		customization := suite.Customization("limits", kind, rule)
		Expect(hub.Create(ctx, customization)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, customization)).To(Succeed()) })
		Eventually(required("late")).WithContext(ctx).Should(HaveKey(p.GetName()))
	})
})
