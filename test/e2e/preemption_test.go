// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// aggregatedPolicy places the Deployment of a name in as few of some clusters as have room, by the
// priority of a class, which may be "".
func aggregatedPolicy(space, name, class string, clusters ...string) *policyv1alpha1.PropagationPolicy {
	p := policyOf(space, "apps/v1", "Deployment", name)
	p.Spec.Placement = policyv1alpha1.Placement{
		ClusterAffinity: &policyv1alpha1.ClusterAffinity{ClusterNames: clusters},
		ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
		},
	}
	p.Spec.SchedulePriority = &policyv1alpha1.SchedulePriority{PriorityClassSource: policyv1alpha1.KubePriorityClass, PriorityClassName: class}
	return p
}

// placed creates a Deployment whose replicas ask for a CPU each, and its policy.
func placed(ctx context.Context, name string, replicas int32, p *policyv1alpha1.PropagationPolicy) {
	GinkgoHelper()
	d := fixture.Nginx(p.Namespace, replicas)
	d.Name = name
	d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	Expect(env.Hub.Create(ctx, p)).To(Succeed())
	Expect(env.Hub.Create(ctx, d)).To(Succeed())
}

// targets returns where a Deployment is placed, as cluster:replicas.
func targets(ctx context.Context, space, name string) func() (string, error) {
	return func() (string, error) {
		b, err := env.Binding(ctx, space, name+"-deployment")()
		text := ""
		if err == nil {
			for _, t := range b.Spec.Clusters {
				text += fmt.Sprintf("%s:%d ", t.Name, t.Replicas)
			}
		}
		return text, err
	}
}

var _ = Describe("a workload of high priority that finds too little room", func() {
	It("has one of low priority move to a cluster with room, and takes its place", func(ctx SpecContext) {
		env.RestartManager("--feature-gates", "PriorityBasedPreemptiveScheduling=true")
		DeferCleanup(func() { env.RestartManager() })
		space := env.Namespace(ctx)
		for name, value := range map[string]int32{"urgent": 1000, "idle": 1} {
			class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: space + "-" + name}, Value: value}
			Expect(env.Hub.Create(ctx, class)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, class))).To(Succeed()) })
		}
		low := aggregatedPolicy(space, "low", space+"-idle", "member1")
		placed(ctx, "low", 9, low)
		Eventually(targets(ctx, space, "low")).Should(Equal("member1:9 "))
		awaitPods(ctx, space, "low", "member1", 9)
		Eventually(func() error {
			if err := env.Hub.Get(ctx, client.ObjectKeyFromObject(low), low); err != nil {
				return err
			}
			low.Spec.Placement.ClusterAffinity.ClusterNames = []string{"member1", "member2"}
			return env.Hub.Update(ctx, low)
		}).Should(Succeed())
		Consistently(targets(ctx, space, "low")).WithTimeout(2*time.Second).Should(Equal("member1:9 "), "nothing moves for a new cluster alone")

		placed(ctx, "high", 9, aggregatedPolicy(space, "high", space+"-urgent", "member1"))
		Eventually(targets(ctx, space, "low")).Should(Equal("member2:9 "))
		Eventually(targets(ctx, space, "high")).Should(Equal("member1:9 "))
		awaitPods(ctx, space, "low", "member2", 9)
		awaitPods(ctx, space, "high", "member1", 9)
		Eventually(env.Events(ctx, space, "ResourceBinding", "low-deployment")).Should(ContainElement(ContainSubstring("Preempted")))
		Eventually(func(g Gomega) {
			b := &workv1alpha2.ResourceBinding{}
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: "low-deployment"}, b)).To(Succeed())
			g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty(), "the old copy has left")
		}).Should(Succeed())
	}, NodeTimeout(8*time.Minute))
})

// awaitPods waits until a member runs so many pods of a Deployment.
func awaitPods(ctx context.Context, space, name, member string, n int) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		var pods corev1.PodList
		g.Expect(env.At(member).List(ctx, &pods, client.InNamespace(space))).To(Succeed())
		running := 0
		for i := range pods.Items {
			if len(pods.Items[i].GenerateName) > len(name) && pods.Items[i].GenerateName[:len(name)] == name && pods.Items[i].Status.Phase == corev1.PodRunning {
				running++
			}
		}
		g.Expect(running).To(Equal(n))
	}).Should(Succeed())
}
