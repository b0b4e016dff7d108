// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"context"
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeOverrides[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeOverrides[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

const (
	applied     = "policy.karmada.io/applied-overrides"
	appliedWide = "policy.karmada.io/applied-cluster-overrides"
)

// patch returns overriders of one operation on a field.
func patch(operator policyv1alpha1.OverriderOperator, path string, value any) policyv1alpha1.Overriders {
	GinkgoHelper()
	o := policyv1alpha1.PlaintextOverrider{Path: path, Operator: operator}
	if value != nil {
		raw, err := json.Marshal(value)
		Expect(err).NotTo(HaveOccurred())
		o.Value = apiextensionsv1.JSON{Raw: raw}
	}
	return policyv1alpha1.Overriders{Plaintext: []policyv1alpha1.PlaintextOverrider{o}}
}

// on returns a rule for some clusters.
func on(o policyv1alpha1.Overriders, clusters ...string) policyv1alpha1.RuleWithCluster {
	return policyv1alpha1.RuleWithCluster{TargetCluster: &policyv1alpha1.ClusterAffinity{ClusterNames: clusters}, Overriders: o}
}

// overriding makes an override policy of the scope of a template, that selects it by its
// name, until the spec ends.
func overriding(ctx context.Context, o *unstructured.Unstructured, name string, rules ...policyv1alpha1.RuleWithCluster) policyv1alpha1.Override {
	GinkgoHelper()
	spec := policyv1alpha1.OverrideSpec{
		ResourceSelectors: []policyv1alpha1.ResourceSelector{fixture.Named(o.GroupVersionKind(), o.GetName())}, OverrideRules: rules,
	}
	if o.GetNamespace() == "" {
		return overridingWide(ctx, name, spec)
	}
	p := &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}, Spec: spec}
	Expect(hub.Create(ctx, p)).To(Succeed())
	return p
}

// overridingWide makes a ClusterOverridePolicy until the spec ends.
func overridingWide(ctx context.Context, name string, spec policyv1alpha1.OverrideSpec) policyv1alpha1.Override {
	GinkgoHelper()
	p := &policyv1alpha1.ClusterOverridePolicy{ObjectMeta: metav1.ObjectMeta{Name: space + "-" + name}, Spec: spec}
	Expect(hub.Create(ctx, p)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, p))).To(Succeed()) })
	return p
}

// joined makes the Cluster and the execution namespace of a member that only this spec
// knows.
func joined(ctx context.Context, labels map[string]string) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	c := fixture.Cluster(member(ctx))
	c.Labels = labels
	Expect(hub.Create(ctx, c)).To(Succeed())
	return c
}

