// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/failover"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("an application whose state no script can interpret", func() {
	It("moves once another script does", func(ctx SpecContext) {
		stop, err := running.Manage(map[client.Object]cache.ByObject{
			&workv1alpha2.ResourceBinding{}: {Namespaces: map[string]cache.Config{space: {}}},
		}, func(ctx context.Context, mgr ctrl.Manager) error {
			d, err := suite.Customize(ctx, mgr, rules)
			if err != nil {
				return err
			}
			d.Clock, d.Events, d.Members = clock, events, nil // there is no member
			return failover.New[*workv1alpha2.ResourceBinding](d).Register(ctx, mgr)
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })

		o := gadget[*workv1alpha2.ResourceBinding](map[string]any{"broken": true})
		b := bound[*workv1alpha2.ResourceBinding](ctx, o, []string{"a", "b"})
		report(ctx, b, "a", unhealthy, progress("42"))
		Eventually(func() any { return since(read(ctx, b)) }).Should(HaveKey("a"))
		later(time.Minute)
		report(ctx, b, "b", unhealthy, progress("42"))
		Eventually(func() any { return since(read(ctx, b)) }).Should(HaveKey("b"), "which is waited for, for a minute")
		Expect(tasks(read(ctx, b))).To(BeEmpty(), "the state would be lost")

		cr := suite.Customization(space, o.GroupVersionKind(), configv1alpha1.CustomizationRules{
			StateInterpretation: &configv1alpha1.Script{LuaScript: "function GetState(o) return { mended = 'yes' } end"},
		})
		Expect(hub.Create(ctx, cr)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			Expect(hub.Delete(ctx, cr)).To(Succeed())
			Eventually(func() string { return rules.Snapshot().Origin(o.GroupVersionKind(), engine.InterpretState) }).Should(Equal("bundle gadgets"))
		})
		Eventually(func() any { return tasks(read(ctx, b)) }).Should(HaveKey("a"))
		Expect(tasks(read(ctx, b))["a"].PreservedState).To(Equal(map[string]string{"mended": "yes"}))
	}, NodeTimeout(time.Minute))
})
