// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var spaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// createNamespace makes the Work w of a namespace.
func (b *setup) createNamespace(ctx context.Context, name string, preserve bool) {
	GinkgoHelper()
	o := fixture.Object(spaceKind, "", name, map[string]any{"spec": map[string]any{"finalizers": []any{"kubernetes"}}})
	o.SetLabels(map[string]string{"team": "red"})
	w := fixture.Work(b.cluster, "w", o)
	w.Annotations = map[string]string{workv1alpha2.NamespaceAnnotation: name}
	w.Spec.PreserveResourcesOnDeletion = &preserve
	Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
}

// inMember reads a namespace of the member.
func inMember(ctx context.Context, name string) *corev1.Namespace {
	GinkgoHelper()
	n := &corev1.Namespace{}
	Expect(onMember.Get(ctx, client.ObjectKey{Name: name}, n)).To(Succeed())
	return n
}

var _ = Describe("A Work of a namespace", func() {
	It("uses a namespace that is there and is not ours, as it is, and leaves it", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.createNamespace(ctx, b.namespace, false)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(inMember(ctx, b.namespace).Labels).NotTo(Or(HaveKey("team"), HaveKey("karmada.io/managed")))
		Expect(hub.Manager.GetClient().Delete(ctx, b.work(ctx))).To(Succeed())
		b.ends(ctx)
		Expect(inMember(ctx, b.namespace).DeletionTimestamp).To(BeNil())
	})

	It("leaves a namespace that holds something of others, without our marks", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		name := b.namespace + "-x"
		b.createNamespace(ctx, name, false)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(inMember(ctx, name).Labels).To(HaveKeyWithValue("karmada.io/managed", "true"))
		Expect(onMember.Create(ctx, fixture.Object(configMaps, name, "theirs", nil))).To(Succeed())
		Expect(hub.Manager.GetClient().Delete(ctx, b.work(ctx))).To(Succeed())
		b.ends(ctx)
		left := inMember(ctx, name)
		Expect(left.DeletionTimestamp).To(BeNil())
		Expect(left.Labels).NotTo(HaveKey("karmada.io/managed"))
	})

	It("waits for what of ours ends in the namespace, and is deleted then", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		name, c := b.namespace+"-x", hub.Manager.GetClient()
		b.createNamespace(ctx, name, false)
		Expect(b.apply(ctx)).To(Equal(applied))
		w := fixture.Work(b.cluster, "content", fixture.Object(configMaps, name, "ours", nil))
		w.Annotations = map[string]string{"resourcebinding.karmada.io/namespace": name, "resourcebinding.karmada.io/name": "ours"}
		w.Finalizers = []string{"karmada.io/execution-controller"}
		Expect(c.Create(ctx, w)).To(Succeed())
		content := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(w)}
		_, err := reconcile.AsReconciler(c, b.controller).Reconcile(ctx, content)
		Expect(err).NotTo(HaveOccurred())

		Expect(c.Delete(ctx, w)).To(Succeed())
		Expect(c.Delete(ctx, b.work(ctx))).To(Succeed())
		result, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).NotTo(BeZero())
		Expect(b.gone(ctx)).To(BeFalse())
		Expect(inMember(ctx, name).Labels).To(HaveKeyWithValue("karmada.io/managed", "true"))

		b.endsAs(ctx, content.NamespacedName)
		_, err = b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(inMember(ctx, name).DeletionTimestamp).NotTo(BeNil()) // a bare API server never ends it
	})

	It("deletes a namespace of ours that is empty", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		name := b.namespace + "-x"
		b.createNamespace(ctx, name, false)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(hub.Manager.GetClient().Delete(ctx, b.work(ctx))).To(Succeed())
		_, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		n := &corev1.Namespace{}
		if err := onMember.Get(ctx, client.ObjectKey{Name: name}, n); err == nil {
			Expect(n.DeletionTimestamp).NotTo(BeNil())
		}
	})

	It("comes before what is in the namespace, which fails not even once", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		name := b.namespace + "-x"
		key := namespaces.Key(b.cluster, name)
		space := fixture.Work(b.cluster, key.Name, fixture.Object(spaceKind, "", name, nil))
		space.Annotations = map[string]string{workv1alpha2.NamespaceAnnotation: name}
		c := hub.Manager.GetClient()
		Expect(c.Create(ctx, space)).To(Succeed())
		b.create(ctx, fixture.Object(configMaps, name, "m", nil))
		result, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).NotTo(BeZero())
		Expect(b.condition(ctx, workv1alpha1.WorkApplied)).To(Equal("none"))
		_, err = b.controller.Reconcile(ctx, fixture.Read(ctx, c, space))
		Expect(err).NotTo(HaveOccurred())
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(onMember.Get(ctx, client.ObjectKey{Namespace: name, Name: "m"}, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}})).To(Succeed())
	})
})
