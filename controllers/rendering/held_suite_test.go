// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeHolds[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeHolds[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// describeHolds are the specs of one kind of binding whose template is not admitted.
func describeHolds[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind+" whose template needs more than was admitted", func() {
		It("is not rendered until it has been admitted, and says so once", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			before := p.rendered(ctx)["a"]
			change(ctx, p.object, func(o *unstructured.Unstructured) {
				o.Object["spec"] = map[string]any{"replicas": int64(9), "color": "blue"}
			})
			p.settled(ctx)
			c := controller[B]()
			Expect(c.Reconcile(ctx, read(ctx, p.binding))).To(Equal(reconcile.Result{RequeueAfter: 5 * time.Second}))
			Expect(p.failed(ctx)).To(BeNil(), "most are admitted soon")
			for range 2 {
				clock.SetTime(clock.Now().Add(5 * time.Second))
				Expect(c.Reconcile(ctx, read(ctx, p.binding))).To(Equal(reconcile.Result{}))
				Expect(p.failed(ctx)).To(HaveField("Reason", "NotAdmitted"))
			}
			Expect(events.About(p.object.GetNamespace(), p.object.GetName())).To(HaveLen(1))
			Expect(p.works(ctx)["a"].ResourceVersion).To(Equal(before.ResourceVersion))

			p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Replicas = 9 })
			p.settled(ctx)
			Expect(c.Reconcile(ctx, read(ctx, p.binding))).To(Equal(reconcile.Result{}))
			Expect(field(p.works(ctx)["a"], "spec", "color")).To(Equal("blue"))
			Expect(p.failed(ctx)).To(BeNil())
		})

		It("is suspended all the same", func(ctx SpecContext) {
			p := placed[B](ctx, "a", "b")
			p.rendered(ctx)
			change(ctx, p.object, func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"replicas": int64(9)} })
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Suspension = &workv1alpha2.Suspension{}
				s.Suspension.DispatchingOnClusters = &policyv1alpha1.SuspendClusters{ClusterNames: []string{"b"}}
			})
			works := p.rendered(ctx)
			Expect(works["a"].Spec.SuspendDispatching).To(Equal(ptr.To(false)))
			Expect(works["b"].Spec.SuspendDispatching).To(Equal(ptr.To(true)))
			Expect(manifest(works["b"]).GetAnnotations()).To(HaveKeyWithValue("resourcetemplate.karmada.io/generation", "1"))
		})

		// grown makes a template that has more replicas than its binding was admitted with.
		grown := func(ctx SpecContext, on ...string) *pair[B] {
			p := placed[B](ctx, on...)
			p.rendered(ctx)
			change(ctx, p.object, func(o *unstructured.Unstructured) {
				o.Object["spec"] = map[string]any{"replicas": int64(9), "color": "blue"}
			})
			return p
		}
		to := func(clusters ...string) func(*workv1alpha2.ResourceBindingSpec) {
			return func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters = nil
				for _, name := range clusters {
					s.Clusters = append(s.Clusters, workv1alpha2.TargetCluster{Name: name, Replicas: 3})
				}
			}
		}

		It("goes to a new target as it was admitted", func(ctx SpecContext) {
			p := grown(ctx, "a")
			p.move(ctx, to("a", "b"))
			works := p.rendered(ctx)
			Expect(works).To(HaveLen(2))
			Expect(field(works["b"], "spec", "replicas")).To(Equal(int64(3)))
			Expect(field(works["b"], "spec", "color")).To(BeNil())
			m, a := manifest(works["b"]), manifest(works["a"])
			Expect(m.GetAnnotations()).To(HaveKeyWithValue("resourcetemplate.karmada.io/generation", "1"))
			Expect(m.GetAnnotations()).To(HaveKeyWithValue("work.karmada.io/namespace", works["b"].Namespace))
			Expect(m.GetLabels()).To(HaveKeyWithValue("work.karmada.io/permanent-id", works["b"].Labels["work.karmada.io/permanent-id"]))
			for _, key := range []string{"resourcetemplate.karmada.io/managed-labels", "resourcetemplate.karmada.io/managed-annotations", "resourcetemplate.karmada.io/uid"} {
				Expect(m.GetAnnotations()[key]).To(Equal(a.GetAnnotations()[key]), key)
			}
		})

		It("moves, and its last copy goes when there is another", func(ctx SpecContext) {
			p := grown(ctx, "a")
			p.move(ctx, to("b"))
			Expect(p.rendered(ctx)).To(And(HaveKey("a"), HaveKey("b")))
			works := p.rendered(ctx)
			Expect(works["a"].DeletionTimestamp).NotTo(BeNil())
			Expect(works["b"].DeletionTimestamp).To(BeNil())
		})

		It("keeps its last copy where a copy for another cluster cannot be had from it", func(ctx SpecContext) {
			p := grown(ctx, "a")
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				to("b")(s)
				s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{leaving("a", policyv1alpha1.PurgeModeDirectly)}
			})
			works := p.rendered(ctx)
			Expect(works).To(And(HaveLen(1), HaveKey("a")))
			Expect(works["a"].DeletionTimestamp).To(BeNil())
			p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Replicas = 9 })
			works = p.rendered(ctx)
			Expect(works["a"].DeletionTimestamp).NotTo(BeNil(), "it leaves once the template is admitted")
		})

		It("is rendered all the same where only its status was written", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			p.rendered(ctx)
			p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters[0].Replicas = 3 })
			base := p.object.DeepCopy()
			p.object.Object["status"] = map[string]any{"ok": true}
			Expect(hub.Status().Patch(ctx, p.object, client.MergeFrom(base))).To(Succeed())
			Expect(field(p.rendered(ctx)["a"], "spec", "replicas")).To(Equal(int64(3)))
		})

		It("is not rendered with the replicas of clusters that were chosen before it had any", func(ctx SpecContext) {
			p := placed[B](ctx, "a", "b")
			p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Replicas, s.Clusters = 0, fixture.Targets("a", "b")
			})
			before := p.rendered(ctx)
			Expect(field(before["a"], "spec", "replicas")).To(Equal(int64(4)), "it is no workload yet")
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Replicas = 4 })
			unchanged := func() {
				GinkgoHelper()
				for cluster, w := range p.rendered(ctx) {
					Expect(w.ResourceVersion).To(Equal(before[cluster].ResourceVersion), cluster)
				}
			}
			unchanged()
			p.decide(ctx, func(*workv1alpha2.ResourceBindingSpec) {})
			unchanged()
			p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters[0].Replicas, s.Clusters[1].Replicas = 4, 4 })
			unchanged()
		})

		It("is not rendered with the shares of another number of replicas, but for what the scheduler leaves", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			before := p.rendered(ctx)["a"]
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Replicas, s.Placement = 6, &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
					ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided,
				}}
			})
			Expect(p.rendered(ctx)["a"].ResourceVersion).To(Equal(before.ResourceVersion))
			p.decide(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters[0].Replicas = 2 })
			Expect(field(p.rendered(ctx)["a"], "spec", "replicas")).To(Equal(int64(2)))
		})
	})
}

