// SPDX-License-Identifier: Apache-2.0

package gather_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/explain"
	"github.com/dragoman-io/dragoman/controllers/gather"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("An object of a kind with two versions", func() {
	scaler := func(version string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: "autoscaling", Version: version, Kind: "HorizontalPodAutoscaler"}
	}
	It("is explained in the version by which it is propagated", func(ctx SpecContext) {
		space, err := control.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		waiting := fixture.Policy(space, "waiting", fixture.Named(scaler("v1"), "waits"))
		waiting.GetSpec().DependentOverrides = []string{"missing"}
		Expect(hub.Create(ctx, waiting)).To(Succeed())
		Expect(hub.Create(ctx, fixture.Policy(space, "by-v1", fixture.Named(scaler("v1"), "h1")))).To(Succeed())
		for _, name := range []string{"h1", "waits", "alone"} {
			Expect(hub.Create(ctx, fixture.Object(scaler("v2"), space, name, map[string]any{"spec": map[string]any{
				"maxReplicas": int64(3), "scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
			}}))).To(Succeed())
		}
		inV2 := func(name string) *explain.Chain {
			return explained(ctx, fixture.Object(scaler("v2"), space, name, nil))
		}
		Eventually(func() string { return inV2("h1").Links[2].Subject }).Should(Equal("ResourceBinding "+space+"/h1-horizontalpodautoscaler"), "by its binding")
		Expect(inV2("h1").Links[1].Finding).To(And(HaveField("State", explain.OK), HaveField("Subject", "PropagationPolicy "+space+"/by-v1")))
		Expect(inV2("waits").First()).To(And(HaveField("Name", "policy"), HaveField("Reason", "DependentOverrides")), "by its policy")
		Expect(inV2("alone").First()).To(HaveField("Reason", "NoPolicy"))

		Expect(hub.Create(ctx, fixture.Policy(space, "by-v2", fixture.Named(scaler("v2"), "h1")))).To(Succeed())
		Expect(inV2("h1").Links[1].Subject).To(Equal("PropagationPolicy "+space+"/by-v1"), "which has it")
	}, NodeTimeout(time.Minute))
})

var _ = Describe("An object that is gone", func() {
	It("has what is left of it, and nothing of another group", func(ctx SpecContext) {
		space, err := control.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		cluster := fixture.Cluster("gone-" + space)
		Expect(hub.Create(ctx, cluster)).To(Succeed())
		cluster.Status.Conditions = []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionReady, Status: "True", Reason: "Spec", LastTransitionTime: metav1.Now()}}
		Expect(hub.Status().Update(ctx, cluster)).To(Succeed())
		Expect(hub.Create(ctx, executionSpace(names.ExecutionSpace(cluster.Name)))).To(Succeed())
		gone := fixture.Gadget(space, "left", nil)
		in, err := gather.Remains(ctx, reader, gone)
		Expect(err).NotTo(HaveOccurred())
		Expect(in.HasRemains()).To(BeFalse())

		w := fixture.Work(cluster.Name, names.Work("Gadget", space, "left"), gone)
		w.Finalizers = []string{workv1alpha2.ExecutionFinalizer}
		Expect(hub.Create(ctx, w)).To(Succeed())
		Expect(hub.Delete(ctx, w)).To(Succeed())
		Expect(hub.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
		before := w.DeepCopy()
		w.Status.Conditions = []metav1.Condition{{
			Type: workv1alpha1.WorkCleanedUp, Status: "False", Reason: workv1alpha1.CleanupFailedReason, Message: "denied", LastTransitionTime: metav1.Now(),
		}}
		Expect(hub.Status().Patch(ctx, w, client.MergeFrom(before))).To(Succeed())
		in, err = gather.Remains(ctx, reader, gone)
		Expect(err).NotTo(HaveOccurred())
		chain := explain.Explain(in)
		Expect(chain.Broken).To(Equal("works"))
		Expect(chain.First().Items).To(ConsistOf(And(HaveField("Reason", "CleanupFailed"), HaveField("Subject", cluster.Name), HaveField("Message", HaveSuffix("denied")))))

		other := gone.DeepCopy()
		other.SetGroupVersionKind(schema.GroupVersionKind{Group: "other.example.io", Version: "v1", Kind: "Gadget"})
		in, err = gather.Remains(ctx, reader, other)
		Expect(err).NotTo(HaveOccurred())
		Expect(in.Works).To(BeEmpty())
		w.Finalizers = nil
		Expect(hub.Update(ctx, w)).To(Succeed())
		Expect(hub.Delete(ctx, cluster)).To(Succeed())
	}, NodeTimeout(time.Minute))
})
