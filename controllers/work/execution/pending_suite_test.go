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
		cr := suite.Customization(b.cluster, configMaps, configv1alpha1.CustomizationRules{Retention: &configv1alpha1.Script{
			LuaScript: "function Retain(desired, observed) desired.data.kept = observed.data.kept return desired end",
		}})
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
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap("w")) })
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(ContainSubstring("customization " + b.cluster + " is not compiled yet"))
		Expect(b.value(ctx)).To(Equal("v"))
		Expect(kept()).To(Equal("theirs"))

		rules, errs := d.Compiler.Customization(cr)
		Expect(errs).To(BeEmpty())
		Expect(d.Activator.Replace(engine.Customizations, pending, rules, "1")).To(Succeed())
		Eventually(func() string { return b.value(ctx) }).Should(Equal("w"))
		Expect(kept()).To(Equal("theirs"))
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
	})
})
