// SPDX-License-Identifier: Apache-2.0

package namespace_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/namespace"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	running *suite.Suite
	hub     client.WithWatch
	deps    base.Deps
	// controller is that of the suite's manager.
	controller *namespace.Controller
	space      string
)

func TestNamespace(t *testing.T) { suite.Specs(t, "Namespace") }

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx)
	hub = running.Client
	var err error
	deps, err = controllers.NewDeps(running.Manager, controllers.Environment{Clock: clock.RealClock{}})
	Expect(err).NotTo(HaveOccurred())
	for _, cluster := range []string{"one", "two"} {
		Expect(hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "karmada-es-" + cluster}})).To(Succeed())
		Expect(hub.Create(ctx, fixture.Cluster(cluster))).To(Succeed())
	}
	controller = namespace.New(deps, namespace.Options{})
	Expect(controller.Register(ctx, running.Manager)).To(Succeed())
	Expect(running.Run()).To(Succeed())
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) {
	var err error
	space, err = running.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
})

// content creates the Work of something in the namespace, as rendering does.
func content(ctx context.Context, cluster, name string) *workv1alpha1.Work {
	GinkgoHelper()
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-" + cluster, Name: space + name, Annotations: map[string]string{
		"resourcebinding.karmada.io/namespace": space, "resourcebinding.karmada.io/name": name,
	}}}
	Expect(hub.Create(ctx, w)).To(Succeed())
	return w
}

// manifest returns the namespace as the Work of a cluster has it.
func manifest(ctx context.Context, g Gomega, cluster string) *unstructured.Unstructured {
	w, m := &workv1alpha1.Work{}, &unstructured.Unstructured{}
	g.Expect(hub.Get(ctx, namespaces.Key(cluster, space), w)).To(Succeed())
	g.Expect(m.UnmarshalJSON(w.Spec.Workload.Manifests[0].Raw)).To(Succeed())
	return m
}

// appears expects the Work of the namespace for a cluster.
func appears(ctx context.Context, cluster string) *workv1alpha1.Work {
	GinkgoHelper()
	w := &workv1alpha1.Work{}
	Eventually(func() error { return hub.Get(ctx, namespaces.Key(cluster, space), w) }).Should(Succeed())
	return w
}

// ends expects that the Work of the namespace is being deleted, removes its finalizer as
// execution does, and returns the Work as it was.
func ends(ctx context.Context, cluster string) *workv1alpha1.Work {
	GinkgoHelper()
	w := &workv1alpha1.Work{}
	Eventually(func(g Gomega) {
		g.Expect(hub.Get(ctx, namespaces.Key(cluster, space), w)).To(Succeed())
		g.Expect(w.DeletionTimestamp).NotTo(BeNil())
	}).Should(Succeed())
	fixture.Change(ctx, hub, w.DeepCopy(), func(w *workv1alpha1.Work) { w.Finalizers = nil })
	return w
}

// reconciled reconciles the namespace once more, with a cache that has all that was
// written.
func reconciled(ctx context.Context) {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, running.Manager.GetClient(), &workv1alpha1.WorkList{}, &workv1alpha2.ClusterResourceBindingList{}, &corev1.NamespaceList{})
	_, err := controller.Reconcile(ctx, reconcile.Request{NamespacedName: types.NamespacedName{Name: space}})
	Expect(err).NotTo(HaveOccurred())
}

func object() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}
}

// remove deletes the namespace from the control plane, as its namespace controller does.
func remove(ctx context.Context) {
	GinkgoHelper()
	n := object()
	Expect(hub.Delete(ctx, n)).To(Succeed())
	Expect(hub.Get(ctx, client.ObjectKeyFromObject(n), n)).To(Succeed())
	n.Spec.Finalizers = nil
	Expect(hub.SubResource("finalize").Update(ctx, n)).To(Succeed())
}

