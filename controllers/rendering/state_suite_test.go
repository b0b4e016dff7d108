// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

var (
	_ = describeState[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeState[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// describeState are the specs of the state that copies of one kind of binding have.
func describeState[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind, func() {
		It("whose task has a label that is none has a new copy all the same", func(ctx SpecContext) {
			p := placed[B](ctx, "b")
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				task := leaving("a", policyv1alpha1.PurgeModeDirectly)
				task.PreservedLabelState = map[string]string{"job": "17", "no/such/key": "1", "path": "s3://a b"}
				s.GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{task}
			})
			m := manifest(p.rendered(ctx)["b"])
			Expect(m.GetLabels()).To(HaveKeyWithValue("job", "17"))
			m.SetName(m.GetName() + "-copy")
			m.SetResourceVersion("")
			m.SetUID("")
			Expect(hub.Create(ctx, m, client.DryRunAll)).To(Succeed(), "an API server takes it")
		})

		It("names on the Work of a new copy the state that it is made with, for good, and on no other", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			p.rendered(ctx)
			change(ctx, p.binding, func(b B) {
				b.GetSpec().Clusters = append(b.GetSpec().Clusters, workv1alpha2.TargetCluster{Name: "b", Replicas: 4})
				Expect(binding.SetCarriedStates(b, []binding.Carried{
					{From: "c", Copy: "of-c", Gone: true, Others: []string{"a"}, Labels: map[string]string{"job": "16"}},
				})).To(Succeed())
			})
			works := p.rendered(ctx)
			name := works["b"].Annotations[workv1alpha2.RestoredFromAnnotation]
			Expect(name).To(HavePrefix("of-c/"))
			Expect(manifest(works["b"]).GetLabels()).To(HaveKeyWithValue("job", "16"))
			Expect(works["a"].Annotations).NotTo(HaveKey(workv1alpha2.RestoredFromAnnotation), "its policy asked for no state")

			By("choosing the first cluster again before anybody noted where the state is")
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Clusters = append(s.Clusters, workv1alpha2.TargetCluster{Name: "c", Replicas: 4})
			})
			works = p.rendered(ctx)
			Expect(manifest(works["b"]).GetLabels()).To(HaveKeyWithValue("job", "16"))
			Expect(manifest(works["c"]).GetLabels()).NotTo(HaveKey("job"), "it has another copy's")

			By("dropping the state")
			change(ctx, p.binding, func(b B) { Expect(binding.SetCarriedStates(b, nil)).To(Succeed()) })
			works = p.rendered(ctx)
			Expect(manifest(works["b"]).GetLabels()).NotTo(HaveKey("job"))
			Expect(works["b"].Annotations).To(HaveKeyWithValue(workv1alpha2.RestoredFromAnnotation, name))
		})

		It("that stays since no cluster is left keeps the state that it was made with", func(ctx SpecContext) {
			p := placed[B](ctx, "b")
			state := binding.Carried{From: "c", Copy: "of-c", To: "b", Gone: true, Labels: map[string]string{"job": "16"}}
			change(ctx, p.binding, func(b B) { Expect(binding.SetCarriedStates(b, []binding.Carried{state})).To(Succeed()) })
			Expect(manifest(p.rendered(ctx)["b"]).GetLabels()).To(HaveKeyWithValue("job", "16"))

			By("evicting it before it was healthy, and then the copy in the cluster after it, which was never made")
			change(ctx, p.binding, func(b B) {
				b.GetSpec().Clusters = nil
				b.GetSpec().GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{
					leaving("b", policyv1alpha1.PurgeModeDirectly), leaving("d", policyv1alpha1.PurgeModeDirectly),
				}
				state.To, state.Made = "d", "b"
				Expect(binding.SetCarriedStates(b, []binding.Carried{state})).To(Succeed())
			})
			Expect(manifest(p.rendered(ctx)["b"]).GetLabels()).To(HaveKeyWithValue("job", "16"))
		})

		It("that is deleted while its template stays names the state that goes with its copies", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
					StatePreservation: &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: "{.jobId}"}}},
				}}
			})
			p.rendered(ctx)
			change(ctx, p.binding, func(b B) {
				Expect(binding.SetCarriedStates(b, []binding.Carried{{From: "c", To: "b", Labels: map[string]string{"job": "16"}}})).To(Succeed())
			})
			reported := read(ctx, p.binding)
			reported.GetStatus().AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{
				ClusterName: "a", Applied: true, Health: workv1alpha2.ResourceHealthy, Status: &runtime.RawExtension{Raw: []byte(`{"jobId":"17","progress":"42"}`)},
			}}
			Expect(hub.Status().Update(ctx, reported)).To(Succeed())
			p.delete(ctx)
			Expect(p.render(ctx)).To(Succeed())
			Expect(events.About(p.object.GetNamespace(), p.object.GetName())).To(ConsistOf("Warning StateDropped: binding " + p.binding.GetName() +
				" was deleted and its copies with it; new copies begin without their state: cluster c: job=16; cluster a: job=17, spec.dragoman.io/progress=42"))
		})

		It("that is deleted with its template names none", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) {
				s.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
			})
			p.rendered(ctx)
			change(ctx, p.binding, func(b B) {
				Expect(binding.SetCarriedStates(b, []binding.Carried{{From: "c", Labels: map[string]string{"job": "16"}}})).To(Succeed())
			})
			Expect(hub.Delete(ctx, p.object)).To(Succeed())
			Eventually(func() error { _, err := tmpls.Get(ctx, templates.KeyOf(p.object)); return err }).Should(HaveOccurred())
			Expect(client.IgnoreNotFound(hub.Delete(ctx, p.binding))).To(Succeed())
			waitForCache(ctx)
			_, err := reconcile.AsReconciler(cached, controller[B]()).Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p.binding)})
			Expect(err).NotTo(HaveOccurred())
			Expect(events.About(p.object.GetNamespace(), p.object.GetName())).To(BeEmpty())
		})
	})
}
