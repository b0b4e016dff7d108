// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("An object whose customization is not compiled yet", func() {
	// managing runs the controller with the rules of a customization pending, and returns
	// the function that compiles them.
	managing := func(ctx context.Context, b *setup, rules configv1alpha1.CustomizationRules) (compile func()) {
		cr := suite.Customization(b.cluster, configMaps, rules)
		pending := engine.Pending(cr)
		var d controllers.Deps
		b.manageBy(ctx, func(_ context.Context, mgr ctrl.Manager) (controllers.Deps, error) {
			rules, err := fixture.Interpreter()
			Expect(err).NotTo(HaveOccurred())
			if d, err = controllers.NewDeps(mgr, controllers.Environment{Interpreter: rules}); err != nil {
				return d, err
			}
			return d, d.Activator.Announce(engine.Customizations, pending)
		})
		return func() {
			GinkgoHelper()
			rules, errs := d.Compiler.Customization(cr)
			Expect(errs).To(BeEmpty())
			Expect(d.Activator.Replace(engine.Customizations, pending, rules, "1")).To(Succeed())
		}
	}
	notCompiled := func(b *setup) string { return "customization " + b.cluster + " is not compiled yet" }

	It("is not written to before its fields can be retained, and at once then", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		kept := func() string {
			value, _, _ := unstructured.NestedString(b.read(ctx, configMaps).Object, "data", "kept")
			return value
		}
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) {
			Expect(unstructured.SetNestedField(o.Object, "theirs", "data", "kept")).To(Succeed())
		})
		compile := managing(ctx, b, configv1alpha1.CustomizationRules{Retention: &configv1alpha1.Script{
			LuaScript: "function Retain(desired, observed) desired.data.kept = observed.data.kept return desired end",
		}})
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap("w")) })
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(ContainSubstring(notCompiled(b)))
		Expect(b.value(ctx)).To(Equal("v"))
		Expect(kept()).To(Equal("theirs"))

		compile()
		Eventually(func() string { return b.value(ctx) }).Should(Equal("w"))
		Expect(kept()).To(Equal("theirs"))
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
	})

	It("is not created again if it finished meanwhile and was removed", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		compile := managing(ctx, b, configv1alpha1.CustomizationRules{FinishedInterpretation: &configv1alpha1.Script{
			LuaScript: "function IsFinished(o) return o.data.key == 'done' end",
		}})
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(ContainSubstring(notCompiled(b)))
		b.watched(ctx, configMaps)
		b.edit(ctx, configMaps, setValue("done"))
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		b.watched(ctx, configMaps)
		compile()
		Eventually(func() []workv1alpha1.FinishedManifest { return b.work(ctx).Status.Finished }).Should(HaveLen(1))
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
		Expect(b.value(ctx)).To(Equal("gone"))
	})
})