var _ = Describe("a namespace", func() {
	It("goes to the clusters where something in it goes, and to no other", func(ctx SpecContext) {
		content(ctx, "one", "a")
		Expect(appears(ctx, "one").OwnerReferences).To(BeEmpty())
		Expect(apierrors.IsNotFound(hub.Get(ctx, namespaces.Key("two", space), &workv1alpha1.Work{}))).To(BeTrue())
	})

	It("is there before the Work of what is in it", func(ctx SpecContext) {
		works := namespaces.Works{Deps: deps}
		w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-one", Annotations: map[string]string{
			"resourcebinding.karmada.io/namespace": space, "resourcebinding.karmada.io/name": "a",
		}}}
		Eventually(func(g Gomega) {
			g.Expect(works.EnsureFor(ctx, w)).To(Succeed())
			g.Expect(hub.Get(ctx, namespaces.Key("one", space), &workv1alpha1.Work{})).To(Succeed())
		}).Should(Succeed())
	})

	It("has labels and annotations kept in line", func(ctx SpecContext) {
		content(ctx, "one", "a")
		appears(ctx, "one")
		fixture.Change(ctx, hub, object(), func(n *corev1.Namespace) { n.Labels["team"], n.Annotations = "red", map[string]string{"note": "new"} })
		Eventually(func(g Gomega) {
			m := manifest(ctx, g, "one")
			g.Expect(m.GetLabels()).To(HaveKeyWithValue("team", "red"))
			g.Expect(m.GetAnnotations()).To(HaveKeyWithValue("note", "new"))
		}).Should(Succeed())
	})

	It("is as ClusterOverridePolicies change it, also when they come later and go", func(ctx SpecContext) {
		content(ctx, "one", "a")
		appears(ctx, "one")
		p := &policyv1alpha1.ClusterOverridePolicy{ObjectMeta: metav1.ObjectMeta{Name: space}, Spec: policyv1alpha1.OverrideSpec{
			ResourceSelectors: []policyv1alpha1.ResourceSelector{{APIVersion: "v1", Kind: "Namespace", Name: space}},
			OverrideRules: []policyv1alpha1.RuleWithCluster{{Overriders: policyv1alpha1.Overriders{
				LabelsOverrider: []policyv1alpha1.LabelAnnotationOverrider{{Operator: policyv1alpha1.OverriderOpAdd, Value: map[string]string{"zone": "north"}}},
			}}},
		}}
		Expect(hub.Create(ctx, p)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(manifest(ctx, g, "one").GetLabels()).To(HaveKeyWithValue("zone", "north"))
		}).Should(Succeed())
		Expect(appears(ctx, "one").Annotations).To(HaveKey(policyv1alpha1.AppliedClusterOverridesAnnotation))
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(manifest(ctx, g, "one").GetLabels()).NotTo(HaveKey("zone"))
		}).Should(Succeed())
	})

	It("is left where it is once its label excludes it, and goes again once it does not", func(ctx SpecContext) {
		content(ctx, "one", "a")
		appears(ctx, "one")
		fixture.Change(ctx, hub, object(), func(n *corev1.Namespace) { n.Labels[policyv1alpha1.NamespaceSkipAutoPropagationLabel] = "TRUE" })
		Expect(*ends(ctx, "one").Spec.PreserveResourcesOnDeletion).To(BeTrue())
		fixture.Change(ctx, hub, object(), func(n *corev1.Namespace) { delete(n.Labels, policyv1alpha1.NamespaceSkipAutoPropagationLabel) })
		Eventually(func(g Gomega) { g.Expect(appears(ctx, "one").DeletionTimestamp).To(BeNil()) }).Should(Succeed())
	})

	It("is left to a policy of its own, and goes again after that", func(ctx SpecContext) {
		content(ctx, "one", "a")
		appears(ctx, "one")
		b := &workv1alpha2.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: space + "-namespace"}, Spec: workv1alpha2.ResourceBindingSpec{
			Resource: workv1alpha2.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: space},
		}}
		before := appears(ctx, "one")
		content(ctx, "two", "b")
		second := appears(ctx, "two")
		Expect(hub.Create(ctx, b)).To(Succeed())
		By("leaving all as it is until the policy has a cluster")
		reconciled(ctx)
		Expect(appears(ctx, "one").ResourceVersion).To(Equal(before.ResourceVersion))
		By("leaving the Work of a chosen cluster for rendering to take over")
		fixture.Change(ctx, hub, b, func(b *workv1alpha2.ClusterResourceBinding) { b.Spec.Clusters = fixture.Targets("two") })
		Expect(*ends(ctx, "one").Spec.PreserveResourcesOnDeletion).To(BeTrue())
		reconciled(ctx)
		Expect(appears(ctx, "two").ResourceVersion).To(Equal(second.ResourceVersion))
		Expect(hub.Delete(ctx, b)).To(Succeed())
		Eventually(func(g Gomega) { g.Expect(appears(ctx, "one").DeletionTimestamp).To(BeNil()) }).Should(Succeed())
	})

	It("stays in a cluster that nothing in it goes to any more", func(ctx SpecContext) {
		w := content(ctx, "one", "a")
		before := appears(ctx, "one")
		Expect(hub.Delete(ctx, w)).To(Succeed())
		fixture.Change(ctx, hub, object(), func(n *corev1.Namespace) { n.Labels["team"] = "red" })
		Eventually(func(g Gomega) {
			g.Expect(manifest(ctx, g, "one").GetLabels()).To(HaveKeyWithValue("team", "red"))
		}).Should(Succeed())
		Expect(appears(ctx, "one").UID).To(Equal(before.UID))
	})

	It("of the published control plane is taken over where it is", func(ctx SpecContext) {
		n := object()
		Expect(hub.Get(ctx, client.ObjectKeyFromObject(n), n)).To(Succeed())
		key := namespaces.Key("one", space)
		theirs := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, Finalizers: []string{workv1alpha2.ExecutionFinalizer},
			Labels:          map[string]string{workv1alpha2.WorkPermanentIDLabel: "theirs"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(n, skip.Namespace)},
		}}
		m := fixture.Object(skip.Namespace, "", space, nil)
		m.SetLabels(map[string]string{"team": "old"})
		fixture.SetManifest(theirs, m)
		Expect(hub.Create(ctx, theirs)).To(Succeed())
		fixture.Change(ctx, hub, n, func(n *corev1.Namespace) { n.Labels["team"] = "red" })
		Eventually(func(g Gomega) {
			w := &workv1alpha1.Work{}
			g.Expect(hub.Get(ctx, key, w)).To(Succeed())
			g.Expect(w.OwnerReferences).To(BeEmpty(), "the garbage collector would end it before what is in the namespace")
			g.Expect(w.UID).To(Equal(theirs.UID))
			g.Expect(w.Labels).To(HaveKeyWithValue(workv1alpha2.WorkPermanentIDLabel, "theirs"))
			g.Expect(w.Spec.PreserveResourcesOnDeletion).To(HaveValue(BeTrue()))
			g.Expect(manifest(ctx, g, "one").GetLabels()).To(HaveKeyWithValue("team", "red"))
		}).Should(Succeed())
		remove(ctx)
		Expect(*ends(ctx, "one").Spec.PreserveResourcesOnDeletion).To(BeFalse(), "the namespace is gone from the control plane")
	})

	It("comes again while its Work in a cluster ends, and has a new one then", func(ctx SpecContext) {
		w := content(ctx, "one", "a")
		before := appears(ctx, "one")
		remove(ctx)
		Expect(hub.Delete(ctx, w)).To(Succeed())
		Eventually(func() *metav1.Time { return appears(ctx, "one").DeletionTimestamp }).ShouldNot(BeNil())
		Expect(hub.Create(ctx, object())).To(Succeed())
		content(ctx, "one", "b")
		reconciled(ctx)
		Expect(appears(ctx, "one").UID).To(Equal(before.UID), "it is still ending")
		ends(ctx, "one")
		Eventually(func(g Gomega) {
			w := &workv1alpha1.Work{}
			g.Expect(hub.Get(ctx, namespaces.Key("one", space), w)).To(Succeed())
			g.Expect(w.UID).NotTo(Equal(before.UID))
		}).Should(Succeed())
	})

	It("is deleted from a cluster after what was in it", func(ctx SpecContext) {
		w := content(ctx, "one", "a")
		fixture.Change(ctx, hub, w, func(w *workv1alpha1.Work) { w.Finalizers = []string{"karmada.io/execution-controller"} })
		content(ctx, "two", "b")
		appears(ctx, "one")
		second := appears(ctx, "two")
		remove(ctx)
		By("ending nothing while something in the namespace is there")
		Expect(hub.Delete(ctx, w)).To(Succeed())
		Expect(client.IgnoreNotFound(hub.Delete(ctx, &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: second.Namespace, Name: space + "b"}}))).To(Succeed())
		Expect(*ends(ctx, "two").Spec.PreserveResourcesOnDeletion).To(BeFalse())
		Expect(appears(ctx, "one").DeletionTimestamp).To(BeNil())
		By("ending it then")
		fixture.Change(ctx, hub, w, func(w *workv1alpha1.Work) { w.Finalizers = nil })
		Expect(*ends(ctx, "one").Spec.PreserveResourcesOnDeletion).To(BeFalse())
	})
})
