// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

type (
	spaced  = *workv1alpha2.ResourceBinding
	noSpace = *workv1alpha2.ClusterResourceBinding
)

// forged makes a binding that a controller wrote refer to another object, and forget its
// finalizer, as one that a user wrote.
func forged[B workv1alpha2.Binding](ctx context.Context, b B, to *unstructured.Unstructured) {
	GinkgoHelper()
	change(ctx, b, func(b B) {
		b.SetFinalizers(nil)
		r := &b.GetSpec().Resource
		*r = fixture.Binding(to).GetSpec().Resource
	})
}

// refused returns why a binding was not rendered.
func refused[B workv1alpha2.Binding](ctx context.Context, b B) string {
	GinkgoHelper()
	condition := meta.FindStatusCondition(fixture.Read(ctx, hub, b).GetStatus().Conditions, workv1alpha2.Rendered)
	if condition == nil || condition.Reason != workv1alpha2.InvalidReferenceReason {
		return ""
	}
	return condition.Message
}

var _ = Describe("a binding that is not that of its object", func() {
	// victim creates an object of another namespace, with the name of the spec's gadget.
	victim := func(ctx context.Context) *unstructured.Unstructured {
		GinkgoHelper()
		other, err := running.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		o := fixture.Gadget(other, "one", map[string]any{"size": int64(4)})
		Expect(hub.Create(ctx, o)).To(Succeed())
		return o
	}

	It("has no Work of an object of another namespace, and loses those that it had", func(ctx SpecContext) {
		p := placed[spaced](ctx, "a")
		Expect(p.rendered(ctx)).To(HaveLen(1))
		forged(ctx, p.binding, victim(ctx))
		Expect(p.render(ctx)).To(Succeed())
		Expect(refused(ctx, p.binding)).To(ContainSubstring("spec.resource.namespace"))
		for _, w := range p.works(ctx) {
			Expect(w.DeletionTimestamp).NotTo(BeNil())
			Expect(manifest(w).GetNamespace()).To(Equal(space), "the victim's object was written")
		}
		Expect(fixture.Read(ctx, hub, p.binding).GetFinalizers()).To(ContainElement(workv1alpha2.BindingFinalizer))
	})

	It("has none of an object without a namespace, by a ResourceBinding", func(ctx SpecContext) {
		p := placed[spaced](ctx, "a")
		wide := gadget[noSpace]("one")
		Expect(hub.Create(ctx, wide)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, wide)).To(Succeed()) })
		forged(ctx, p.binding, wide)
		Expect(p.render(ctx)).To(Succeed())
		Expect(refused(ctx, p.binding)).To(ContainSubstring("spec.resource.namespace"))
		Expect(p.works(ctx)).To(BeEmpty())
	})

	It("has none of an object with a namespace, by a ClusterResourceBinding", func(ctx SpecContext) {
		p := placed[noSpace](ctx, "a")
		forged(ctx, p.binding, victim(ctx))
		Expect(p.render(ctx)).To(Succeed())
		Expect(refused(ctx, p.binding)).To(ContainSubstring("spec.resource.namespace"))
		Expect(p.works(ctx)).To(BeEmpty())
	})

	It("has none of an object whose binding has another name", func(ctx SpecContext) {
		p := placed[spaced](ctx, "a")
		other := fixture.Gadget(space, "two", nil)
		Expect(hub.Create(ctx, other)).To(Succeed())
		forged(ctx, p.binding, other)
		Expect(p.render(ctx)).To(Succeed())
		Expect(refused(ctx, p.binding)).To(ContainSubstring("is called two-gadget"))
		Expect(p.works(ctx)).To(BeEmpty())
	})

	It("keeps its Works while its object is another one of this name", func(ctx SpecContext) {
		p := placed[spaced](ctx, "a")
		Expect(p.rendered(ctx)).To(HaveLen(1))
		p.move(ctx, func(s *workv1alpha2.ResourceBindingSpec) { s.Resource.UID = "of-an-earlier-object" })
		Expect(p.render(ctx)).To(Succeed())
		Expect(refused(ctx, p.binding)).To(ContainSubstring("spec.resource.uid"))
		Expect(p.works(ctx)).To(HaveKeyWithValue("a", HaveField("DeletionTimestamp", BeNil())))
	})

	It("has none of an object that is never propagated", func(ctx SpecContext) {
		o := fixture.Object(corev1.SchemeGroupVersion.WithKind("Event"), space, "one", map[string]any{
			"involvedObject": map[string]any{"namespace": space, "name": "one"},
		})
		p := bound[spaced](ctx, o, "a")
		Expect(p.render(ctx)).To(Succeed())
		Expect(refused(ctx, p.binding)).To(ContainSubstring("never propagated"))
		Expect(p.works(ctx)).To(BeEmpty())
	})

	It("gets its finalizer before its first Work, if it is that of its object", func(ctx SpecContext) {
		p := placed[spaced](ctx, "a")
		change(ctx, p.binding, func(b spaced) { b.SetFinalizers(nil) })
		Expect(p.rendered(ctx)).To(HaveLen(1))
		Expect(fixture.Read(ctx, hub, p.binding).GetFinalizers()).To(ConsistOf(workv1alpha2.BindingFinalizer))
		Expect(client.IgnoreNotFound(hub.Delete(ctx, p.binding))).To(Succeed())
	})
})
