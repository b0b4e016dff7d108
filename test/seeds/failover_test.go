// SPDX-License-Identifier: Apache-2.0

package seeds

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// nginx is the story of a Deployment that fails in member2.
type nginx struct {
	space string
	// failed is when the user made it fail.
	failed time.Time
}

// fail applies the block of policy and Deployment, and makes the Deployment fail where it
// runs, as the document does. status is what the document then shows of the binding.
func (n *nginx) fail(ctx context.Context, block, status string) {
	GinkgoHelper()
	n.space = namespace(ctx)
	By("keeping it out of the others at first, so that it is in member2 as in the document")
	for _, m := range []string{"member1", "member3"} {
		c := &clusterv1alpha1.Cluster{}
		c.Name = m
		fixture.Change(ctx, env.Hub, c, func(c *clusterv1alpha1.Cluster) {
			c.Spec.Taints = append(c.Spec.Taints, corev1.Taint{Key: "busy", Effect: corev1.TaintEffectNoSchedule})
		})
		DeferCleanup(func(ctx SpecContext) {
			fixture.Change(ctx, env.Hub, c, func(c *clusterv1alpha1.Cluster) { c.Spec.Taints = nil })
		})
	}
	awaitOnly(ctx, "member2")
	apply(ctx, n.space, block)
	Eventually(func(g Gomega) {
		d := &appsv1.Deployment{}
		g.Expect(env.At("member2").Get(ctx, n.key("nginx"), d)).To(Succeed())
		g.Expect(d.Status.AvailableReplicas).To(BeEquivalentTo(2), "these two replicas run normally")
		g.Expect(n.binding(ctx, g).Object["status"]).To(HaveKeyWithValue("aggregatedStatus", ConsistOf(HaveKeyWithValue("health", "Healthy"))))
	}).Should(Succeed())
	for _, m := range []string{"member1", "member3"} {
		c := &clusterv1alpha1.Cluster{}
		c.Name = m
		fixture.Change(ctx, env.Hub, c, func(c *clusterv1alpha1.Cluster) { c.Spec.Taints = nil })
	}

	By("cordoning the nodes of member2 and deleting the pods")
	env.Cordon(ctx, "member2")
	n.failed = time.Now()
	Expect(env.At("member2").DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(n.space), client.MatchingLabels{"app": "nginx"})).To(Succeed())
	Eventually(func(g Gomega) {
		g.Expect(missing(value(status), n.binding(ctx, g).Object)).To(BeEmpty())
	}).Should(Succeed())
}

// awaitOnly waits until what is new goes to no other member: the manager has seen the
// taints of the others.
func awaitOnly(ctx context.Context, member string) {
	GinkgoHelper()
	space := namespace(ctx)
	p := fixture.Policy(space, "probe", fixture.Labelled(corev1.SchemeGroupVersion.WithKind("ConfigMap"), "probe", "true"))
	Expect(env.Hub.Create(ctx, p)).To(Succeed())
	Eventually(func(g Gomega) {
		probe := &corev1.ConfigMap{}
		probe.Namespace, probe.GenerateName, probe.Labels = space, "probe-", map[string]string{"probe": "true"}
		g.Expect(env.Hub.Create(ctx, probe)).To(Succeed())
		b := &workv1alpha2.ResourceBinding{}
		g.Eventually(func(g Gomega) {
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: names.Binding("ConfigMap", probe.Name)}, b)).To(Succeed())
			g.Expect(b.Spec.Clusters).NotTo(BeEmpty())
		}).Should(Succeed())
		g.Expect(b.Spec.Clusters).To(Equal(fixture.Targets(member)))
	}).Should(Succeed())
}

