// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("The status that a Work is applied with", func() {
	It("has conditions and what its object is in one write, for each generation", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		w := b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		one := b.work(ctx)
		Expect(one.Status.Conditions).To(HaveLen(2))
		Expect(one.Status.ManifestStatuses).To(HaveExactElements(workv1alpha1.ManifestStatus{
			Identifier: workv1alpha1.ResourceIdentifier{Version: "v1", Kind: "ConfigMap", Namespace: b.namespace, Name: "m"},
			Health:     workv1alpha2.ResourceHealthy,
		}))
		versions := []string{w.ResourceVersion, one.ResourceVersion}
		Expect(versions[0]).NotTo(Equal(versions[1]))
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap("w")) })
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.work(ctx).Status.ManifestStatuses).To(HaveLen(1))
	})

	It("is left alone afterwards", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		watcher := b.work(ctx)
		watcher.Status.ManifestStatuses[0].Health = workv1alpha2.ResourceUnhealthy // as the watch shows it later
		Expect(hub.Manager.GetClient().Status().Update(ctx, watcher)).To(Succeed())
		b.edit(ctx, configMaps, setValue("drift"))
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("v"))
		Expect(b.work(ctx).Status.ManifestStatuses).To(HaveExactElements(HaveField("Health", workv1alpha2.ResourceUnhealthy)))
	})
})
