// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// delete deletes the Work, which its finalizer keeps.
func (b *setup) delete(ctx context.Context) {
	GinkgoHelper()
	Expect(hub.Manager.GetClient().Delete(ctx, b.work(ctx))).To(Succeed())
}

// undo reconciles a deleted Work once.
func (b *setup) undo(ctx context.Context) {
	GinkgoHelper()
	_, err := b.reconcile(ctx)
	Expect(err).NotTo(HaveOccurred())
}

// ends reconciles a deleted Work until it is gone: it stays as long as the watch shows its object,
// whose event then wakes it.
func (b *setup) ends(ctx context.Context, why ...any) {
	GinkgoHelper()
	Eventually(func() bool {
		b.undo(ctx)
		return b.gone(ctx)
	}).Should(BeTrue(), why...)
}

// endsAs is ends for a Work of any name; the cache has its end when it returns.
func (b *setup) endsAs(ctx context.Context, key types.NamespacedName) {
	GinkgoHelper()
	c := hub.Manager.GetClient()
	Eventually(func() bool {
		_, err := reconcile.AsReconciler(c, b.controller).Reconcile(ctx, reconcile.Request{NamespacedName: key})
		Expect(err).NotTo(HaveOccurred())
		return apierrors.IsNotFound(c.Get(ctx, key, &workv1alpha1.Work{}))
	}).Should(BeTrue())
}

// leave deletes the cluster, which its finalizer keeps.
func (b *setup) leave(ctx context.Context) {
	GinkgoHelper()
	cluster := b.object(ctx)
	cluster.Finalizers = []string{clusterv1alpha1.ClusterFinalizer}
	Expect(hub.Manager.GetClient().Update(ctx, cluster)).To(Succeed())
	Expect(hub.Manager.GetClient().Delete(ctx, cluster)).To(Succeed())
}

var _ = Describe("A Work that is deleted", func() {
	// made is a setup whose Work made its object.
	made := func(ctx context.Context, at suite.Address) *setup {
		GinkgoHelper()
		b := newSetup(ctx, at)
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		return b
	}

	It("takes its object with it", func(ctx SpecContext) {
		b := made(ctx, one())
		b.delete(ctx)
		b.ends(ctx)
		Expect(b.value(ctx)).To(Equal("gone"))
	})

	It("ends when its object is gone already", func(ctx SpecContext) {
		b := made(ctx, one())
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		b.delete(ctx)
		b.ends(ctx)
	})

	It("takes what its object made with it, where the API server would leave it", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		pod := map[string]any{"spec": map[string]any{"restartPolicy": "Never", "containers": []any{map[string]any{"name": "c", "image": "i"}}}}
		job := fixture.Object(schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}, b.namespace, "m", map[string]any{"spec": map[string]any{"template": pod}})
		b.create(ctx, job)
		Expect(b.apply(ctx)).To(Equal(applied))
		b.delete(ctx)
		b.ends(ctx, "a Job that is deleted without a propagation policy keeps the finalizer orphan, and its pods stay")
	})

	It("waits until an object that takes its time is really gone", func(ctx SpecContext) {
		b := made(ctx, one())
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"example.io/slow"}) })
		b.delete(ctx)
		result, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).NotTo(BeZero(), "should the event of its end be missed")
		Expect(b.gone(ctx)).To(BeFalse())
		Expect(b.read(ctx, configMaps).GetDeletionTimestamp()).NotTo(BeNil())
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
		b.ends(ctx)
	})

	It("leaves an object that is not its own", func(ctx SpecContext) {
		b := made(ctx, one())
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetLabels(nil) })
		b.delete(ctx)
		b.ends(ctx)
		Expect(b.value(ctx)).To(Equal("v"))
	})

	It("leaves its object without marks when it must be preserved", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		desired := b.configMap("v")
		desired.SetLabels(map[string]string{"ours": "1"})
		desired.SetAnnotations(map[string]string{"our-note": "1"})
		w := fixture.Work(b.cluster, "w", desired)
		w.Spec.PreserveResourcesOnDeletion = new(true)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		Expect(b.apply(ctx)).To(Equal(applied))
		b.delete(ctx)
		b.ends(ctx)
		o := b.read(ctx, configMaps)
		Expect(o).NotTo(BeNil())
		Expect(o.GetLabels()).To(Equal(map[string]string{"ours": "1"}))
		Expect(o.GetAnnotations()).To(Equal(map[string]string{"our-note": "1"}))
		Expect(b.value(ctx)).To(Equal("v"))
	})

	DescribeTable("ends when there is nothing to preserve any more", func(ctx SpecContext, object func(*setup) *unstructured.Unstructured) {
		b := newSetup(ctx, one())
		w := fixture.Work(b.cluster, "w", object(b))
		w.Spec.PreserveResourcesOnDeletion = new(true)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		b.delete(ctx)
		b.ends(ctx)
	},
		Entry("the object", func(b *setup) *unstructured.Unstructured { return b.configMap("v") }),
		Entry("the kind", func(b *setup) *unstructured.Unstructured {
			return fixture.Object(schema.GroupVersionKind{Group: "nobody.example.io", Version: "v1", Kind: "Thing"}, b.namespace, "m", nil)
		}),
	)

	It("ends when its kind is not served any more", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, fixture.Object(schema.GroupVersionKind{Group: "nobody.example.io", Version: "v1", Kind: "Thing"}, b.namespace, "m", nil))
		b.delete(ctx)
		b.ends(ctx)
	})

	It("ends when its manifest never was an object", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		w := fixture.Work(b.cluster, "w", b.configMap("v"))
		w.Spec.Workload.Manifests[0].Raw = []byte(`{}`)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		b.delete(ctx)
		b.ends(ctx)
	})

	It("ends also while it is suspended", func(ctx SpecContext) {
		b := made(ctx, one())
		b.change(ctx, func(w *workv1alpha1.Work) { w.Spec.SuspendDispatching = new(true) })
		b.delete(ctx)
		b.ends(ctx)
		Expect(b.value(ctx)).To(Equal("gone"))
	})

	It("waits for a cluster that is not ready", func(ctx SpecContext) {
		b := made(ctx, one())
		b.ready(ctx, metav1.ConditionFalse)
		b.delete(ctx)
		b.undo(ctx)
		Expect(b.gone(ctx)).To(BeFalse(), "its object is still there")
		b.ready(ctx, metav1.ConditionTrue)
		b.ends(ctx)
		Expect(b.value(ctx)).To(Equal("gone"))
	})

	It("takes its object from a cluster that leaves and can be reached", func(ctx SpecContext) {
		b := made(ctx, one())
		b.leave(ctx)
		b.delete(ctx)
		b.restart()
		b.undo(ctx)
		Expect(b.gone(ctx)).To(BeFalse(), "the connection is not made yet")
		b.connect(ctx)
		b.ends(ctx)
		Expect(b.value(ctx)).To(Equal("gone"))
	})

	It("ends without its object when the cluster leaves and cannot be reached", func(ctx SpecContext) {
		g := newProxy()
		b := made(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.leave(ctx)
		b.ready(ctx, metav1.ConditionFalse)
		before := writes(g)
		b.delete(ctx)
		b.ends(ctx)
		Expect(writes(g)).To(Equal(before))
	})
})
