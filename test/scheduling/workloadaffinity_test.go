// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("workload affinity", func() {
	// one places each Deployment of a namespace in one cluster of the spec.
	const one = "{clusterAffinity: {labelSelector: {matchLabels: {spec: $space}}}, spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}], workloadAffinity: %s}"
	const apart, together = "{antiAffinity: {groupByLabelKey: apart}}", "{affinity: {groupByLabelKey: together}}"

	// serve makes the policy of a namespace.
	serve := func(ctx context.Context, namespace, affinity string) {
		GinkgoHelper()
		p := fixture.Policy(namespace, "story", fixture.Named(served[0], ""))
		p.GetSpec().Placement = placement(fmt.Sprintf(one, affinity))
		fixture.CaughtUp(ctx, hub, cached, &clusterv1alpha1.ClusterList{})
		Expect(hub.Create(ctx, p)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, p)).To(Succeed()) })
	}
	// create makes Deployments with a label, at once.
	create := func(ctx context.Context, namespace, key, value string, names ...string) []*appsv1.Deployment {
		GinkgoHelper()
		var all []*appsv1.Deployment
		for _, name := range names {
			d := deployment(1)
			d.Namespace, d.Name, d.Labels = namespace, name, map[string]string{key: value}
			Expect(hub.Create(ctx, d)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, d))).To(Succeed()) })
			all = append(all, d)
		}
		return all
	}
	// scheduled returns where the Deployments are, "" for nowhere, once all are decided.
	scheduled := func(ctx context.Context, all []*appsv1.Deployment) (where []string) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			where = nil
			for _, d := range all {
				b := binding(ctx, g, d)
				g.Expect(meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.Scheduled)).NotTo(BeNil())
				at := ""
				for _, t := range b.GetSpec().Clusters {
					at += strings.TrimPrefix(t.Name, space+"-")
				}
				where = append(where, at)
			}
		}).WithContext(ctx).Should(Succeed())
		return where
	}

	It("keeps a group apart, also where many come at once, and lets the next one in when one goes", func(ctx SpecContext) {
		joinAll(ctx, "a", "b", "c")
		serve(ctx, space, apart)
		all := create(ctx, space, "apart", "db", "n1", "n2", "n3", "n4")
		where := scheduled(ctx, all)
		Expect(where).To(ConsistOf("a", "b", "c", ""))
		late := 0
		for i, at := range where {
			if at == "" {
				late = i
			}
		}
		b := binding(ctx, Default, all[late])
		Expect(b.GetSpec().WorkloadAffinityGroups).To(Equal(&workv1alpha2.WorkloadAffinityGroups{AntiAffinityGroup: "apart=db"}))
		Expect(b.GetStatus().Conditions).To(ContainElement(And(HaveField("Reason", "NoClusterFit"),
			HaveField("Message", ContainSubstring("3 cluster(s) had a workload of the anti-affinity group")))))

		By("another group, and one without the label, which do not care")
		Expect(scheduled(ctx, create(ctx, space, "apart", "web", "other"))).NotTo(ContainElement(""))
		Expect(scheduled(ctx, create(ctx, space, "none", "", "free"))).NotTo(ContainElement(""))

		By("another namespace")
		n := &corev1.Namespace{}
		n.GenerateName = "spec-"
		Expect(hub.Create(ctx, n)).To(Succeed())
		serve(ctx, n.Name, apart)
		Expect(scheduled(ctx, create(ctx, n.Name, "apart", "db", "n1"))).NotTo(ContainElement(""))

		By("deleting one of the group")
		gone := (late + 1) % len(all)
		left := binding(ctx, Default, all[gone])
		Expect(hub.Delete(ctx, all[gone])).To(Succeed())
		Eventually(func(g Gomega) {
			// In the place of the garbage collector, also of a binding that is created again by a
			// controller whose watch has not shown yet that the template is gone.
			g.Expect(client.IgnoreNotFound(hub.Delete(ctx, left))).To(Succeed())
			g.Expect(binding(ctx, g, all[late]).GetSpec().Clusters).NotTo(BeEmpty())
		}).WithContext(ctx).Should(Succeed())
		goesWhole(ctx, all[late], 1, where[gone])
	})

	It("keeps a group together", func(ctx SpecContext) {
		joinAll(ctx, "a", "b", "c")
		serve(ctx, space, together)
		where := scheduled(ctx, create(ctx, space, "together", "shop", "n1", "n2", "n3", "n4"))
		Expect(where).To(HaveEach(where[0]))
		Expect(where[0]).NotTo(BeEmpty())
	})
})
