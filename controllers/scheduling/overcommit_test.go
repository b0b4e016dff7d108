// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

var (
	_ = describeOvercommit[*workv1alpha2.ResourceBinding]("ResourceBindings")
	_ = describeOvercommit[*workv1alpha2.ClusterResourceBinding]("ClusterResourceBindings")
)

// describeOvercommit are the specs of many bindings that want the same room.
func describeOvercommit[B workv1alpha2.Binding](kind string) bool {
	return Describe("Many "+kind, func() {
		It("get no more room than a cluster has", func(ctx SpecContext) {
			join(ctx, "a", cpus("10"))
			var all []B
			for i := range 10 {
				all = append(all, bindingOf[B](ctx, fmt.Sprint("g", i), toClusters("a"), replicas(6)))
			}
			manage[B]()
			placed := 0
			for _, b := range all {
				Eventually(func() []string { return reasons(read(ctx, b)) }).ShouldNot(BeEmpty())
				b = read(ctx, b)
				placed += len(b.GetSpec().Clusters)
				if len(b.GetSpec().Clusters) == 0 {
					Expect(reasons(b)).To(ConsistOf("Unschedulable"))
				}
			}
			Expect(placed).To(Equal(1), "bindings of 6 CPUs on a cluster of 10")
		})
	})
}

// reasons returns the reason of the Scheduled condition of a binding, if there is one.
func reasons(b workv1alpha2.Binding) []string {
	var all []string
	if c := meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.Scheduled); c != nil {
		all = append(all, c.Reason)
	}
	return all
}
