// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// never is the policy of the user's example, with a toleration of 3 s for its 120 s.
const never = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx-propagation
spec:
  failover:
    application:
      decisionConditions:
        tolerationSeconds: 3
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

// cordonNodes marks all nodes of a member as unschedulable, or takes the mark away.
func cordonNodes(ctx context.Context, member string, on bool) {
	GinkgoHelper()
	var nodes corev1.NodeList
	Expect(at(member).List(ctx, &nodes)).To(Succeed())
	for i := range nodes.Items {
		base := nodes.Items[i].DeepCopy()
		nodes.Items[i].Spec.Unschedulable = on
		Expect(at(member).Patch(ctx, &nodes.Items[i], client.MergeFrom(base))).To(Succeed())
	}
}

var _ = Describe("failover of a Deployment whose nodes are cordoned", func() {
	It("moves it, and keeps the old copy until the user confirms", func(ctx SpecContext) {
		space := namespace(ctx)
		apply(ctx, space, never)
		Expect(hub.Create(ctx, nginx(space, 2))).To(Succeed())
		healthIn := func(g Gomega, want workv1alpha2.ResourceHealth) string {
			b, err := binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Clusters).To(HaveLen(1))
			g.Expect(b.Status.AggregatedStatus).To(HaveLen(1))
			g.Expect(b.Status.AggregatedStatus[0].Health).To(Equal(want))
			return b.Spec.Clusters[0].Name
		}
		var first string
		Eventually(func(g Gomega) { first = healthIn(g, workv1alpha2.ResourceHealthy) }).Should(Succeed())

		By("cordoning the nodes of " + first + " and deleting the pods")
		cordonNodes(ctx, first, true)
		DeferCleanup(func(ctx SpecContext) { cordonNodes(ctx, first, false) })
		Expect(at(first).DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(space), client.MatchingLabels{"app": "nginx"})).To(Succeed())

		By("seeing the task with suppressDeletion, the new copy and the old one")
		Eventually(func(g Gomega) {
			b, err := binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
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
			g.Expect(b.Spec.Clusters).To(HaveLen(1))
			g.Expect(b.Spec.Clusters[0].Name).NotTo(Equal(first))
			g.Expect(b.Spec.Clusters[0].Replicas).To(BeEquivalentTo(2))
			second := b.Spec.Clusters[0].Name
			d := &appsv1.Deployment{}
			g.Expect(at(second).Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, d)).To(Succeed())
			g.Expect(d.Status.AvailableReplicas).To(BeEquivalentTo(2))
		}).Should(Succeed())
		d := &appsv1.Deployment{}
		Expect(at(first).Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, d)).To(Succeed())

		By("confirming: suppressDeletion false")
		Eventually(func(g Gomega) {
			b, err := binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			no := false
			b.Spec.GracefulEvictionTasks[0].SuppressDeletion = &no
			g.Expect(hub.Update(ctx, b)).To(Succeed())
		}).Should(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(at(first).Get(ctx, client.ObjectKeyFromObject(d), d))
		}).Should(BeTrue())
	}, NodeTimeout(3*time.Minute))
})