// describeOverrides are the specs of overrides of one kind of binding.
func describeOverrides[B workv1alpha2.Binding](kind string) bool {
	// own is the annotation for policies of the scope of the binding.
	own := applied
	if wide[B]() {
		own = appliedWide
	}
	color := func(to string, clusters ...string) policyv1alpha1.RuleWithCluster {
		return on(patch("add", "/spec/color", to), clusters...)
	}

	return Describe(kind+" with override policies", func() {
		It("has for each cluster what they make of the template, and says what they did", func(ctx SpecContext) {
			p := placed[B](ctx, "a", "b")
			overriding(ctx, p.object, "red", color("red", "a"))
			works := p.rendered(ctx)
			Expect(field(works["a"], "spec", "color")).To(Equal("red"))
			name := "red"
			if wide[B]() {
				name = space + "-red"
			}
			Expect(works["a"].Annotations[own]).To(MatchJSON(`[{"policyName":"` + name + `","overriders":{"plaintext":[{"path":"/spec/color","operator":"add","value":"red"}]}}]`))
			Expect(field(works["b"], "spec", "color")).To(BeNil())
			Expect(works["b"].Annotations).NotTo(HaveKey(own))
			Expect(p.failed(ctx)).To(BeNil())
		})

		It("has what a script set overridden, and the state that is carried over on top", func(ctx SpecContext) {
			p := placed[B](ctx, "b")
			overriding(ctx, p.object, "more", on(patch("replace", "/spec/replicas", 7)), on(patch("add", "/spec/resumeFrom", "nowhere")))
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", directly)}
			})
			w := p.rendered(ctx)["b"]
			Expect(field(w, "spec", "replicas")).To(Equal(int64(7)))
			Expect(field(w, "spec", "resumeFrom")).To(Equal("42"))
		})

		It("has cluster-wide policies applied before those of the namespace", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			overridingWide(ctx, "wide", policyv1alpha1.OverrideSpec{
				ResourceSelectors: []policyv1alpha1.ResourceSelector{fixture.Named(p.object.GroupVersionKind(), p.object.GetName())},
				OverrideRules:     []policyv1alpha1.RuleWithCluster{color("blue")},
			})
			w := p.rendered(ctx)["a"]
			Expect(field(w, "spec", "color")).To(Equal("blue"))
			Expect(w.Annotations).To(HaveKey(appliedWide))
			if !wide[B]() {
				overriding(ctx, p.object, "own", color("red"))
				w = p.rendered(ctx)["a"]
				Expect(field(w, "spec", "color")).To(Equal("red"))
				Expect(w.Annotations).To(And(HaveKey(appliedWide), HaveKey(applied)))
			}
		})

		It("has the template again, and no annotation, when the policy goes", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			policy := overriding(ctx, p.object, "red", color("red"))
			Expect(p.rendered(ctx)["a"].Annotations).To(HaveKey(own))
			Expect(hub.Delete(ctx, policy.(client.Object))).To(Succeed())
			w := p.rendered(ctx)["a"]
			Expect(field(w, "spec", "color")).To(BeNil())
			Expect(w.Annotations).NotTo(HaveKey(own))
		})

		Context("of which one fails for a cluster", func() {
			// failing makes a policy that fails for a.
			failing := func(ctx context.Context, p *pair[B]) policyv1alpha1.Override {
				return overriding(ctx, p.object, "red", color("red"), on(patch("remove", "/spec/nothing", nil), "a"))
			}

			It("has the Works of the others, and says which policy, rule, path and cluster", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				policy := failing(ctx, p)
				for range 2 {
					Expect(p.render(ctx)).To(MatchError(reconcile.TerminalError(nil)), "no retry mends it")
				}
				Expect(p.works(ctx)).To(And(HaveLen(1), HaveKey("b")), "never one without the override")
				said := And(ContainSubstring(policy.GetName()), ContainSubstring("spec.overrideRules[1].overriders.plaintext[0]"),
					ContainSubstring("/spec/nothing"), ContainSubstring("cluster a"), Not(ContainSubstring("cluster b")))
				Expect(p.failed(ctx)).To(And(HaveField("Reason", "OverrideFailed"), HaveField("Message", said)))
				Expect(events.About(p.object.GetNamespace(), p.object.GetName())).To(ConsistOf(
					And(HavePrefix("Warning ApplyOverridePolicyFailed: "), said)), "once")
				Expect(events.About(p.binding.GetNamespace(), p.binding.GetName())).To(ConsistOf(HavePrefix("Warning RenderWorkFailed: ")), "once")
			})

			It("keeps the Work of that cluster as it was, until the policy is mended", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				before := p.rendered(ctx)["a"]
				policy := failing(ctx, p)
				Expect(p.render(ctx)).NotTo(Succeed())
				Expect(p.works(ctx)["a"].ResourceVersion).To(Equal(before.ResourceVersion))
				Expect(field(p.works(ctx)["b"], "spec", "color")).To(Equal("red"))
				change(ctx, policy.(client.Object), func(o client.Object) {
					o.(policyv1alpha1.Override).GetSpec().OverrideRules[1] = on(patch("add", "/spec/nothing", "x"), "a")
				})
				Expect(field(p.rendered(ctx)["a"], "spec", "nothing")).To(Equal("x"))
				Expect(p.failed(ctx)).To(BeNil())
			})
		})

		It("is enqueued by a policy that selects it, and by no other", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			other := placedAs[B](ctx, "other", "a")
			change(ctx, p.object, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"app": "one"}) })
			Expect(p.render(ctx)).To(Succeed())
			Expect(other.render(ctx)).To(Succeed())
			name, all := fixture.Named(p.object.GroupVersionKind(), p.object.GetName()), fixture.All(p.object.GroupVersionKind())
			labelled := fixture.Labelled(p.object.GroupVersionKind(), "app", "one")
			foreign := fixture.All(fixture.GadgetKind)
			foreign.Kind = "Other"
			for reason, tc := range map[string]struct {
				selectors []policyv1alpha1.ResourceSelector
				has, not  []*pair[B]
			}{
				"its name":    {[]policyv1alpha1.ResourceSelector{name}, []*pair[B]{p}, []*pair[B]{other}},
				"its labels":  {[]policyv1alpha1.ResourceSelector{labelled}, []*pair[B]{p}, []*pair[B]{other}},
				"its kind":    {[]policyv1alpha1.ResourceSelector{all}, []*pair[B]{p, other}, nil},
				"all":         {nil, []*pair[B]{p, other}, nil},
				"another one": {[]policyv1alpha1.ResourceSelector{foreign}, nil, []*pair[B]{p, other}},
			} {
				policy := &policyv1alpha1.ClusterOverridePolicy{Spec: policyv1alpha1.OverrideSpec{ResourceSelectors: tc.selectors}}
				found, err := controller[B]().Selected(ctx, policy)
				Expect(err).NotTo(HaveOccurred())
				for _, h := range tc.has {
					Expect(found).To(ContainElement(HaveField("NamespacedName", client.ObjectKeyFromObject(h.binding))), reason)
				}
				for _, n := range tc.not {
					Expect(found).NotTo(ContainElement(HaveField("NamespacedName", client.ObjectKeyFromObject(n.binding))), reason)
				}
				spaced := &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "elsewhere"}, Spec: policy.Spec}
				Expect(controller[B]().Selected(ctx, spaced)).To(BeEmpty(), "a policy sees its own namespace")
			}
		})

		It("follows policies and clusters that are changed", func(ctx SpecContext) {
			requests := watched[B]()
			cluster := joined(ctx, map[string]string{"zone": "one"})
			p, other := placed[B](ctx, cluster.Name), placedAs[B](ctx, "other", cluster.Name)
			p.has(ctx, cluster.Name)
			other.has(ctx, cluster.Name)
			is := func() any { return field(p.works(ctx)[cluster.Name], "spec", "color") }

			policy := overriding(ctx, p.object, "red", color("red"))
			Eventually(is).Should(Equal("red"))
			change(ctx, policy.(client.Object), func(o client.Object) {
				rule := color("blue")
				rule.TargetCluster.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"zone": "two"}}
				o.(policyv1alpha1.Override).GetSpec().OverrideRules = []policyv1alpha1.RuleWithCluster{rule}
			})
			Eventually(is).Should(BeNil(), "no rule matches the cluster")
			change(ctx, cluster, func(c *clusterv1alpha1.Cluster) { c.Labels = map[string]string{"zone": "two"} })
			Eventually(is).Should(Equal("blue"))
			Expect(hub.Delete(ctx, policy.(client.Object))).To(Succeed())
			Eventually(is).Should(BeNil())
			Expect(p.works(ctx)[cluster.Name].Generation).To(BeEquivalentTo(5), "one write for each change")
			Expect(requests.Made("PATCH", "/works/")).To(HaveEach(ContainSubstring(p.works(ctx)[cluster.Name].Name)), "the other has its Work as it was")
		})
	})
}

