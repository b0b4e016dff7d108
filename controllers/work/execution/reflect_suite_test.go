// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
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
	It("has the conditions alone until the binding has the state that its object lacks now", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.controller = execution.New(base.Deps{
			Client: hub.Manager.GetClient(), Members: b.members, Interpreter: fixture.JobRules(configMaps), Events: b.events, Owner: owner, Gates: features.New(),
		})
		with := func(data map[string]any) *unstructured.Unstructured {
			return fixture.Object(configMaps, b.namespace, "m", map[string]any{"data": data})
		}
		w := fixture.Work(b.cluster, "w", with(map[string]any{"job": "9"}))
		bound := fixture.BindWithState(w, with(nil), b.cluster)
		Expect(hub.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}})).To(Succeed())
		Expect(hub.Manager.GetClient().Create(ctx, bound)).To(Succeed())
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.work(ctx).Status.ManifestStatuses).To(HaveExactElements(HaveField("State", HaveKeyWithValue("job", "9"))))
		for range 2 {
			b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, with(map[string]any{"other": "x"})) })
			Expect(b.apply(ctx)).To(Equal(applied))
			w = b.work(ctx)
			Expect(w.Status.ManifestStatuses).To(HaveExactElements(HaveField("State", HaveKeyWithValue("job", "9"))))
			Expect(meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied).ObservedGeneration).To(Equal(w.Generation))
		}
		bound.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{
			ClusterName: b.cluster, Copy: w.UID, Applied: true, Health: workv1alpha2.ResourceHealthy, State: map[string]string{"job": "9"},
		}}
		Expect(hub.Manager.GetClient().Status().Update(ctx, bound)).To(Succeed())
		Expect(hub.Manager.GetClient().Get(ctx, client.ObjectKeyFromObject(bound), bound)).To(Succeed(), "the cache has it")
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, with(map[string]any{"other": "y"})) })
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.work(ctx).Status.ManifestStatuses).To(HaveExactElements(HaveField("State", BeEmpty())))
	})
})
