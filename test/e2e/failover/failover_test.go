// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// never is the policy of the user's example, with a toleration of 15 s for its 120 s: longer than a
// pod takes to start on a busy machine, or the copy would move on before it is healthy.
const never = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx-propagation
spec:
  failover:
    application:
      decisionConditions:
        tolerationSeconds: 15
      purgeMode: Never
  propagateDeps: true
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: nginx
  placement:
    clusterAffinity:
      clusterNames:
        - member1
        - member2
        - member3
    spreadConstraints:
      - maxGroups: 1
        minGroups: 1
        spreadByField: cluster
`

var _ = Describe("failover of a Deployment whose nodes are cordoned", func() {
	It("moves it, and keeps the old copy until the user confirms", func(ctx SpecContext) {
		space, first := startNginx(ctx, 2, never)
		env.LosePods(ctx, first, space)

		By("seeing the task with suppressDeletion, the new copy and the old one")
		Eventually(func(g Gomega) {
			second, b := target(ctx, g, space, first)
			g.Expect(b.Spec.Clusters[0].Replicas).To(BeEquivalentTo(2))
			g.Expect(b.Spec.GracefulEvictionTasks).To(HaveLen(1))
			task := b.Spec.GracefulEvictionTasks[0]
			g.Expect(task.FromCluster).To(Equal(first))
			g.Expect(task.Reason).To(Equal("ApplicationFailure"))
			g.Expect(task.Producer).To(Equal("resource-binding-application-failover-controller"))
			g.Expect(task.SuppressDeletion).To(HaveValue(BeTrue()))
			k := slices.IndexFunc(b.Status.AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool { return i.ClusterName == first })
			g.Expect(k).NotTo(Equal(-1))
			old := b.Status.AggregatedStatus[k]
			g.Expect(old.Health).To(Equal(workv1alpha2.ResourceUnhealthy))
			g.Expect(string(old.Status.Raw)).To(And(ContainSubstring(`"availableReplicas":0`), ContainSubstring(`"readyReplicas":0`), ContainSubstring(`"replicas":2`)))
			d, err := deployment(ctx, second, space)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(d.Status.AvailableReplicas).To(BeEquivalentTo(2))
		}).Should(Succeed())
		uidIn(ctx, first, space)

		By("confirming: suppressDeletion false")
		b, err := env.Binding(ctx, space, "nginx-deployment")()
		Expect(err).NotTo(HaveOccurred())
		fixture.Change(ctx, env.Hub, b, func(b *workv1alpha2.ResourceBinding) { b.Spec.GracefulEvictionTasks[0].SuppressDeletion = new(false) })
		evicted(ctx, first, space)
	}, NodeTimeout(10*time.Minute))
})
