// SPDX-License-Identifier: Apache-2.0

package dependencies_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/dependencies"
	"github.com/dragoman-io/dragoman/controllers/dependencies/attached"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("what a template depends on", func() {
	for _, wide := range []bool{false, true} {
		Describe(fmt.Sprintf("of a parent without a namespace: %t", wide), func() {
			It("is attached, goes where the parent is, and ends with the parent", func(ctx SpecContext) {
				object := addConfigMap(ctx, "config", nil)
				parent := create(ctx, gadget(wide, "p", needs("config")), "a", "b")
				Eventually(required("config")).WithContext(ctx).Should(Equal(map[string][]string{parent.GetName(): {"a", "b"}}))
				b, err := attachedOf("config")(ctx)
				Expect(err).NotTo(HaveOccurred())
				Expect(b.Spec.Placement).To(BeNil())
				Expect(b.Spec.Clusters).To(BeEmpty())
				Expect(b.Spec.ConflictResolution).To(Equal(policyv1alpha1.ConflictAbort))
				Expect(b.Spec.Resource.UID).To(Equal(object.GetUID()))
				Expect(b.Spec.Resource.ResourceVersion).To(Equal(object.GetResourceVersion()))
				Expect(b.OwnerReferences).To(ConsistOf(And(HaveField("UID", object.GetUID()), HaveField("Name", "config"))))
				Expect(b.Finalizers).To(ConsistOf(workv1alpha2.BindingFinalizer))
				Expect(b.Labels).To(HaveKey(workv1alpha2.ResourceBindingPermanentIDLabel))
				Expect(b.Labels).To(HaveKeyWithValue(names.DependedByLabel(parent.GetNamespace(), parent.GetName()), parent.GetName()))
				Expect(fixture.Read(ctx, hub, parent).GetAnnotations()).To(HaveKeyWithValue(workv1alpha2.DependenciesAnnotation,
					fmt.Sprintf(`[{"apiVersion":"v1","kind":"ConfigMap","namespace":%q,"name":"config"}]`, space)))
				Expect(fixture.Read(ctx, hub, parent).GetFinalizers()).To(ContainElement(workv1alpha2.DependenciesFinalizer))
				Eventually(worksOf("config")).WithContext(ctx).Should(ConsistOf("a", "b"))

				Expect(hub.Delete(ctx, parent)).To(Succeed())
				Eventually(required("config")).WithContext(ctx).Should(BeNil())
				Eventually(func(g Gomega) {
					g.Expect(endWorks(ctx)).To(Succeed())
					g.Expect(worksOf("config")(ctx)).To(BeEmpty())
					g.Expect(gone(ctx, parent)).To(BeTrue(), "the parent")
					g.Expect(gone(ctx, b)).To(BeTrue(), "the attached binding")
				}).WithContext(ctx).Should(Succeed())
			})
		})
	}

	It("is shared by several parents until none needs it", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		q := create(ctx, gadget(false, "q", needs("config")), "b")
		p := create(ctx, gadget(false, "p", needs("config")), "a")
		Eventually(required("config")).WithContext(ctx).Should(Equal(map[string][]string{"p-gadget": {"a"}, "q-gadget": {"b"}}))
		b, err := attachedOf("config")(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(b.Spec.RequiredBy).To(HaveExactElements(HaveField("Name", "p-gadget"), HaveField("Name", "q-gadget")))

		change(ctx, p, func(b workv1alpha2.Binding) { b.GetSpec().PropagateDeps = false })
		Eventually(required("config")).WithContext(ctx).Should(Equal(map[string][]string{"q-gadget": {"b"}}))
		Eventually(func(g Gomega) {
			p := fixture.Read(ctx, hub, p)
			g.Expect(p.GetFinalizers()).NotTo(ContainElement(workv1alpha2.DependenciesFinalizer))
			g.Expect(p.GetAnnotations()).NotTo(HaveKey(workv1alpha2.DependenciesAnnotation))
		}).WithContext(ctx).Should(Succeed())
		change(ctx, q, func(b workv1alpha2.Binding) { b.GetSpec().PropagateDeps = false })
		Eventually(required("config")).WithContext(ctx).Should(BeNil())
	})

	It("follows the template when it needs something else", func(ctx SpecContext) {
		addConfigMap(ctx, "old", nil)
		addConfigMap(ctx, "new", nil)
		object := gadget(false, "p", needs("old"))
		p := create(ctx, object, "a")
		Eventually(required("old")).WithContext(ctx).ShouldNot(BeNil())
		object.Object["spec"] = needs("new")
		Expect(hub.Update(ctx, object)).To(Succeed())
		change(ctx, p, func(b workv1alpha2.Binding) { b.GetSpec().Resource.ResourceVersion = object.GetResourceVersion() })
		Eventually(required("new")).WithContext(ctx).Should(Equal(map[string][]string{"p-gadget": {"a"}}))
		Eventually(required("old")).WithContext(ctx).Should(BeNil())
	})

	It("of another namespace goes along only if it grants that", func(ctx SpecContext) {
		mine := space
		other, err := running.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		space = other
		object := addConfigMap(ctx, "config", nil)
		foreign, own := needs("config")["needs"].([]any), []any(nil)
		space = mine
		addConfigMap(ctx, "own", nil)
		own = needs("own")["needs"].([]any)
		parent := create(ctx, gadget(false, "p", map[string]any{"needs": append(own, foreign...)}), "a")
		Eventually(required("own")).WithContext(ctx).Should(HaveKey(parent.GetName()))
		Eventually(func() []string { return events.About(mine, "p") }).WithContext(ctx).Should(ContainElement(ContainSubstring("DependencyNeedsGrant")))
		space = other
		Expect(required("config")(ctx)).To(BeNil())

		grant := func(to string) {
			object = fixture.Read(ctx, hub, object)
			before := object.DeepCopy()
			object.SetAnnotations(map[string]string{"propagation.dragoman.io/granted-namespaces": to})
			Expect(hub.Patch(ctx, object, client.MergeFrom(before))).To(Succeed())
		}
		grant("somebody, " + mine)
		Eventually(required("config")).WithContext(ctx).Should(HaveKey(parent.GetName()))
		grant("somebody")
		Eventually(required("config")).WithContext(ctx).Should(BeNil())
		grant("*")
		Eventually(required("config")).WithContext(ctx).Should(HaveKey(parent.GetName()))
	})

	It("is picked up when it comes", func(ctx SpecContext) {
		p := create(ctx, gadget(false, "p", needs("late")), "a")
		Eventually(func() map[string]string { return fixture.Read(ctx, hub, p).GetAnnotations() }).WithContext(ctx).Should(HaveKey(workv1alpha2.DependenciesAnnotation))
		Expect(required("late")(ctx)).To(BeNil())
		addConfigMap(ctx, "late", nil)
		Eventually(required("late")).WithContext(ctx).Should(Equal(map[string][]string{"p-gadget": {"a"}}))
	})

	It("is selected by labels, as long as it has them", func(ctx SpecContext) {
		before := addConfigMap(ctx, "before", map[string]string{"for": "p"})
		addConfigMap(ctx, "other", map[string]string{"for": "q"})
		create(ctx, gadget(false, "p", selects("for", "p")), "a")
		Eventually(required("before")).WithContext(ctx).Should(Equal(map[string][]string{"p-gadget": {"a"}}))
		addConfigMap(ctx, "after", map[string]string{"for": "p"})
		Eventually(required("after")).WithContext(ctx).Should(Equal(map[string][]string{"p-gadget": {"a"}}))
		before.SetLabels(nil)
		Expect(hub.Update(ctx, before)).To(Succeed())
		Eventually(required("before")).WithContext(ctx).Should(BeNil())
		Expect(required("other")(ctx)).To(BeNil())
	})

	It("stays where the parent is evicted from until its copy there is gone", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		p := create(ctx, gadget(false, "p", needs("config")), "a")
		Eventually(worksOf("config")).WithContext(ctx).Should(ConsistOf("a"))
		Eventually(func() ([]string, error) { return worksOfBinding(ctx, space, "p-gadget") }).WithContext(ctx).Should(ConsistOf("a"))

		By("evicting the parent")
		change(ctx, p, func(b workv1alpha2.Binding) {
			b.GetSpec().Clusters = fixture.Targets("b")
			b.GetSpec().GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: "a", PurgeMode: policyv1alpha1.PurgeModeGracefully, Reason: "Test", Producer: "test"}}
		})
		Eventually(required("config")).WithContext(ctx).Should(Equal(map[string][]string{"p-gadget": {"b", "a"}}))
		Eventually(worksOf("config")).WithContext(ctx).Should(ConsistOf("a", "b"))

		By("ending the eviction")
		change(ctx, p, func(b workv1alpha2.Binding) { b.GetSpec().GracefulEvictionTasks = nil })
		Eventually(func() ([]string, error) { return deletingWorks(ctx, space, "p-gadget") }).WithContext(ctx).Should(ConsistOf("a"))
		Expect(required("config")(ctx)).To(Equal(map[string][]string{"p-gadget": {"b", "a"}}), "the Work of the parent is not gone yet")

		By("removing the old copy")
		Expect(endWorks(ctx)).To(Succeed())
		Eventually(required("config")).WithContext(ctx).Should(Equal(map[string][]string{"p-gadget": {"b"}}))
		Eventually(func(g Gomega) {
			g.Expect(endWorks(ctx)).To(Succeed())
			g.Expect(worksOf("config")(ctx)).To(ConsistOf("b"))
		}).WithContext(ctx).Should(Succeed())
	})

	It("keeps a policy of its own beside it", func(ctx SpecContext) {
		object := addConfigMap(ctx, "config", nil)
		p := create(ctx, gadget(false, "p", needs("config")), "a")
		Eventually(required("config")).WithContext(ctx).ShouldNot(BeNil())

		own := fixture.Policy(space, "own", fixture.Named(configMap, object.GetName()))
		Expect(hub.Create(ctx, own)).To(Succeed())
		Eventually(func(g Gomega) {
			b, err := attachedOf("config")(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Placement).NotTo(BeNil())
			g.Expect(b.Labels).To(HaveKey(policyv1alpha1.PropagationPolicyPermanentIDLabel))
			g.Expect(required("config")(ctx)).To(HaveKey("p-gadget"))
		}).WithContext(ctx).Should(Succeed())
		b, err := attachedOf("config")(ctx)
		Expect(err).NotTo(HaveOccurred())
		change(ctx, b, func(b *workv1alpha2.ResourceBinding) { b.Spec.Clusters = fixture.Targets("c") })
		Eventually(worksOf("config")).WithContext(ctx).Should(ConsistOf("a", "c"))

		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(required("config")).WithContext(ctx).Should(And(BeEmpty(), Not(BeNil())))
		Eventually(func(g Gomega) {
			g.Expect(endWorks(ctx)).To(Succeed())
			g.Expect(worksOf("config")(ctx)).To(ConsistOf("c"))
			g.Expect(gone(ctx, p)).To(BeTrue())
		}).WithContext(ctx).Should(Succeed())
	})

	It("unites what parents want of it, and reports that they disagree", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		create(ctx, gadget(false, "p", needs("config")), "a")
		q := create(ctx, gadget(false, "q", needs("config")), "b")
		Eventually(required("config")).WithContext(ctx).Should(HaveLen(2))
		change(ctx, q, func(b workv1alpha2.Binding) {
			b.GetSpec().ConflictResolution, b.GetSpec().PreserveResourcesOnDeletion = policyv1alpha1.ConflictOverwrite, new(true)
		})
		Eventually(func(g Gomega) {
			b, err := attachedOf("config")(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.ConflictResolution).To(Equal(policyv1alpha1.ConflictOverwrite))
			g.Expect(b.Spec.PreserveResourcesOnDeletion).To(HaveValue(BeTrue()))
		}).WithContext(ctx).Should(Succeed())
		Eventually(func() []string { return events.About(space, "config-configmap") }).WithContext(ctx).Should(ContainElement(And(
			ContainSubstring("DependencyPolicyConflict"),
			ContainSubstring("ConflictResolution conflicted (Overwrite vs Abort): Overwrite for "+space+"/q-gadget and Abort for "+space+"/p-gadget, so Overwrite applies; "),
			ContainSubstring("PreserveResourcesOnDeletion conflicted (true vs false): true for "+space+"/q-gadget and false for "+space+"/p-gadget, so true applies"),
		)))
	})

	It("is kept in members when its last parent, which asked for that, is deleted", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		p := create(ctx, gadget(false, "p", needs("config")), "a")
		change(ctx, p, func(b workv1alpha2.Binding) { b.GetSpec().PreserveResourcesOnDeletion = new(true) })
		Eventually(func() ([]string, error) { return preservedWorks(ctx, space, "config-configmap") }).WithContext(ctx).Should(ConsistOf("a"))
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(func() ([]string, error) { return deletingWorks(ctx, space, "config-configmap") }).WithContext(ctx).Should(ConsistOf("a"))
		Expect(preservedWorks(ctx, space, "config-configmap")).To(ConsistOf("a"))
	})

	It("renders again what changed", func(ctx SpecContext) {
		object := addConfigMap(ctx, "config", nil)
		create(ctx, gadget(false, "p", needs("config")), "a")
		Eventually(worksOf("config")).WithContext(ctx).Should(ConsistOf("a"))
		Expect(hub.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		object.Object["data"] = map[string]any{"k": "edited"}
		Expect(hub.Update(ctx, object)).To(Succeed())
		Eventually(func(g Gomega) {
			b, err := attachedOf("config")(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Resource.ResourceVersion).To(Equal(object.GetResourceVersion()))
		}).WithContext(ctx).Should(Succeed())
	})

	It("stays as it is while the script of the template fails", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		object := gadget(false, "p", needs("config"))
		p := create(ctx, object, "a")
		Eventually(required("config")).WithContext(ctx).ShouldNot(BeNil())
		object.Object["spec"].(map[string]any)["broken"] = true
		Expect(hub.Update(ctx, object)).To(Succeed())
		change(ctx, p, func(b workv1alpha2.Binding) { b.GetSpec().Resource.ResourceVersion = object.GetResourceVersion() })
		for _, about := range []string{"p", "p-gadget"} {
			Eventually(func() []string { return events.About(space, about) }).WithContext(ctx).Should(ContainElement(And(
				ContainSubstring("GetDependenciesFailed"), ContainSubstring("the gadget is broken"),
			)))
		}
		Expect(required("config")(ctx)).To(Equal(map[string][]string{"p-gadget": {"a"}}))
		Eventually(unresolved(p)).WithContext(ctx).Should(And(
			HaveField("Status", metav1.ConditionFalse), HaveField("Reason", "GetDependenciesFailed"), HaveField("Message", And(
				ContainSubstring("Gadget"), ContainSubstring(space+"/p"), ContainSubstring("gadgets"), ContainSubstring(":2: "), ContainSubstring("the gadget is broken"),
				ContainSubstring("mend the script or the object"),
			)),
		))

		By("reconciling it once more")
		before, again := fixture.Read(ctx, hub, p).GetResourceVersion(), deps
		again.Events = &fixture.Events{} // the manager, which tries again and again, has its own
		fixture.CaughtUp(ctx, hub, running.Manager.GetClient(), &workv1alpha2.ResourceBindingList{})
		b, _ := fixture.Read(ctx, running.Manager.GetClient(), p).(*workv1alpha2.ResourceBinding)
		_, err := dependencies.New[*workv1alpha2.ResourceBinding](again).Reconcile(ctx, b)
		Expect(err).To(MatchError(ContainSubstring("the gadget is broken")))
		Expect(fixture.Read(ctx, hub, p).GetResourceVersion()).To(Equal(before))
		Expect(again.Events.(*fixture.Events).About(space, "p")).To(BeEmpty(), "it is reported once")

		By("mending the gadget")
		Expect(hub.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		delete(object.Object["spec"].(map[string]any), "broken")
		Expect(hub.Update(ctx, object)).To(Succeed())
		change(ctx, p, func(b workv1alpha2.Binding) { b.GetSpec().Resource.ResourceVersion = object.GetResourceVersion() })
		Eventually(unresolved(p)).WithContext(ctx).Should(BeNil())
	})

	It("of a kind that is not served yet is picked up when it comes", func(ctx SpecContext) {
		kind := schema.GroupVersionKind{Group: space + ".dragoman.io", Version: "v1", Kind: "Late"}
		p := create(ctx, gadget(false, "p", map[string]any{"needs": []any{
			map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "namespace": space, "name": "late"},
		}}), "a")
		Eventually(func() map[string]string { return fixture.Read(ctx, hub, p).GetAnnotations() }).WithContext(ctx).Should(HaveKey(workv1alpha2.DependenciesAnnotation))
		Expect(suite.Install(ctx, hub, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))).To(Succeed())
		Expect(hub.Create(ctx, fixture.Object(kind, space, "late", nil))).To(Succeed())
		Eventually(func(g Gomega) {
			b := &workv1alpha2.ResourceBinding{}
			g.Expect(hub.Get(ctx, client.ObjectKey{Namespace: space, Name: "late-late"}, b)).To(Succeed())
			g.Expect(b.Spec.RequiredBy).To(HaveExactElements(HaveField("Name", "p-gadget")))
		}).WithContext(ctx).Should(Succeed())
	})

	It("is as the parents that are left want it, once one is gone", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		create(ctx, gadget(false, "p", needs("config")), "a")
		q := create(ctx, gadget(false, "q", needs("config")), "b")
		change(ctx, q, func(b workv1alpha2.Binding) {
			b.GetSpec().ConflictResolution, b.GetSpec().PreserveResourcesOnDeletion = policyv1alpha1.ConflictOverwrite, new(true)
		})
		Eventually(func() ([]string, error) { return preservedWorks(ctx, space, "config-configmap") }).WithContext(ctx).Should(ConsistOf("a", "b"))
		Expect(hub.Delete(ctx, q)).To(Succeed())
		Eventually(func(g Gomega) {
			b, err := attachedOf("config")(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.RequiredBy).To(HaveExactElements(HaveField("Name", "p-gadget")))
			g.Expect(b.Spec.ConflictResolution).To(Equal(policyv1alpha1.ConflictAbort))
			g.Expect(b.Spec.PreserveResourcesOnDeletion).To(HaveValue(BeFalse()))
		}).WithContext(ctx).Should(Succeed())
		By("keeping it in the member of the parent that asked for that")
		Eventually(func() ([]string, error) { return deletingWorks(ctx, space, "config-configmap") }).WithContext(ctx).Should(ConsistOf("b"))
		Expect(preservedWorks(ctx, space, "config-configmap")).To(ContainElement("b"))
	})

	It("costs a reconcile only where something may depend on it", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		p := create(ctx, gadget(false, "p", needs("config")), "a")
		Eventually(required("config")).WithContext(ctx).ShouldNot(BeNil())
		fixture.CaughtUp(ctx, hub, running.Manager.GetCache(), &workv1alpha2.ResourceBindingList{})
		needed := func(kind schema.GroupVersionKind, name string) bool {
			may, err := index.MayBeNeeded(ctx, running.Manager.GetCache(), kind.GroupKind(), client.ObjectKey{Namespace: space, Name: name})
			Expect(err).NotTo(HaveOccurred())
			return may
		}
		Expect(needed(fixture.GadgetKind, "p")).To(BeFalse(), "the template itself")
		Expect(needed(configMap, "other")).To(BeFalse(), "an object that nothing names")
		Expect(needed(configMap, "config")).To(BeTrue(), "what is named")
		change(ctx, p, func(b workv1alpha2.Binding) { b.GetSpec().PropagateDeps = false })
		fixture.CaughtUp(ctx, hub, running.Manager.GetCache(), &workv1alpha2.ResourceBindingList{})
		create(ctx, gadget(false, "q", selects("for", "q")), "a")
		Eventually(func() bool { return needed(configMap, "other") }).WithContext(ctx).Should(BeTrue(), "any object, where labels select")
		Expect(needed(schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "other")).To(BeFalse(), "an object of another kind")
	})

	It("is not attached without the gate, and detached all the same", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		p := create(ctx, gadget(false, "p", needs("config")), "a")
		Eventually(required("config")).WithContext(ctx).ShouldNot(BeNil())
		withoutGate()
		q := create(ctx, gadget(false, "q", needs("config")), "b")
		reconcileAll(ctx, q)
		Expect(required("config")(ctx)).To(HaveLen(1))
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(required("config")).WithContext(ctx).Should(BeNil())
	})

	It("is written once, and not again", func(ctx SpecContext) {
		addConfigMap(ctx, "config", nil)
		p := create(ctx, gadget(false, "p", needs("config")), "a")
		Eventually(worksOf("config")).WithContext(ctx).Should(ConsistOf("a"))
		b, err := attachedOf("config")(ctx)
		Expect(err).NotTo(HaveOccurred())
		before := fixture.Read(ctx, hub, p).GetResourceVersion()
		reconcileAll(ctx, p)
		after, err := attachedOf("config")(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(after.ResourceVersion).To(Equal(b.ResourceVersion))
		Expect(fixture.Read(ctx, hub, p).GetResourceVersion()).To(Equal(before))
	})

	It("of the published control plane stays as it is", func(ctx SpecContext) {
		withoutGate() // nothing is attached until both are there
		object := addConfigMap(ctx, "config", nil)
		template := gadget(false, "p", needs("config", "more"))
		Expect(hub.Create(ctx, template)).To(Succeed())
		p := fixture.Binding(template).(*workv1alpha2.ResourceBinding)
		b := fixture.Binding(object).(*workv1alpha2.ResourceBinding)
		b.Labels = map[string]string{workv1alpha2.ResourceBindingPermanentIDLabel: "id", names.DependedByLabel(space, p.Name): p.Name}
		b.Spec.Placement, b.Spec.ConflictResolution = nil, policyv1alpha1.ConflictAbort
		b.Spec.RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: space, Name: p.Name, Clusters: []workv1alpha2.TargetCluster{{Name: "b", Replicas: 2}, {Name: "a", Replicas: 1}}}}
		p.Spec.PropagateDeps, p.Spec.Clusters = true, []workv1alpha2.TargetCluster{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 2}}
		p.Finalizers = append(p.Finalizers, workv1alpha2.DependenciesFinalizer)
		p.Annotations[workv1alpha2.DependenciesAnnotation] = fmt.Sprintf(
			`[{"apiVersion":"v1","kind":"ConfigMap","namespace":%q,"name":"more"},{"apiVersion":"v1","kind":"ConfigMap","namespace":%q,"name":"config"}]`, space, space)
		Expect(hub.Create(ctx, p)).To(Succeed())
		fixture.CaughtUp(ctx, hub, running.Manager.GetCache(), &workv1alpha2.ResourceBindingList{})
		Expect(hub.Create(ctx, b)).To(Succeed())
		fixture.CaughtUp(ctx, hub, running.Manager.GetCache(), &workv1alpha2.ResourceBindingList{})
		Expect(gates.SetFromMap(map[string]bool{string(features.PropagateDeps): true})).To(Succeed())
		// Nothing watches ConfigMaps yet: the parent is looked at once more, and says that it needs them.
		Expect(hub.Create(ctx, fixture.Object(configMap, space, "more", nil))).To(Succeed())
		reconcileAll(ctx, p)
		Eventually(required("more")).WithContext(ctx).ShouldNot(BeNil())
		Expect(fixture.Read(ctx, hub, p).ResourceVersion).To(Equal(p.ResourceVersion))
		Expect(fixture.Read(ctx, hub, b).ResourceVersion).To(Equal(b.ResourceVersion))
	})

	It("has its kind watched only while something depends on it", func(ctx SpecContext) {
		kind := fixture.WideGadgetKind
		need := map[string]any{"needs": []any{map[string]any{"apiVersion": "spec.dragoman.io/v1", "kind": "WideGadget", "name": space + "-w"}}}
		p := create(ctx, gadget(false, "p", need), "a")
		Eventually(func() bool { return deps.Templates.Watched(kind) }).WithContext(ctx).Should(BeTrue())
		Expect(hub.Delete(ctx, p)).To(Succeed())
		Eventually(func() bool { return deps.Templates.Watched(kind) }).WithContext(ctx).Should(BeFalse())
	})
})

