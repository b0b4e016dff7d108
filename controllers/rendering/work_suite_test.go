// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	_ = describeRendering[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeRendering[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

const (
	directly   = policyv1alpha1.PurgeModeDirectly
	gracefully = policyv1alpha1.PurgeModeGracefully
)

// describeRendering are the specs of one kind of binding.
func describeRendering[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind, func() {
		Context("with targets", func() {
			It("has a Work for each", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				Expect(p.rendered(ctx)).To(And(HaveLen(2), HaveKey("a"), HaveKey("b")))
			})

			It("is named in its Works", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.rendered(ctx)["a"]
				want := map[string]string{
					"resourcebinding.karmada.io/namespace": space, "resourcebinding.karmada.io/name": p.binding.GetName(),
					"work.karmada.io/conflict-resolution": "abort", "work.dragoman.io/binding-generation": "1",
				}
				label := "resourcebinding.karmada.io/permanent-id"
				if p.binding.GetNamespace() == "" {
					want = map[string]string{
						"clusterresourcebinding.karmada.io/name": p.binding.GetName(), "work.karmada.io/conflict-resolution": "abort",
						"work.dragoman.io/binding-generation": "1",
					}
					label = "clusterresourcebinding.karmada.io/permanent-id"
				}
				Expect(w.Annotations).To(Equal(want))
				Expect(w.Labels).To(And(HaveLen(2), HaveKeyWithValue(label, p.binding.GetName()),
					HaveKeyWithValue("work.karmada.io/permanent-id", Not(BeEmpty()))))
				Expect(w.Finalizers).To(ConsistOf("karmada.io/execution-controller"))
			})

			It("ties the object to its Work", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.rendered(ctx)["a"]
				m := manifest(w)
				Expect(m.GetLabels()).To(And(
					HaveKeyWithValue("karmada.io/managed", "true"),
					HaveKeyWithValue("work.karmada.io/permanent-id", w.Labels["work.karmada.io/permanent-id"])))
				Expect(m.GetAnnotations()).To(And(
					HaveKeyWithValue("work.karmada.io/namespace", w.Namespace), HaveKeyWithValue("work.karmada.io/name", w.Name),
					HaveKeyWithValue("resourcetemplate.karmada.io/uid", string(p.object.GetUID())),
					HaveKeyWithValue("resourcetemplate.karmada.io/generation", "1")))
				Expect(m.GetUID()).To(BeEmpty())
				Expect(m.GetResourceVersion()).To(BeEmpty())
			})

			It("assigns each its share of replicas", func(ctx SpecContext) {
				p := placed[B](ctx)
				p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.Clusters = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 3}}
				})
				works := p.rendered(ctx)
				Expect(field(works["a"], "spec", "replicas")).To(Equal(int64(1)))
				Expect(field(works["b"], "spec", "replicas")).To(Equal(int64(3)))
			})

			It("has Works where others require it, too", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: "x", Name: "y", Clusters: fixture.Targets("b")}}
				})
				Expect(p.rendered(ctx)).To(And(HaveLen(2), HaveKey("b")))
			})

			It("is suspended where the policy requests it", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.Suspension = &workv1alpha2.Suspension{}
					s.Suspension.DispatchingOnClusters = &policyv1alpha1.SuspendClusters{ClusterNames: []string{"b"}}
				})
				works := p.rendered(ctx)
				Expect(works["a"].Spec.SuspendDispatching).To(Equal(ptr.To(false)))
				Expect(works["b"].Spec.SuspendDispatching).To(Equal(ptr.To(true)))
			})

			It("writes nothing when there is nothing to do", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				once := p.rendered(ctx)
				binding := read(ctx, p.binding).GetResourceVersion()
				twice := p.rendered(ctx)
				for cluster := range once {
					Expect(twice[cluster].ResourceVersion).To(Equal(once[cluster].ResourceVersion), cluster)
				}
				Expect(read(ctx, p.binding).GetResourceVersion()).To(Equal(binding))
			})

			It("follows its template", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				p.rendered(ctx)
				change(ctx, p.object, func(o *unstructured.Unstructured) {
					o.Object["spec"] = map[string]any{"replicas": int64(4), "color": "blue"}
				})
				w := p.rendered(ctx)["a"]
				Expect(field(w, "spec", "color")).To(Equal("blue"))
				Expect(manifest(w).GetAnnotations()).To(HaveKeyWithValue("resourcetemplate.karmada.io/generation", "2"))
			})

			It("loses the Work of a cluster that is no target any more", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				p.rendered(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters = s.Clusters[:1] })
				works := p.rendered(ctx)
				Expect(works["a"].DeletionTimestamp).To(BeNil())
				Expect(works["b"].DeletionTimestamp).NotTo(BeNil())
			})

			It("keeps its Works when it has no target any more", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				p.rendered(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters = nil })
				for cluster, w := range p.rendered(ctx) {
					Expect(w.DeletionTimestamp).To(BeNil(), cluster)
				}
			})

			It("makes a Work again once the one that is going has gone", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.rendered(ctx)["a"]
				Expect(hub.Delete(ctx, &w)).To(Succeed())
				Expect(p.rendered(ctx)["a"].UID).To(Equal(w.UID), "it has a finalizer")
				finish(ctx, &w)
				Expect(p.rendered(ctx)["a"].UID).NotTo(Equal(w.UID))
			})

			It("repairs a Work that was edited", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.rendered(ctx)["a"]
				change(ctx, &w, func(w *workv1alpha1.Work) {
					w.Spec.SuspendDispatching = ptr.To(true)
					w.Spec.Workload.Manifests[0].Raw = []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}`)
				})
				mended := p.rendered(ctx)["a"]
				Expect(mended.Spec).To(Equal(w.Spec))
			})

			It("takes a Work back that lost what it is found by", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.rendered(ctx)["a"]
				change(ctx, &w, func(w *workv1alpha1.Work) { w.Annotations, w.Labels = nil, nil })
				p.rendered(ctx)
				mended := read(ctx, &w)
				Expect(mended.Annotations).To(Equal(w.Annotations))
				Expect(mended.Labels).To(HaveKey("work.karmada.io/permanent-id"))
			})

			It("does not take the Work of another binding", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.rendered(ctx)["a"]
				change(ctx, &w, func(w *workv1alpha1.Work) {
					w.Annotations = map[string]string{workv1alpha2.ResourceBindingNamespaceAnnotation: "x", workv1alpha2.ResourceBindingNameAnnotation: "y"}
				})
				Expect(p.render(ctx)).To(MatchError(ContainSubstring("belongs to binding x/y")))
				Expect(read(ctx, &w).Annotations).To(HaveKeyWithValue(workv1alpha2.ResourceBindingNameAnnotation, "y"))
			})
		})

		Context("whose script fails for one cluster", func() {
			It("has the Works of the others, and an event", func(ctx SpecContext) {
				p := placed[B](ctx)
				p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.Clusters = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 13}, {Name: "b", Replicas: 3}}
				})
				Expect(p.render(ctx)).To(MatchError(ContainSubstring("render the work for cluster a")))
				Expect(p.works(ctx)).To(And(HaveLen(1), HaveKey("b")))
				Expect(events.About(p.binding.GetNamespace(), p.binding.GetName())).To(ConsistOf(
					And(HavePrefix("Warning RenderWorkFailed: "), ContainSubstring("13 is not a number of replicas"))))
			})

			It("keeps the Work of the last time that it did not", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				before := p.rendered(ctx)["a"]
				p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters[0].Replicas = 13 })
				Expect(p.render(ctx)).NotTo(Succeed())
				Expect(p.works(ctx)["a"].ResourceVersion).To(Equal(before.ResourceVersion))
			})

			It("has the Works of the others also where a cluster is not there", func(ctx SpecContext) {
				p := placed[B](ctx, "nowhere", "b")
				Expect(p.render(ctx)).To(MatchError(ContainSubstring("karmada-es-nowhere")))
				Expect(p.works(ctx)).To(HaveKey("b"))
			})
		})

		Context("evicted Directly", func() {
			// evicted makes a pair that was on a and goes to b.
			evicted := func(ctx context.Context) *pair[B] {
				GinkgoHelper()
				p := placed[B](ctx, "a")
				p.rendered(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.Clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 4}}
					s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", directly)}
				})
				return p
			}

			It("has no new Work while the old one is there", func(ctx SpecContext) {
				p := evicted(ctx)
				works := p.rendered(ctx)
				Expect(works).To(HaveLen(1))
				Expect(works["a"].DeletionTimestamp).NotTo(BeNil())
				Expect(p.rendered(ctx)).NotTo(HaveKey("b"), "however often it is looked at")
			})

			It("has its new Work once the old one has gone", func(ctx SpecContext) {
				p := evicted(ctx)
				old := p.rendered(ctx)["a"]
				finish(ctx, &old)
				Expect(p.rendered(ctx)).To(And(HaveLen(1), HaveKey("b")))
			})

			It("takes its state along, as labels and through the script", func(ctx SpecContext) {
				p := evicted(ctx)
				old := p.rendered(ctx)["a"]
				finish(ctx, &old)
				w := p.rendered(ctx)["b"]
				Expect(manifest(w).GetLabels()).To(HaveKeyWithValue("job", "17"))
				Expect(field(w, "spec", "resumeFrom")).To(Equal("42"))
				Expect(w.Labels).NotTo(HaveKey("job"))
				Expect(manifest(w).GetAnnotations()["resourcetemplate.karmada.io/managed-labels"]).To(ContainSubstring("job,"))
			})

			It("does not restore the state in copies that ran before", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "c")
				p.rendered(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.Clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 4}, {Name: "c", Replicas: 4}}
					task := leaving("a", directly)
					task.ClustersBeforeFailover = []string{"a", "c"}
					s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{task}
				})
				old := p.rendered(ctx)["a"]
				finish(ctx, &old)
				works := p.rendered(ctx)
				Expect(manifest(works["b"]).GetLabels()).To(HaveKey("job"))
				Expect(manifest(works["c"]).GetLabels()).NotTo(HaveKey("job"))
				Expect(field(works["c"], "spec", "resumeFrom")).To(BeNil())
			})

			It("loses the label when the task ends", func(ctx SpecContext) {
				p := evicted(ctx)
				old := p.rendered(ctx)["a"]
				finish(ctx, &old)
				p.rendered(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.GracefulEvictionTasks = nil })
				Expect(manifest(p.rendered(ctx)["b"]).GetLabels()).NotTo(HaveKey("job"))
			})

			It("keeps its copy while there is no other place", func(ctx SpecContext) {
				p := evicted(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters = nil })
				works := p.rendered(ctx)
				Expect(works).To(HaveLen(1))
				Expect(works["a"].DeletionTimestamp).To(BeNil())
			})
		})

		Context("evicted Gracefully", func() {
			It("keeps the old Work, frozen, beside the new one", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				before := p.rendered(ctx)["a"]
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.Clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 4}}
					s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", gracefully)}
				})
				change(ctx, p.object, func(o *unstructured.Unstructured) {
					o.Object["spec"] = map[string]any{"replicas": int64(4), "color": "blue"}
				})
				works := p.rendered(ctx)
				Expect(works["a"].ResourceVersion).To(Equal(before.ResourceVersion))
				Expect(field(works["b"], "spec", "color")).To(Equal("blue"))
				Expect(manifest(works["b"]).GetLabels()).NotTo(HaveKey("job"), "the old copy may still run")
			})

			It("loses the old Work when the task ends", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				p.rendered(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.Clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 4}}
					s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", gracefully)}
				})
				p.rendered(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.GracefulEvictionTasks = nil })
				Expect(p.rendered(ctx)["a"].DeletionTimestamp).NotTo(BeNil())
			})
		})

		Context("deleted", func() {
			It("takes its Works along and ends", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				p.rendered(ctx)
				p.delete(ctx)
				for cluster, w := range p.rendered(ctx) {
					Expect(w.DeletionTimestamp).NotTo(BeNil(), cluster)
				}
				p.hasEnded(ctx)
			})

			It("takes a Work along that the cache does not know of yet", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				p.rendered(ctx)
				p.delete(ctx)
				waitForCache(ctx)
				c := controller[B]()
				c.Client = blind{c.Client}
				_, err := c.Reconcile(ctx, read(ctx, p.binding))
				Expect(err).NotTo(HaveOccurred())
				for cluster, w := range p.works(ctx) {
					Expect(w.DeletionTimestamp).NotTo(BeNil(), cluster)
				}
				p.hasEnded(ctx)
			})

			It("ends though it was never rendered", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				p.delete(ctx)
				Expect(p.render(ctx)).To(Succeed())
				p.hasEnded(ctx)
			})

			It("ends though its script fails", func(ctx SpecContext) {
				p := placed[B](ctx, "a", "b")
				p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters[0].Replicas = 13 })
				Expect(p.render(ctx)).NotTo(Succeed())
				p.delete(ctx)
				Expect(p.render(ctx)).To(Succeed())
				Expect(p.works(ctx)["b"].DeletionTimestamp).NotTo(BeNil())
				p.hasEnded(ctx)
			})

			It("ends though the namespace of a cluster is gone", func(ctx SpecContext) {
				p := placed[B](ctx, "nowhere", "b")
				_ = p.render(ctx)
				p.delete(ctx)
				Expect(p.render(ctx)).To(Succeed())
				p.hasEnded(ctx)
			})

			It("leaves the Work of another binding that has its name", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.rendered(ctx)["a"]
				change(ctx, &w, func(w *workv1alpha1.Work) {
					w.Annotations = map[string]string{workv1alpha2.ResourceBindingNamespaceAnnotation: "x", workv1alpha2.ResourceBindingNameAnnotation: "y"}
				})
				p.delete(ctx)
				Expect(p.render(ctx)).To(Succeed())
				p.hasEnded(ctx)
				Expect(read(ctx, &w).DeletionTimestamp).To(BeNil())
			})

			It("keeps the objects if it says so, also since the last time that it was rendered", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				p.rendered(ctx)
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.PreserveResourcesOnDeletion = ptr.To(true) })
				p.delete(ctx)
				w := p.rendered(ctx)["a"]
				Expect(w.DeletionTimestamp).NotTo(BeNil())
				Expect(w.Spec.PreserveResourcesOnDeletion).To(Equal(ptr.To(true)))
			})

			It("keeps the finalizers of others", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				change(ctx, p.binding, func(b B) { b.SetFinalizers(append(b.GetFinalizers(), "spec.dragoman.io/other")) })
				p.rendered(ctx)
				Expect(hub.Delete(ctx, p.binding)).To(Succeed())
				p.rendered(ctx)
				Expect(read(ctx, p.binding).GetFinalizers()).To(ConsistOf("spec.dragoman.io/other"))
			})
		})

		It("does nothing for a template that is gone", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			p.rendered(ctx)
			Expect(hub.Delete(ctx, p.object)).To(Succeed())
			Eventually(func() error {
				_, err := tmpls.Get(ctx, templates.KeyOf(p.object))
				return err
			}).ShouldNot(Succeed())
			waitForCache(ctx)
			_, err := controller[B]().Reconcile(ctx, read(ctx, p.binding))
			Expect(err).NotTo(HaveOccurred())
			Expect(p.works(ctx)["a"].DeletionTimestamp).To(BeNil(), "the garbage collector takes the binding first")
		})

		Context("that a manager watches", func() {
			BeforeEach(func() { watched[B]() })

			It("has a deleted Work back", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.has(ctx, "a")
				finish(ctx, &w)
				Eventually(func() any { return p.works(ctx)["a"].UID }).ShouldNot(Or(BeEmpty(), Equal(w.UID)))
			})

			It("has an edited Work mended", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.has(ctx, "a")
				change(ctx, &w, func(w *workv1alpha1.Work) { w.Spec.SuspendDispatching = ptr.To(true) })
				Eventually(func() any { return p.works(ctx)["a"].Spec.SuspendDispatching }).Should(Equal(ptr.To(false)))
			})

			It("has the labels and annotations of a Work mended", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.has(ctx, "a")
				change(ctx, &w, func(w *workv1alpha1.Work) { w.Annotations = nil })
				Eventually(func() any { return read(ctx, &w).Annotations }).Should(Equal(w.Annotations))
			})

			It("has a Work taken away that appears where it is no target", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.has(ctx, "a")
				stray := &workv1alpha1.Work{}
				stray.Namespace, stray.Name, stray.Labels, stray.Annotations, stray.Spec = "karmada-es-b", w.Name, w.Labels, w.Annotations, w.Spec
				Expect(hub.Create(ctx, stray)).To(Succeed())
				Eventually(func() map[string]workv1alpha1.Work { return p.works(ctx) }).ShouldNot(HaveKey("b"))
			})

			It("has its Works rendered again when other scripts do it", func(ctx SpecContext) {
				p := placed[B](ctx, "a")
				w := p.has(ctx, "a")
				kind := p.object.GroupVersionKind()
				revising := func(lua string) configv1alpha1.CustomizationRules {
					return configv1alpha1.CustomizationRules{ReplicaRevision: &configv1alpha1.Script{LuaScript: lua}}
				}
				cr := suite.Customization(space, kind, revising("function ReviseReplica(o, n) o.spec.replicas = n * 2 return o end"))
				Expect(hub.Create(ctx, cr)).To(Succeed())
				DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, cr))).To(Succeed()) })
				replicas := func() any { return field(p.works(ctx)["a"], "spec", "replicas") }
				Eventually(replicas).Should(BeEquivalentTo(8))
				change(ctx, cr, func(cr *configv1alpha1.ResourceInterpreterCustomization) {
					cr.Spec.Customizations = revising("function ReviseReplica(o, n) o.spec.replicas = n * 3 return o end")
				})
				Eventually(replicas).Should(BeEquivalentTo(12))
				Expect(hub.Delete(ctx, cr)).To(Succeed())
				Eventually(replicas).Should(BeEquivalentTo(4), "the bundle does it again")
				Expect(rules.Snapshot().Origin(kind, engine.ReviseReplica)).To(Equal("bundle gadgets"))
				Expect(p.works(ctx)["a"].UID).To(Equal(w.UID))
				Expect(read(ctx, p.object).GetGeneration()).To(Equal(p.object.GetGeneration()), "nobody touched the template")
			})

			It("has its new Work as soon as the one that leaves Directly has gone", func(ctx SpecContext) {
				pulling := fixture.Cluster(member(ctx))
				pulling.Spec.SyncMode = clusterv1alpha1.Pull // nobody can ask it
				Expect(hub.Create(ctx, pulling)).To(Succeed())
				DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, pulling)).To(Succeed()) })
				p := placed[B](ctx, "a")
				p.has(ctx, "a")
				p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
					s.Clusters = []workv1alpha2.TargetCluster{{Name: pulling.Name, Replicas: 4}}
					s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", directly)}
				})
				Eventually(func() any { return p.works(ctx)["a"].DeletionTimestamp }).ShouldNot(BeNil())
				old := p.works(ctx)["a"]
				finish(ctx, &old)
				p.has(ctx, pulling.Name)
			})
		})
	})
}
