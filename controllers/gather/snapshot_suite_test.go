// SPDX-License-Identifier: Apache-2.0

package gather_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/gather"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("a snapshot", func() {
	It("has all bindings of all pages, each once, and is only read", func(ctx SpecContext) {
		space, err := control.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		want := map[string]bool{}
		for i := range 7 {
			b := fixture.Binding(fixture.Gadget(space, fmt.Sprint("paged-", i), nil))
			b.SetFinalizers(nil)
			Expect(hub.Create(ctx, b)).To(Succeed())
			want[b.GetName()] = true
		}
		before := len(requests.Made())
		s, err := gather.ReadSnapshotInPages(ctx, reader, 3)
		Expect(err).NotTo(HaveOccurred())
		got := map[string]bool{}
		for _, b := range s.Bindings {
			if b.GetNamespace() == space {
				Expect(got).NotTo(HaveKey(b.GetName()))
				got[b.GetName()] = true
			}
		}
		Expect(got).To(Equal(want))
		made := requests.Made()[before:]
		Expect(made).To(HaveEach(HavePrefix("GET ")))
		Expect(len(made)).To(BeNumerically(">=", 6), "three pages of ResourceBindings, and a request for each other kind")
	}, NodeTimeout(time.Minute))
})

var _ = Describe("the binding of an object", func() {
	It("is found by the object, and is itself", func(ctx SpecContext) {
		space, err := control.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		object := fixture.Gadget(space, "single", nil)
		_, err = gather.Binding(ctx, reader, object)
		Expect(err).To(MatchError(ContainSubstring("Gadget single has no binding: no policy propagates it")))
		b := fixture.Binding(object)
		b.SetFinalizers(nil)
		Expect(hub.Create(ctx, b)).To(Succeed())
		found, err := gather.Binding(ctx, reader, object)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.GetUID()).To(Equal(b.GetUID()))

		as := &unstructured.Unstructured{}
		as.SetAPIVersion("work.karmada.io/v1alpha2")
		as.SetKind("ResourceBinding")
		Expect(hub.Get(ctx, client.ObjectKeyFromObject(b), as)).To(Succeed())
		found, err = gather.Binding(ctx, reader, as)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.GetUID()).To(Equal(b.GetUID()))
		_, is, err := gather.AsBinding(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": corev1.SchemeGroupVersion.String()}})
		Expect(err).NotTo(HaveOccurred())
		Expect(is).To(BeFalse())
	}, NodeTimeout(time.Minute))
})
