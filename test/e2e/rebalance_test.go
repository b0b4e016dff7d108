// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// dividedBy is a policy that divides nginx over two clusters.
const dividedBy = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: nginx}
  placement:
    clusterAffinity: {clusterNames: [member1, member2]}
    replicaScheduling:
      replicaSchedulingType: Divided
      %s
`

// filling is a policy that places nginx on one cluster.
const filling = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: filler}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nginx}]
  placement: {clusterAffinity: {clusterNames: [%s]}}
`

var _ = Describe("a WorkloadRebalancer", func() {
	placed := func(ctx context.Context, space string, want ...string) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(fixture.TargetsOf(b)).To(Equal(want))
			g.Expect(b.Status.SchedulerObservedGeneration).To(Equal(b.Generation))
			for _, member := range []string{"member1", "member2"} {
				d := &appsv1.Deployment{}
				err := env.At(member).Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, d)
				if !strings.Contains(strings.Join(want, " "), member) {
					g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "the copy in %s: %v", member, err)
					continue
				}
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(want).To(ContainElement(fmt.Sprintf("%s:%d", member, *d.Spec.Replicas)))
			}
		}).Should(Succeed())
	}
	// podRoom returns how many pods more a cluster has room for, as its summary says.
	podRoom := func(ctx context.Context, g Gomega, member string) int64 {
		c := &clusterv1alpha1.Cluster{}
		g.Expect(env.Hub.Get(ctx, client.ObjectKey{Name: member}, c)).To(Succeed())
		g.Expect(c.Status.ResourceSummary).NotTo(BeNil())
		return c.Status.ResourceSummary.Allocatable.Pods().Value() - c.Status.ResourceSummary.Allocated.Pods().Value()
	}
	awaitRoom := func(ctx context.Context) {
		GinkgoHelper()
		for _, member := range []string{"member1", "member2"} {
			Eventually(func(g Gomega) {
				g.Expect(podRoom(ctx, g, member)).To(BeNumerically(">", 0), "the room in %s is known", member)
			}).Should(Succeed())
		}
	}
	// rebalance makes a rebalancer of nginx and of a Deployment that there is not, and waits
	// for its results.
	rebalance := func(ctx context.Context, space string) *appsv1alpha1.WorkloadRebalancer {
		GinkgoHelper()
		r := &appsv1alpha1.WorkloadRebalancer{ObjectMeta: metav1.ObjectMeta{Name: space}}
		for _, name := range []string{"nginx", "absent"} {
			r.Spec.Workloads = append(r.Spec.Workloads, appsv1alpha1.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: space, Name: name})
		}
		Expect(env.Hub.Create(ctx, r)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, r))).To(Succeed()) })
		Eventually(func(g Gomega) {
			g.Expect(env.Hub.Get(ctx, client.ObjectKeyFromObject(r), r)).To(Succeed())
			g.Expect(r.Status.FinishTime).NotTo(BeNil())
		}).Should(Succeed())
		Expect(r.Status.ObservedWorkloads).To(Equal([]appsv1alpha1.ObservedWorkload{
			{Workload: r.Spec.Workloads[1], Result: "Failed", Reason: "ReferencedBindingNotFound"},
			{Workload: r.Spec.Workloads[0], Result: "Successful"},
		}))
		Expect(r.Status.ObservedGeneration).To(Equal(r.Generation))
		return r
	}
	// evictFrom moves nginx off a cluster gracefully, as an evictor does, and waits until
	// that has ended.
	evictFrom := func(ctx context.Context, space, member string) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			var stay []workv1alpha2.TargetCluster
			for _, t := range b.Spec.Clusters {
				if t.Name != member {
					stay = append(stay, t)
				}
			}
			b.Spec.Clusters = stay
			b.Spec.GracefulEvictionTasks = append(b.Spec.GracefulEvictionTasks, workv1alpha2.GracefulEvictionTask{
				FromCluster: member, PurgeMode: policyv1alpha1.PurgeModeGracefully, Reason: "Maintenance", Producer: "operator",
			})
			g.Expect(env.Hub.Update(ctx, b)).To(Succeed())
		}).Should(Succeed())
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
		}).Should(Succeed())
	}

	DescribeTable("divides replicas again over a cluster that is back", func(ctx SpecContext, division string, both []string) {
		awaitRoom(ctx)
		space := env.Namespace(ctx)
		env.Apply(ctx, space, fmt.Sprintf(dividedBy, division))
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 4))).To(Succeed())
		placed(ctx, space, both...)

		By("evicting it from member1: it stays away when that has ended")
		evictFrom(ctx, space, "member1")
		placed(ctx, space, "member2:4")
		Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, &appsv1.Deployment{})).To(Succeed())

		By("asking for it")
		r := rebalance(ctx, space)
		placed(ctx, space, both...)

		By("deleting the rebalancer by its time")
		base := r.DeepCopy()
		r.Spec.TTLSecondsAfterFinished = ptr.To[int32](1)
		Expect(env.Hub.Patch(ctx, r, client.MergeFrom(base))).To(Succeed())
		Eventually(func() bool { return apierrors.IsNotFound(env.Hub.Get(ctx, client.ObjectKeyFromObject(r), r)) }).Should(BeTrue())
		placed(ctx, space, both...)
	},
		Entry("by static weights", "weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [member1]}, weight: 3}, {targetCluster: {clusterNames: [member2]}, weight: 1}]}", []string{"member1:3", "member2:1"}),
		Entry("by room", "weightPreference: {dynamicWeight: AvailableReplicas}", []string{"member1:2", "member2:2"}),
	)

	// The published test of a rebalancer moves the replicas off by a taint, for each way to
	// divide them.
	DescribeTable("divides replicas again over a cluster whose taint went", func(ctx SpecContext, division string, both []string) {
		awaitRoom(ctx)
		space := env.Namespace(ctx)
		env.Apply(ctx, space, fmt.Sprintf(dividedBy, division))
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 4))).To(Succeed())
		placed(ctx, space, both...)

		By("tainting member1")
		env.SetTaints(ctx, "member1", "rebalance-test")
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(fixture.TargetsOf(b)).To(Equal([]string{"member2:4"}))
			g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty(), "the eviction ends by itself")
		}).Should(Succeed())
		placed(ctx, space, "member2:4")

		By("removing the taint: it stays away")
		env.SetTaints(ctx, "member1")
		witness := env.Namespace(ctx) // what is placed after it shows that the cluster is used again
		env.Apply(ctx, witness, fmt.Sprintf(dividedBy, division))
		Expect(env.Hub.Create(ctx, fixture.Nginx(witness, 4))).To(Succeed())
		placed(ctx, witness, both...)
		placed(ctx, space, "member2:4")

		By("asking for it")
		rebalance(ctx, space)
		placed(ctx, space, both...)
	},
		Entry("by static weights", "weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [member1]}, weight: 3}, {targetCluster: {clusterNames: [member2]}, weight: 1}]}", []string{"member1:3", "member2:1"}),
		Entry("by room", "weightPreference: {dynamicWeight: AvailableReplicas}", []string{"member1:2", "member2:2"}),
	)

	It("brings an aggregated workload back to the cluster that has more room", func(ctx SpecContext) {
		awaitRoom(ctx)
		space := env.Namespace(ctx)
		env.Apply(ctx, space, fmt.Sprintf(dividedBy, "replicaDivisionPreference: Aggregated"))
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 4))).To(Succeed())
		var first string
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Clusters).To(HaveLen(1))
			first = b.Spec.Clusters[0].Name
		}).Should(Succeed())
		placed(ctx, space, first+":4")
		env.SetTaints(ctx, first, "rebalance-test")
		second := map[string]string{"member1": "member2", "member2": "member1"}[first]
		placed(ctx, space, second+":4")
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
		}).Should(Succeed())
		env.SetTaints(ctx, first)
		placed(ctx, space, second+":4")

		By("filling the other, and asking for it")
		filler := env.Namespace(ctx)
		env.Apply(ctx, filler, fmt.Sprintf(filling, second))
		Expect(env.Hub.Create(ctx, fixture.Nginx(filler, 20))).To(Succeed())
		Eventually(func(g Gomega) { g.Expect(podRoom(ctx, g, second)).To(BeNumerically("<=", podRoom(ctx, g, first)-20)) }).Should(Succeed())
		placed(ctx, space, second+":4")
		rebalance(ctx, space)
		placed(ctx, space, first+":4")
	})

	It("starts from the first affinity group", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: nginx}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nginx}]
  placement:
    clusterAffinities:
      - {affinityName: group1, clusterNames: [member1]}
      - {affinityName: group2, clusterNames: [member2]}
    replicaScheduling: {replicaSchedulingType: Divided}
`)
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 2))).To(Succeed())
		placed(ctx, space, "member1:2")
		evictFrom(ctx, space, "member1")
		placed(ctx, space, "member2:2")
		rebalance(ctx, space)
		placed(ctx, space, "member1:2")
		Eventually(func(g Gomega) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Status.SchedulerObservedAffinityName).To(Equal("group1"))
			g.Expect(b.Status.SchedulerObservedGeneration).To(Equal(b.Generation))
		}).Should(Succeed())
	})
})
