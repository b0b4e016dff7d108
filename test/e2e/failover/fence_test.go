// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

var _ = Describe("a cluster", func() {
	It("is fenced by a person, and used again", func(ctx SpecContext) {
		name := env.Members[0].Name
		taints := func(ctx context.Context) ([]corev1.Taint, error) {
			c := &clusterv1alpha1.Cluster{}
			err := env.Hub.Get(ctx, client.ObjectKey{Name: name}, c)
			return c.Spec.Taints, err
		}
		DeferCleanup(func(ctx SpecContext) { _, _ = env.Dragoman(ctx, "unfence", name) })
		Expect(env.Dragoman(ctx, "fence", name)).To(And(HaveField("Code", Not(BeZero())), HaveField("Text", ContainSubstring("--force"))), "it can be reached")
		Expect(taints(ctx)).To(BeEmpty())
		env.Run(ctx, "fence", name, "--force")
		Expect(taints(ctx)).To(ConsistOf(HaveField("Key", "failover.dragoman.io/fenced")))
		Expect(env.Run(ctx, "fence", name, "--force")).To(ContainSubstring("already"))
		env.Run(ctx, "unfence", name)
		Expect(taints(ctx)).To(BeEmpty())
	}, NodeTimeout(10*time.Minute))

	It("is fenced also while others write it", func(ctx SpecContext) {
		name := env.Members[0].Name
		writing, stop := context.WithCancel(ctx)
		ended := make(chan error)
		DeferCleanup(func(ctx SpecContext) { env.Run(ctx, "unfence", name) })
		go func() {
			var failed error
			often := time.NewTicker(20 * time.Millisecond)
			defer often.Stop()
			for n := 0; failed == nil && writing.Err() == nil; n++ {
				<-often.C
				c := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}}
				note := fmt.Appendf(nil, `{"metadata":{"annotations":{"spec.dragoman.io/note":"%d"}}}`, n)
				failed = env.Hub.Patch(ctx, c, client.RawPatch(types.MergePatchType, note))
			}
			ended <- failed
		}()
		for range 5 {
			Expect(env.Run(ctx, "fence", name, "--force")).To(ContainSubstring("is fenced"))
			Expect(env.Run(ctx, "unfence", name)).To(ContainSubstring("is used again"))
		}
		stop()
		Expect(<-ended).To(Succeed())
	}, NodeTimeout(10*time.Minute))
})