// moved waits until the Deployment was evicted, after the toleration, and has the user
// confirm the failure. spec is what the document shows of the binding.
func (n *nginx) moved(ctx context.Context, spec string) {
	GinkgoHelper()
	wanted := value(spec)
	tasks, _, err := unstructured.NestedSlice(wanted, "spec", "gracefulEvictionTasks")
	Expect(err).NotTo(HaveOccurred())
	delete(tasks[0].(map[string]any), "creationTimestamp") // that of the document's day
	Expect(unstructured.SetNestedSlice(wanted, tasks, "spec", "gracefulEvictionTasks")).To(Succeed())
	Eventually(func(g Gomega) {
		b := n.binding(ctx, g)
		g.Expect(missing(wanted, b.Object)).To(BeEmpty())
		d := &appsv1.Deployment{}
		g.Expect(env.At("member1").Get(ctx, n.key("nginx"), d)).To(Succeed())
		g.Expect(d.Status.AvailableReplicas).To(BeEquivalentTo(2))
	}).Should(Succeed())
	b := &workv1alpha2.ResourceBinding{}
	Expect(env.Hub.Get(ctx, n.key("nginx-deployment"), b)).To(Succeed())
	evicted := b.Spec.GracefulEvictionTasks[0].CreationTimestamp
	Expect(evicted).NotTo(BeNil())
	Expect(evicted.Time).To(BeTemporally(">=", n.failed.Add(119*time.Second)), "tolerationSeconds is 120; timestamps have whole seconds")

	By("confirming the failure: suppressDeletion false")
	Expect(env.At("member2").Get(ctx, n.key("nginx"), &appsv1.Deployment{})).To(Succeed())
	fixture.Change(ctx, env.Hub, b, func(b *workv1alpha2.ResourceBinding) { b.Spec.GracefulEvictionTasks[0].SuppressDeletion = new(false) })
	Eventually(func(g Gomega) {
		g.Expect(apierrors.IsNotFound(env.At("member2").Get(ctx, n.key("nginx"), &appsv1.Deployment{}))).To(BeTrue())
	}).Should(Succeed())
}

func (n *nginx) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: n.space, Name: name}
}

// binding returns the binding of the Deployment.
func (n *nginx) binding(ctx context.Context, g Gomega) *unstructured.Unstructured {
	b := &unstructured.Unstructured{}
	b.SetGroupVersionKind(schema.GroupVersionKind{Group: "work.karmada.io", Version: "v1alpha2", Kind: "ResourceBinding"})
	g.Expect(env.Hub.Get(ctx, n.key("nginx-deployment"), b)).To(Succeed())
	return b
}

var _ = Describe("the documents", Ordered, func() {
	var story nginx

	It("have as many blocks as these specs know", func() {
		Expect(release).To(HaveLen(5))
		Expect(failover).To(HaveLen(7))
		Expect(clusters).To(HaveLen(4))
	})

	It("show the same policies: what they omit in one they have in another", func() {
		Expect(missing(value(release[0]), value(failover[6]))).To(BeEmpty(), "the policy of the release is part of that of the failover")
		Expect(squeezed(translation)).To(ContainSubstring(squeezed(clusters[3])), "the translation has the same policy")
	})

	It("application failover: the unhealthy Deployment shows in the binding", func(ctx SpecContext) {
		story.fail(ctx, failover[3], failover[4])
	}, NodeTimeout(10*time.Minute))

	It("cluster failover: a FlinkDeployment continues in another cluster with the label of its job", func(ctx SpecContext) {
		clusterFailover(ctx, clusters[3], failover[6])
	}, NodeTimeout(10*time.Minute))

	It("resource awareness: a quota counts the components of a FlinkDeployment, digit by digit", func(ctx SpecContext) {
		quotas(ctx, clusters[0], clusters[1], clusters[2])
	}, NodeTimeout(10*time.Minute))

	It("FieldOverrider: one cluster has another port", func(ctx SpecContext) {
		override(ctx, release[2], release[3], release[4])
	}, NodeTimeout(10*time.Minute))

	It("PreserveResourcesOnDeletion: a migration and its rollback", func(ctx SpecContext) {
		migration(ctx, release[1])
	}, NodeTimeout(10*time.Minute))

	It("fragments of policies are accepted as they are, and claim nothing", func(ctx SpecContext) {
		fragments(ctx, release[0], failover[0], failover[1], failover[2])
	}, NodeTimeout(10*time.Minute))

	It("state preservation: a FlinkDeployment continues in another cluster with its job", func(ctx SpecContext) {
		s := &scenario.Scenario{Fleet: env.Fleet, Out: GinkgoWriter, Storage: env.Flink, Policy: []byte(failover[6])}
		Expect(s.Run(ctx)).To(Succeed())
	}, NodeTimeout(10*time.Minute))

	It("application failover: the Deployment moves after the toleration, and the old copy goes once the user confirms", func(ctx SpecContext) {
		story.moved(ctx, failover[5])
	}, NodeTimeout(10*time.Minute))
})
