// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	_ = describeWritten[*workv1alpha2.ResourceBinding]("the Works of a ResourceBinding")
	_ = describeWritten[*workv1alpha2.ClusterResourceBinding]("the Works of a ClusterResourceBinding")
)

// describeWritten are the specs of what a reconcile sees of the writes before it.
func describeWritten[B workv1alpha2.Binding](kind string) bool {
	return Describe(kind, func() {
		It("are rendered while the Work of another is being written", func(ctx SpecContext) {
			p := placed[B](ctx, "a")
			other := &workv1alpha1.Work{}
			other.Namespace, other.Name = names.ExecutionSpace("b"), "other-"+space
			Expect(hub.Create(ctx, other)).To(Succeed())
			p.settled(ctx)
			held := fixture.NewHeldPatch()
			held.Hold(ctx, cached, other)
			limited, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			_, err := reconcile.AsReconciler(cached, controller[B]()).Reconcile(limited, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p.binding)})
			Expect(err).NotTo(HaveOccurred())
			Expect(p.works(ctx)).To(HaveKey("a"))
		})

		It("are seen by the next reconcile", func(ctx SpecContext) {
			c := controller[B]()
			for i := range 10 {
				p := bound[B](ctx, gadget[B](fmt.Sprint("one-", i)), "a", "b")
				p.settled(ctx)
				_, err := reconcile.AsReconciler(cached, c).Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p.binding)})
				Expect(err).NotTo(HaveOccurred())
				works, err := c.Works(ctx, client.ObjectKeyFromObject(p.binding))
				Expect(err).NotTo(HaveOccurred())
				Expect(works).To(HaveLen(2))
			}
		})
	})
}