// unresolved reads the condition about the script of a parent; nil where there is none.
func unresolved(parent workv1alpha2.Binding) func(context.Context) *metav1.Condition {
	return func(ctx context.Context) *metav1.Condition {
		return meta.FindStatusCondition(fixture.Read(ctx, hub, parent).GetStatus().Conditions, "DependenciesResolved")
	}
}

// withoutGate turns the gate off for the rest of the spec.
func withoutGate() {
	GinkgoHelper()
	Expect(gates.SetFromMap(map[string]bool{string(features.PropagateDeps): false})).To(Succeed())
	DeferCleanup(func() { Expect(gates.SetFromMap(map[string]bool{string(features.PropagateDeps): true})).To(Succeed()) })
}

// reconcileAll reconciles a parent and the ConfigMap that it depends on, on the client of the
// manager.
func reconcileAll(ctx context.Context, p workv1alpha2.Binding) {
	GinkgoHelper()
	fixture.CaughtUp(ctx, hub, running.Manager.GetClient(), &workv1alpha2.ResourceBindingList{})
	b, ok := fixture.Read(ctx, running.Manager.GetClient(), p).(*workv1alpha2.ResourceBinding)
	Expect(ok).To(BeTrue())
	_, err := dependencies.New[*workv1alpha2.ResourceBinding](deps).Reconcile(ctx, b)
	Expect(err).NotTo(HaveOccurred())
	result, err := attached.New(deps).Reconcile(ctx, templates.Key{GroupVersionKind: configMap, NamespacedName: client.ObjectKey{Namespace: space, Name: "config"}})
	Expect(err).NotTo(HaveOccurred())
	Expect(result).To(Equal(reconcile.Result{}))
}