var _ = Describe("a Work of the published control plane", func() {
	It("stays the same when its overrides are rendered again", func(ctx SpecContext) {
		o := deployment("nginx:1")
		Expect(hub.Create(ctx, o)).To(Succeed())
		b := fixture.Binding(o).(*workv1alpha2.ResourceBinding)
		b.Spec.Replicas, b.Spec.Clusters = 2, []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}}
		Expect(hub.Create(ctx, b)).To(Succeed())
		p := &pair[*workv1alpha2.ResourceBinding]{o, b}
		overriding(ctx, o, "registry", on(policyv1alpha1.Overriders{ImageOverrider: []policyv1alpha1.ImageOverrider{
			{Component: "Registry", Operator: "replace", Value: "registry.local"},
		}}, "a"))
		old := publishedWork(read(ctx, o), b)
		Expect(hub.Create(ctx, old)).To(Succeed())

		w := p.rendered(ctx)["a"]
		Expect(w.UID).To(Equal(old.UID))
		Expect(manifest(w)).To(Equal(manifest(*old)))
		Expect(w.Annotations).To(Equal(old.Annotations))
		Expect(w.ResourceVersion).To(Equal(old.ResourceVersion), "it was not written")
	})

	It("has what is rendered byte by byte, so that most compare without being parsed", func(ctx SpecContext) {
		o := deployment("nginx:1")
		o.SetAnnotations(map[string]string{"text": "<a href=\"x\">ü & \u2028 \\</a>"})
		Expect(hub.Create(ctx, o)).To(Succeed())
		b := fixture.Binding(o).(*workv1alpha2.ResourceBinding)
		b.Spec.Clusters = fixture.Targets("a")
		Expect(hub.Create(ctx, b)).To(Succeed())
		p := &pair[*workv1alpha2.ResourceBinding]{o, b}
		w := p.rendered(ctx)["a"]
		raw, err := json.Marshal(manifest(w).Object)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(w.Spec.Workload.Manifests[0].Raw)).To(Equal(string(raw)))
	})
})

