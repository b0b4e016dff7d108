// SPDX-License-Identifier: Apache-2.0

package customization_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/uuid"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/customization"
)

var _ = Describe("Customizations of one kind", func() {
	var id string

	// make makes one of the spec; with are its scripts.
	make := func(ctx context.Context, name string, with configv1alpha1.CustomizationRules) string {
		GinkgoHelper()
		cr := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: id + "-" + name, Labels: map[string]string{"spec": id}}}
		cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = deployments.ToAPIVersionAndKind()
		cr.Spec.Customizations = with
		Expect(hub.Manager.GetClient().Create(ctx, cr)).To(Succeed())
		return cr.Name
	}
	health := &configv1alpha1.Script{LuaScript: healthy}
	status := &configv1alpha1.Script{LuaScript: "function ReflectStatus(obj)\n  return obj.status\nend\n"}
	deps := &configv1alpha1.Script{LuaScript: "function GetDependencies(obj)\n  return {}\nend\n"}

	BeforeEach(func() {
		id = "c-" + string(uuid.NewUUID())[:8]
		p := newProcess()
		stop, err := hub.Manage(map[client.Object]cache.ByObject{
			&configv1alpha1.ResourceInterpreterCustomization{}: {Label: labels.SelectorFromSet(labels.Set{"spec": id})},
		}, func(ctx context.Context, mgr ctrl.Manager) error {
			d := p.deps
			d.Client = mgr.GetClient()
			return customization.New(d).Register(ctx, mgr)
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	})
	is := func(ctx context.Context, name string) func() string {
		return func() string { return condition(read(ctx, name), "Active") }
	}

	It("say which of them answers, also when another one comes or goes", func(ctx SpecContext) {
		b := make(ctx, "b", configv1alpha1.CustomizationRules{HealthInterpretation: health, StatusReflection: status})
		Eventually(is(ctx, b)).Should(Equal(active))
		c := make(ctx, "c", configv1alpha1.CustomizationRules{HealthInterpretation: health})
		Eventually(is(ctx, c)).Should(Equal("False Shadowed: it answers nothing: customization " + b + " answers InterpretHealth, since the first by name answers"))
		Expect(is(ctx, b)()).To(Equal(active))
		a := make(ctx, "a", configv1alpha1.CustomizationRules{StatusReflection: status})
		Eventually(is(ctx, b)).Should(Equal("True PartlyShadowed: the other scripts answer for their kind; customization " + a + " answers InterpretStatus, since the first by name answers"))
		remove(ctx, a)
		Eventually(is(ctx, b)).Should(Equal(active))
		remove(ctx, b)
		Eventually(is(ctx, c)).Should(Equal(active))
		remove(ctx, c)
	})

	It("all answer for dependencies", func(ctx SpecContext) {
		a := make(ctx, "a", configv1alpha1.CustomizationRules{DependencyInterpretation: deps})
		b := make(ctx, "b", configv1alpha1.CustomizationRules{DependencyInterpretation: deps})
		Eventually(is(ctx, a)).Should(Equal(active))
		Eventually(is(ctx, b)).Should(Equal(active))
		remove(ctx, a)
		remove(ctx, b)
	})

	It("without scripts say that they answer nothing", func(ctx SpecContext) {
		a := make(ctx, "a", configv1alpha1.CustomizationRules{})
		Eventually(is(ctx, a)).Should(HavePrefix("False Empty: there are no scripts"))
		remove(ctx, a)
	})
})