var (
	_ = describeFrozen[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeFrozen[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// describeFrozen are the specs of one kind of binding that no policy has follow its template.
func describeFrozen[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind+" whose policy does not propagate its template", func() {
		paint := func(ctx SpecContext, p *pair[B], color string) {
			GinkgoHelper()
			change(ctx, p.object, func(o *unstructured.Unstructured) {
				o.Object["spec"] = map[string]any{"replicas": int64(4), "color": color}
			})
		}
		release := func(ctx SpecContext, p *pair[B]) {
			GinkgoHelper()
			change(ctx, p.binding, func(b B) {
				labels := b.GetLabels()
				delete(labels, policyv1alpha1.PropagationPolicyPermanentIDLabel)
				delete(labels, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel)
				b.SetLabels(labels)
			})
		}

		It("stays as it is where the policy was deleted, and a copy that goes comes back", func(ctx SpecContext) {
			p := placed[B](ctx, "a", "b")
			before := p.rendered(ctx)
			release(ctx, p)
			paint(ctx, p, "blue")
			for cluster, w := range p.rendered(ctx) {
				Expect(w.ResourceVersion).To(Equal(before[cluster].ResourceVersion), cluster)
			}
			Expect(p.failed(ctx)).To(BeNil(), "nothing is wrong")

			a := before["a"]
			finish(ctx, &a)
			Expect(field(p.rendered(ctx)["a"], "spec", "color")).To(BeNil(), "it is like the other")
			for _, w := range p.works(ctx) {
				finish(ctx, &w)
			}
			Expect(p.rendered(ctx)).To(HaveLen(2))
			Expect(field(p.works(ctx)["a"], "spec", "color")).To(Equal("blue"), "nothing shows what it was like")
		})

		It("stays as it is while the policy waits for override policies", func(ctx SpecContext) {
			p := placed[B](ctx, "a", "b")
			before := p.rendered(ctx)["a"]
			b := p.works(ctx)["b"]
			policy, override := scope.EmptyPolicy(p.object.GetNamespace(), space), scope.EmptyOverride(p.object.GetNamespace(), space)
			policy.SetLabels(map[string]string{scope.PolicyIDLabel(policy): "policy"})
			policy.GetSpec().ResourceSelectors = []policyv1alpha1.ResourceSelector{{APIVersion: "v1", Kind: "ConfigMap"}}
			policy.GetSpec().DependentOverrides = []string{override.GetName()}
			Expect(hub.Create(ctx, policy)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, policy))).To(Succeed()) })
			change(ctx, p.binding, func(b B) { claim.Of(policy).Set(b) })
			c := controller[B]()
			p.settled(ctx)
			Expect(c.Reconcile(ctx, read(ctx, p.binding))).To(Equal(reconcile.Result{RequeueAfter: time.Minute}))
			paint(ctx, p, "blue")
			p.settled(ctx)
			Expect(c.Reconcile(ctx, read(ctx, p.binding))).To(Equal(reconcile.Result{RequeueAfter: time.Minute}))
			Expect(p.works(ctx)["a"].ResourceVersion).To(Equal(before.ResourceVersion))
			finish(ctx, &b)
			finish(ctx, &before)
			p.settled(ctx)
			Expect(c.Reconcile(ctx, read(ctx, p.binding))).To(Equal(reconcile.Result{RequeueAfter: time.Minute}))
			Expect(p.works(ctx)).To(BeEmpty(), "the override policy that it waits for would not be in them")

			Expect(hub.Create(ctx, override)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, override))).To(Succeed()) })
			Expect(field(p.rendered(ctx)["a"], "spec", "color")).To(Equal("blue"))

			By("deleting policy and override policy together")
			Expect(hub.Delete(ctx, override)).To(Succeed())
			Expect(hub.Delete(ctx, policy)).To(Succeed())
			paint(ctx, p, "red")
			p.settled(ctx)
			Expect(c.Reconcile(ctx, read(ctx, p.binding))).To(Equal(reconcile.Result{RequeueAfter: time.Minute}), "the binding does not say yet that the policy is gone")
			Expect(field(p.works(ctx)["a"], "spec", "color")).To(Equal("blue"))
		})
	})
}
