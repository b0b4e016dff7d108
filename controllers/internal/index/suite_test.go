// SPDX-License-Identifier: Apache-2.0

package index_test

import (
	"context"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var hub *suite.Suite

func TestIndex(t *testing.T) { suite.Specs(t, "Index") }

var _ = BeforeSuite(func(ctx SpecContext) {
	hub = suite.Begin(ctx)
	Expect(hub.Run()).To(Succeed())
})

// namespace makes a namespace, of which the spec's names are made as well.
func namespace(ctx context.Context) string {
	GinkgoHelper()
	name, err := hub.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	return name
}

func create(ctx context.Context, objects ...client.Object) {
	GinkgoHelper()
	for _, o := range objects {
		Expect(client.IgnoreAlreadyExists(hub.Manager.GetClient().Create(ctx, o))).To(Succeed())
	}
}

func spec(cluster string, leaving ...string) workv1alpha2.ResourceBindingSpec {
	s := workv1alpha2.ResourceBindingSpec{
		Resource: workv1alpha2.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Name: "o"},
		Clusters: []workv1alpha2.TargetCluster{{Name: cluster}},
	}
	for _, l := range leaving {
		s.GracefulEvictionTasks = append(s.GracefulEvictionTasks, workv1alpha2.GracefulEvictionTask{FromCluster: l, Reason: "Spec", Producer: "Spec"})
	}
	return s
}

