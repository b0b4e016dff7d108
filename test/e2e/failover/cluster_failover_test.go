// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// movable is a policy that places nginx on one member; the first text is its
// spec.failover, the second the tolerations of its placement, both in flow style.
const movable = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx-propagation
spec:
  failover: %s
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: nginx
  placement:
    clusterTolerations: %s
    clusterAffinity:
      clusterNames: [member1, member2, member3]
    spreadConstraints:
      - spreadByField: cluster
        minGroups: 1
        maxGroups: 1
`

const testAlias = "test-alias"

// directly keeps the number of replicas as a label.
const directly = `{cluster: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: ` + testAlias + `, jsonPath: "{.replicas}"}]}}}`

// deadPolicy taints a member that is not ready, so that what runs there is evicted.
const deadPolicy = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterTaintPolicy
metadata:
  name: dead
spec:
  addOnConditions: [{conditionType: Ready, operator: NotIn, statusValues: ["True"]}]
  removeOnConditions: [{conditionType: Ready, operator: In, statusValues: ["True"]}]
  taints: [{key: dead, effect: NoExecute}]
`

// tolerated tolerates a taint for that many seconds.
func tolerated(key string, seconds int) string {
	return fmt.Sprintf("[{key: %s, operator: Exists, effect: NoExecute, tolerationSeconds: %d}]", key, seconds)
}

var _ = Describe("failover of clusters", func() {
	const graceful = "{cluster: {purgeMode: Gracefully}}"

	It("moves what has no failover in its policy, and removes the old copy", func(ctx SpecContext) {
		space, first := startNginx(ctx, 2, fmt.Sprintf(movable, "null", tolerated("cluster.karmada.io/not-ready", 2)))
		env.SetTaints(ctx, first, "cluster.karmada.io/not-ready")
		second := runsOn(ctx, space, first)
		evicted(ctx, first, space)
		env.SetTaints(ctx, first)
		Expect(runsOn(ctx, space)).To(Equal(second), "it stays where it is well")
	}, NodeTimeout(10*time.Minute))

	It("moves gracefully after the toleration, and says when the old copy may go", func(ctx SpecContext) {
		space, first := startNginx(ctx, 2, fmt.Sprintf(movable, graceful, tolerated("fail-test", 3)))
		began := time.Now() // before the taint is added, however long that takes
		env.SetTaints(ctx, first, "fail-test")
		moves(ctx, space, first)
		Expect(time.Since(began)).To(BeNumerically(">=", 2*time.Second), "the toleration of 3 s, of a time in whole seconds")
		runsOn(ctx, space, first)
		evicted(ctx, first, space)
	}, NodeTimeout(10*time.Minute))

	It("moves Directly with the state", func(ctx SpecContext) {
		space, first := startNginx(ctx, 2, fmt.Sprintf(movable, directly, "[]"))
		cordonOthers(ctx) // a healthy copy would lose the label
		env.SetTaints(ctx, first, "fail-test")
		var second string
		Eventually(func(g Gomega) {
			var b *workv1alpha2.ResourceBinding
			second, b = target(ctx, g, space, first)
			g.Expect(b.Spec.GracefulEvictionTasks).To(ConsistOf(And(
				HaveField("FromCluster", first), HaveField("Reason", "TaintUntolerated"), HaveField("Producer", "TaintManager"),
				HaveField("PreservedLabelState", HaveKeyWithValue(testAlias, "2")), HaveField("ClustersBeforeFailover", []string{first}))))
		}).Should(Succeed())
		labelledBy(ctx, second, space, "2")
		Expect(gone(ctx, first, space)()).To(BeTrue(), "the old copy goes first")

		By("letting the new copy become healthy")
		env.Uncordon(ctx, second)
		runsOn(ctx, space, first)
		Eventually(func(g Gomega) {
			d, err := deployment(ctx, second, space)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(d.Labels).NotTo(HaveKey(testAlias))
		}).Should(Succeed())
		evicted(ctx, first, space)
	}, NodeTimeout(10*time.Minute))

	It("takes a move back when the taint goes before another copy is healthy", func(ctx SpecContext) {
		space, first := startNginx(ctx, 2, fmt.Sprintf(movable, graceful, "[]"))
		before := uidIn(ctx, first, space)
		cordonOthers(ctx)
		env.SetTaints(ctx, first, "fail-test")
		second := moves(ctx, space, first)
		Eventually(gone(ctx, second, space)).Should(BeFalse(), "the new copy is created")
		env.SetTaints(ctx, first)
		Eventually(func(g Gomega) {
			name, b := target(ctx, g, space)
			g.Expect(name).To(Equal(first))
			g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
		}).Should(Succeed())
		Eventually(gone(ctx, second, space)).Should(BeTrue())
		Expect(uidIn(ctx, first, space)).To(Equal(before), "the old copy was there all the time")
	}, NodeTimeout(10*time.Minute))

	It("moves off a member that died, tainted by a policy, once a person fences it, with the state", func(ctx SpecContext) {
		env.RestartManager("--cluster-failure-threshold", "10s")
		DeferCleanup(func() { env.RestartManager() })
		Expect(env.Hub.Create(ctx, fixture.Document(deadPolicy))).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(env.Hub.Delete(ctx, fixture.Document(deadPolicy))).To(Succeed()) })
		space, first := startNginx(ctx, 2, fmt.Sprintf(movable, directly, "[]"))
		cordonOthers(ctx, first)
		taints := func(g Gomega) []string {
			c := &clusterv1alpha1.Cluster{}
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Name: first}, c)).To(Succeed())
			var all []string
			for _, t := range c.Spec.Taints {
				all = append(all, t.Key+":"+string(t.Effect))
			}
			return all
		}

		By("stopping " + first)
		member := env.Member(first)
		Expect(env.Pause(member)).To(Succeed())
		resume := sync.OnceValue(func() error { return env.Resume(member) })
		DeferCleanup(func() { Expect(resume()).To(Succeed()) })
		Eventually(taints).Should(ContainElement("dead:NoExecute"))
		var second string
		Eventually(func(g Gomega) {
			var b *workv1alpha2.ResourceBinding
			second, b = target(ctx, g, space, first)
			g.Expect(b.Status.Conditions).To(ContainElement(And(HaveField("Type", workv1alpha2.Rendered), HaveField("Reason", "OldCopyRemains"),
				HaveField("Message", ContainSubstring("dragoman fence "+first)))))
		}).Should(Succeed())
		Expect(gone(ctx, second, space)()).To(BeTrue(), "two copies must not run at once")

		By("fencing it")
		env.Run(ctx, "fence", first)
		labelledBy(ctx, second, space, "2")
		env.Uncordon(ctx, second)
		runsOn(ctx, space, first)

		By("bringing it back")
		Expect(resume()).To(Succeed())
		evicted(ctx, first, space)
		Eventually(taints).Should(ConsistOf(HavePrefix("failover.dragoman.io/fenced")))
		env.Run(ctx, "unfence", first)
		env.AwaitReady(ctx, first)
		Eventually(env.Events(ctx, "", "Cluster", first)).Should(ContainElement(HavePrefix("TaintClusterSucceed: ")))
		env.AwaitWorkloads(ctx, first)
	}, NodeTimeout(10*time.Minute))
})