func deployment(image string) *unstructured.Unstructured {
	labels := map[string]any{"app": "one"}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"namespace": space, "name": "one"},
		"spec": map[string]any{
			"replicas": int64(2), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "main", "image": image}}},
			},
		},
	}}
}

// publishedWork returns the Work for cluster a as the published control plane writes it:
// the fields of the manifest in another order, and the overrides in its own words.
func publishedWork(o *unstructured.Unstructured, b *workv1alpha2.ResourceBinding) *workv1alpha1.Work {
	GinkgoHelper()
	id := b.Labels[workv1alpha2.ResourceBindingPermanentIDLabel]
	w := fixture.Work("a", names.Work("Deployment", space, "one"), o)
	w.Labels = map[string]string{"resourcebinding.karmada.io/permanent-id": id, "work.karmada.io/permanent-id": "work-id"}
	w.Annotations = map[string]string{
		"resourcebinding.karmada.io/namespace": b.Namespace, "resourcebinding.karmada.io/name": b.Name, "work.karmada.io/conflict-resolution": "abort",
		applied: `[ {"overriders": {"imageOverrider": [{"operator":"replace", "component":"Registry", "value":"registry.local"}]}, "policyName": "registry"} ]`,
	}
	no := false
	w.Spec.SuspendDispatching, w.Spec.PreserveResourcesOnDeletion = &no, &no

	m := o.DeepCopy()
	for _, key := range []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"} {
		unstructured.RemoveNestedField(m.Object, "metadata", key)
	}
	unstructured.RemoveNestedField(m.Object, "status")
	containers, _, err := unstructured.NestedSlice(m.Object, "spec", "template", "spec", "containers")
	Expect(err).NotTo(HaveOccurred())
	containers[0].(map[string]any)["image"] = "registry.local/nginx:1"
	Expect(unstructured.SetNestedSlice(m.Object, containers, "spec", "template", "spec", "containers")).To(Succeed())
	m.SetLabels(map[string]string{
		"karmada.io/managed": "true", "resourcebinding.karmada.io/permanent-id": id, "work.karmada.io/permanent-id": "work-id",
	})
	m.SetAnnotations(map[string]string{
		"resourcebinding.karmada.io/name": b.Name, "resourcebinding.karmada.io/namespace": b.Namespace,
		"resourcetemplate.karmada.io/generation": "1", "resourcetemplate.karmada.io/uid": string(o.GetUID()),
		"work.karmada.io/conflict-resolution": "abort", "work.karmada.io/name": w.Name, "work.karmada.io/namespace": w.Namespace,
		"resourcetemplate.karmada.io/managed-annotations": "resourcebinding.karmada.io/name,resourcebinding.karmada.io/namespace," +
			"resourcetemplate.karmada.io/generation,resourcetemplate.karmada.io/managed-annotations,resourcetemplate.karmada.io/managed-labels," +
			"resourcetemplate.karmada.io/uid,work.karmada.io/conflict-resolution,work.karmada.io/name,work.karmada.io/namespace",
		"resourcetemplate.karmada.io/managed-labels": "karmada.io/managed,resourcebinding.karmada.io/permanent-id,work.karmada.io/permanent-id",
	})
	raw, err := json.MarshalIndent(m.Object, "", " ")
	Expect(err).NotTo(HaveOccurred())
	w.Spec.Workload.Manifests[0].Raw = raw
	return w
}