var _ = Describe("The indexes", func() {
	It("find the Works of a binding, and not those of its namesake", func(ctx SpecContext) {
		ns := namespace(ctx)
		create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(ns)}})
		for name, annotations := range map[string]map[string]string{
			"spaced": {workv1alpha2.ResourceBindingNamespaceAnnotation: ns, workv1alpha2.ResourceBindingNameAnnotation: ns},
			"wide":   {workv1alpha2.ClusterResourceBindingNameAnnotation: ns},
			"stray":  nil,
		} {
			create(ctx, &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(ns), Name: name, Annotations: annotations}})
		}
		Expect(index.Works(ctx, hub.Manager.GetClient(), types.NamespacedName{Namespace: ns, Name: ns})).To(HaveExactElements(HaveField("Name", "spaced")))
		Expect(index.Works(ctx, hub.Manager.GetClient(), types.NamespacedName{Name: ns})).To(HaveExactElements(HaveField("Name", "wide")))
		Expect(index.WorksInCluster(ctx, hub.Manager.GetClient(), ns)).To(ConsistOf(
			HaveField("Name", "spaced"), HaveField("Name", "wide"), HaveField("Name", "stray")))
		Expect(index.WorksInCluster(ctx, hub.Manager.GetClient(), "nobody")).To(BeEmpty())
	})

	It("find the bindings of both kinds that are in a cluster or leave it", func(ctx SpecContext) {
		ns := namespace(ctx)
		here, there := "here-"+ns, "there-"+ns
		create(ctx,
			&workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "in"}, Spec: spec(here, here)},
			&workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "leaving"}, Spec: spec(there, here)},
			&workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "out"}, Spec: spec(there)},
			&workv1alpha2.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: ns}, Spec: spec(here)},
		)
		Expect(index.BindingsInCluster(ctx, hub.Manager.GetClient(), here)).To(ConsistOf(
			types.NamespacedName{Namespace: ns, Name: "in"}, types.NamespacedName{Namespace: ns, Name: "leaving"}, types.NamespacedName{Name: ns}))
	})

	It("find the Works that have a manifest of a kind, each once", func(ctx SpecContext) {
		ns := namespace(ctx)
		kind := schema.GroupVersionKind{Group: ns, Version: "v1", Kind: "Thing"}
		beta, other := kind, kind
		beta.Version, other.Kind = "v1beta1", "Other"
		create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(ns)}})
		for name, kinds := range map[string][]schema.GroupVersionKind{
			"of": {kind}, "both": {other, kind, kind}, "other": {other}, "beta": {beta}, "empty": nil,
		} {
			w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(ns), Name: name}}
			for _, k := range kinds {
				w.Spec.Workload.Manifests = append(w.Spec.Workload.Manifests, fixture.Work(ns, name, fixture.Object(k, ns, "o", nil)).Spec.Workload.Manifests...)
			}
			create(ctx, w)
		}
		Expect(index.WorksOfKind(ctx, hub.Manager.GetClient(), kind)).To(ConsistOf(HaveField("Name", "of"), HaveField("Name", "both")))
		Expect(index.WorksOfKind(ctx, hub.Manager.GetClient(), beta)).To(ConsistOf(HaveField("Name", "beta")))
	})

	It("find the bindings of the templates of a kind", func(ctx SpecContext) {
		ns := namespace(ctx)
		of := func(version string) workv1alpha2.ResourceBindingSpec {
			s := spec("one")
			s.Resource.APIVersion = ns + "/" + version
			return s
		}
		create(ctx,
			&workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "of"}, Spec: of("v1")},
			&workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "beta"}, Spec: of("v1beta1")},
			&workv1alpha2.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: "kind-" + ns}, Spec: of("v1")},
		)
		kind := schema.GroupVersionKind{Group: ns, Version: "v1", Kind: "ConfigMap"}
		Expect(index.BindingsOfKind(ctx, hub.Manager.GetClient(), kind)).To(ConsistOf(
			types.NamespacedName{Namespace: ns, Name: "of"}, types.NamespacedName{Name: "kind-" + ns}))
	})

	It("find the bindings that a policy claims", func(ctx SpecContext) {
		ns := namespace(ctx)
		claimed := func(name, policy string) metav1.ObjectMeta {
			return metav1.ObjectMeta{
				Namespace: ns, Name: name, Labels: map[string]string{policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: "id"},
				Annotations: map[string]string{policyv1alpha1.ClusterPropagationPolicyNameAnnotation: policy},
			}
		}
		wide := claimed("of-"+ns, ns)
		wide.Namespace = ""
		create(ctx,
			&workv1alpha2.ResourceBinding{ObjectMeta: claimed("of", ns), Spec: spec("one")},
			&workv1alpha2.ResourceBinding{ObjectMeta: claimed("other", "other"), Spec: spec("one")},
			&workv1alpha2.ClusterResourceBinding{ObjectMeta: wide, Spec: spec("one")},
		)
		found, err := index.BindingsOfPolicy(ctx, hub.Manager.GetClient(), types.NamespacedName{Name: ns})
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(ConsistOf(HaveField("Name", "of"), HaveField("Name", "of-"+ns)))
	})

	It("find the override policies that may select an object, each once", func(ctx SpecContext) {
		ns := namespace(ctx)
		overrides := func(selectors ...policyv1alpha1.ResourceSelector) policyv1alpha1.OverrideSpec {
			return policyv1alpha1.OverrideSpec{ResourceSelectors: selectors}
		}
		named, all := fixture.Named(fixture.GadgetKind, ns), fixture.All(fixture.GadgetKind)
		for name, spec := range map[string]policyv1alpha1.OverrideSpec{
			"name": overrides(named), "kind": overrides(all), "both": overrides(named, all), "any": overrides(), "other": overrides(fixture.Named(fixture.GadgetKind, "other")),
		} {
			create(ctx, &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: spec})
		}
		create(ctx, &policyv1alpha1.ClusterOverridePolicy{ObjectMeta: metav1.ObjectMeta{Name: "wide-" + ns}, Spec: overrides(named, fixture.All(fixture.WideGadgetKind))})
		found, err := index.OverridesFor(ctx, hub.Manager.GetClient(), fixture.Gadget(ns, ns, nil))
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Namespaced).To(ConsistOf(HaveField("Name", "name"), HaveField("Name", "kind"), HaveField("Name", "both"), HaveField("Name", "any")))
		Expect(found.ClusterWide).To(ConsistOf(HaveField("Name", "wide-"+ns)))
		found, err = index.OverridesFor(ctx, hub.Manager.GetClient(), fixture.Gadget("", "some", nil))
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Namespaced).To(BeEmpty())
		Expect(found.ClusterWide).To(ConsistOf(HaveField("Name", "wide-"+ns)))
	})

	It("find the bindings that target a cluster, also where others require it", func(ctx SpecContext) {
		ns := namespace(ctx)
		here, there := "here-"+ns, "there-"+ns
		required := spec(there)
		required.RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: ns, Name: "b", Clusters: fixture.Targets(here)}}
		create(ctx,
			&workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "in"}, Spec: spec(here)},
			&workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "required"}, Spec: required},
			&workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "leaving"}, Spec: spec(there, here)},
		)
		Expect(index.BindingsTargeting[*workv1alpha2.ResourceBinding](ctx, hub.Manager.GetClient(), here)).To(ConsistOf(
			HaveField("Name", "in"), HaveField("Name", "required")))
		Expect(index.BindingsTargeting[*workv1alpha2.ClusterResourceBinding](ctx, hub.Manager.GetClient(), here)).To(BeEmpty())
	})

	It("find the clusters that were observed to have an id", func(ctx SpecContext) {
		ns := namespace(ctx)
		c, err := hub.Join(ctx, ns, suite.Address{URL: "https://127.0.0.1:1"})
		Expect(err).NotTo(HaveOccurred())
		c.Status.ID = "id-of-" + ns
		Expect(hub.Manager.GetClient().Status().Update(ctx, c)).To(Succeed())
		found, err := index.ClustersWithID(ctx, hub.Manager.GetClient(), c.Status.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(HaveExactElements(HaveField("Name", ns)))
		Expect(index.ClustersWithID(ctx, hub.Manager.GetClient(), "nobody")).To(BeEmpty())
	})

	It("find the clusters whose credentials a Secret holds", func(ctx SpecContext) {
		ns := namespace(ctx)
		_, err := hub.Join(ctx, ns, suite.Address{URL: "https://127.0.0.1:1"})
		Expect(err).NotTo(HaveOccurred())
		key := types.NamespacedName{Namespace: names.ClusterNamespace, Name: ns}
		Expect(index.ClustersWithSecret(ctx, hub.Manager.GetClient(), key)).To(Equal([]types.NamespacedName{{Name: ns}}))
		key.Name = "nobody"
		Expect(index.ClustersWithSecret(ctx, hub.Manager.GetClient(), key)).To(BeEmpty())
	})
})
