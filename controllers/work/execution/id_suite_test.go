// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// identify writes the status of the Cluster as its controller does.
func (b *setup) identify(ctx context.Context, id, conflict string) {
	GinkgoHelper()
	cluster := b.object(ctx)
	cluster.Status.ID = id
	Expect(hub.Manager.GetClient().Status().Update(ctx, cluster)).To(Succeed())
	if conflict != "" {
		b.conflicts(ctx, clusterv1alpha1.ClusterConditionIDConflict, conflict)
	}
}

// conflicts writes a condition of the Cluster as its controller does.
func (b *setup) conflicts(ctx context.Context, condition, reason string) {
	GinkgoHelper()
	cluster := b.object(ctx)
	meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{
		Type: condition, Status: metav1.ConditionTrue, Reason: reason, Message: "said by a spec",
	})
	Expect(hub.Manager.GetClient().Status().Update(ctx, cluster)).To(Succeed())
}

var _ = Describe("A cluster whose id is not compared yet, or is another", func() {
	It("gets nothing, and all once the connection to it is admitted", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.identify(ctx, "recorded", "")
		b.create(ctx, b.configMap("v"))
		b.restart()
		m, err := b.members.Open(ctx, b.object(ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(b.apply(ctx)).To(ContainSubstring("cluster not ready: " + b.cluster))
		Expect(b.value(ctx)).To(Equal("gone"))

		b.members.Admit(m)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("v"))
	})

	DescribeTable("loses nothing when it leaves, and does not hold its Works", func(ctx SpecContext, condition, reason string) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.conflicts(ctx, condition, reason)
		b.restart() // the connection is not admitted
		cluster := b.object(ctx)
		cluster.Finalizers = []string{clusterv1alpha1.ClusterFinalizer}
		Expect(hub.Manager.GetClient().Update(ctx, cluster)).To(Succeed())
		Expect(hub.Manager.GetClient().Delete(ctx, b.object(ctx))).To(Succeed())
		b.delete(ctx)
		b.ends(ctx)
		Expect(b.value(ctx)).To(Equal("v"), "what is there is not of the cluster that leaves")
	},
		Entry("another cluster", clusterv1alpha1.ClusterConditionIDConflict, clusterv1alpha1.ReasonOtherCluster),
		Entry("a cluster of another control plane", clusterv1alpha1.ClusterConditionOwnerConflict, clusterv1alpha1.ReasonOtherControlPlane),
	)
})

var _ = Describe("An object that this control plane must not write", func() {
	It("names the cluster that has two names", func(ctx SpecContext) {
		a, b := newSetup(ctx, one()), newSetup(ctx, one())
		a.identify(ctx, "id-of-"+a.cluster, "")
		b.identify(ctx, "id-of-"+a.cluster, clusterv1alpha1.ReasonSameCluster)
		a.create(ctx, a.configMap("v"))
		Expect(a.apply(ctx)).To(Equal(applied))
		b.create(ctx, a.configMap("of the second name"))
		Expect(b.apply(ctx)).To(ContainSubstring(b.cluster + " and " + a.cluster + " are one cluster, which has the id id-of-" + a.cluster))
		Expect(a.value(ctx)).To(Equal("v"))

		By("moving it to the second name, and removing the first")
		a.delete(ctx)
		a.ends(ctx)
		Eventually(func() string { return b.apply(ctx) }).Should(Equal(applied)) // as its queue does, until the caches show it
		o := fixture.Object(configMaps, a.namespace, "m", nil)
		Expect(onMember.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		Expect(o.GetAnnotations()).To(HaveKeyWithValue("work.karmada.io/namespace", names.ExecutionSpace(b.cluster)))
	})

	It("goes from one name of a cluster to the other as it is, where both policies say so", func(ctx SpecContext) {
		a, b := newSetup(ctx, one()), newSetup(ctx, one())
		w := fixture.Work(a.cluster, "w", a.configMap("v"))
		w.Spec.PreserveResourcesOnDeletion = new(true)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		Expect(a.apply(ctx)).To(Equal(applied))
		before := a.read(ctx, configMaps).GetUID()

		desired := a.configMap("v")
		desired.SetAnnotations(map[string]string{"work.karmada.io/conflict-resolution": "overwrite"})
		b.create(ctx, desired)
		Expect(b.apply(ctx)).To(HavePrefix("False"), "the first name has it")
		a.delete(ctx)
		a.ends(ctx)
		Eventually(func() string { return b.apply(ctx) }).Should(Equal(applied)) // as its queue does, until the caches show it
		Expect(a.read(ctx, configMaps).GetUID()).To(Equal(before))
	})

	It("names the flag that takes over what a control plane wrote that is gone", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) {
			a := o.GetAnnotations()
			a["work.dragoman.io/owner"] = "former"
			o.SetAnnotations(a)
		})
		m, _ := b.members.Get(b.cluster)
		Eventually(func(g Gomega) {
			o, err := m.Get(configMaps, types.NamespacedName{Namespace: b.namespace, Name: "m"})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(o.GetAnnotations()).To(HaveKeyWithValue("work.dragoman.io/owner", "former"))
		}).Should(Succeed())
		Expect(b.apply(ctx)).To(ContainSubstring("if that control plane is gone for good, start this one with --cluster-owner=former"))
	})
})
