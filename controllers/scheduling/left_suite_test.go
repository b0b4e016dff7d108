// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
)

var (
	_ = describeLeaving[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeLeaving[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// leftEvents returns the events that a binding left clusters, under their short names. Those about the
// binding and about its template must be the same.
func leftEvents(b workv1alpha2.Binding) []string {
	GinkgoHelper()
	template := reference.Template(b)
	about := func(namespace, name string) []string {
		var found []string
		for _, e := range events.About(namespace, name) {
			if text, ok := strings.CutPrefix(e, "Normal ClusterLeft: "); ok {
				found = append(found, strings.ReplaceAll(text, space+"-", ""))
			}
		}
		return found
	}
	found := about(b.GetNamespace(), b.GetName())
	Expect(about(template.Namespace, template.Name)).To(Equal(found), "about the template")
	return found
}

// describeLeaving are the specs of the event that a cluster was left.
func describeLeaving[B workv1alpha2.Binding](kind string) bool {
	const unmatched = "the placement of the policy does not match it any more"
	return Describe("An event about "+kind+" and its template", func() {
		It("names the clusters that do not match any more, the last one too, each once", func(ctx SpecContext) {
			unlabel := func(c *clusterv1alpha1.Cluster) {
				GinkgoHelper()
				change(ctx, c, func(c *clusterv1alpha1.Cluster) { c.Labels = nil })
			}
			a, b := join(ctx, "a", inUse), join(ctx, "b", inUse)
			o, _ := decided(ctx, binding[B](ctx, ours))
			Expect(leftEvents(o)).To(BeEmpty(), "the first clusters leave none")
			unlabel(a)
			o, _ = decided(ctx, o)
			Expect(leftEvents(o)).To(Equal([]string{"a is left: " + unmatched}))
			unlabel(b)
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(BeEmpty())
			o, _ = decided(ctx, o)
			Expect(leftEvents(o)).To(Equal([]string{"a is left: " + unmatched, "b is left: " + unmatched}))

			By("using one again, and leaving it again")
			change(ctx, b, inUse)
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(Equal(map[string]int32{"b": 0}))
			unlabel(b)
			o, _ = decided(ctx, o)
			Expect(leftEvents(o)).To(HaveLen(3))
		})

		It("is one for all clusters that an edit of the placement has it leave", func(ctx SpecContext) {
			for _, short := range []string{"a", "b", "c"} {
				join(ctx, short)
			}
			o, _ := decided(ctx, binding[B](ctx, toClusters("a", "b", "c")))
			change(ctx, o, func(o B) { toClusters("c")(o) })
			o, _ = decided(ctx, o)
			Expect(leftEvents(o)).To(Equal([]string{"a, b are left: the placement of the policy does not match them any more"}))
		})

		It("names the cluster that has no replicas any more", func(ctx SpecContext) {
			join(ctx, "a", cpus("1"))
			join(ctx, "b", cpus("5"))
			o, _ := decided(ctx, binding[B](ctx, toClusters("a", "b"), replicas(6)))
			Expect(targets(o)).To(Equal(map[string]int32{"a": 1, "b": 5}))
			change(ctx, o, func(o B) { o.GetSpec().Replicas = 1 })
			o, _ = decided(ctx, o)
			left := []string{"a", "b"}
			left = slices.DeleteFunc(left, func(short string) bool { return targets(o)[short] > 0 })
			Expect(left).To(HaveLen(1))
			Expect(leftEvents(o)).To(Equal([]string{left[0] + " is left: it has no replicas any more"}))
		})

		It("names a cluster that is gone", func(ctx SpecContext) {
			a := join(ctx, "a")
			o, _ := decided(ctx, binding[B](ctx, toClusters("a")))
			Expect(hub.Delete(ctx, a)).To(Succeed())
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(BeEmpty())
			Expect(leftEvents(o)).To(Equal([]string{"a is left: it is no member any more"}))
		})

		It("is not there for an eviction, which has its own", func(ctx SpecContext) {
			join(ctx, "a")
			join(ctx, "b")
			o, _ := decided(ctx, binding[B](ctx, toClusters("a", "b")))
			change(ctx, o, func(o B) { // by somebody who leaves the target to the scheduler
				o.GetSpec().GracefulEvictionTasks = []workv1alpha2.GracefulEvictionTask{{FromCluster: name("b"), Reason: "Test", Producer: "spec"}}
			})
			o, _ = decided(ctx, o)
			Expect(targets(o)).To(Equal(map[string]int32{"a": 0}))
			evicted(ctx, o)
			decided(ctx, o)
			Expect(leftEvents(o)).To(BeEmpty())
		})
	})
}
