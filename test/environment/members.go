// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// flinkDeployments are the jobs of the Flink operator that is played on the members.
var flinkDeployments = schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}

// AwaitReady waits until objects can be given to a member: it is ready, and has no taint.
func (e *Environment) AwaitReady(ctx context.Context, member string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		c := &clusterv1alpha1.Cluster{}
		g.Expect(e.Hub.Get(ctx, client.ObjectKey{Name: member}, c)).To(Succeed())
		g.Expect(meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)).To(BeTrue())
		g.Expect(c.Spec.Taints).To(BeEmpty())
	}).Should(Succeed())
}

// AwaitWorkloads waits until a member runs pods and jobs of the Flink operator: its own
// controllers, and the operator that is played for it, watch again only some time after its API
// server was away.
func (e *Environment) AwaitWorkloads(ctx context.Context, member string) {
	GinkgoHelper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "workloads-"}}
	Expect(e.At(member).Create(ctx, n)).To(Succeed())
	d, job := fixture.Nginx(n.Name, 1), fixture.Object(flinkDeployments, n.Name, "probe", nil)
	for _, o := range []client.Object{d, job} {
		Expect(e.At(member).Create(ctx, o)).To(Succeed())
	}
	Eventually(func(g Gomega) {
		g.Expect(e.At(member).Get(ctx, client.ObjectKeyFromObject(d), d)).To(Succeed())
		g.Expect(d.Status.AvailableReplicas).To(BeEquivalentTo(1), "pods that run in %s", member)
		g.Expect(e.At(member).Get(ctx, client.ObjectKeyFromObject(job), job)).To(Succeed())
		g.Expect(job.Object).To(HaveKey("status"), "the status of a FlinkDeployment in %s", member)
	}).Should(Succeed())
	Expect(e.At(member).Delete(ctx, n)).To(Succeed())
}

// Restore brings a member back that was cut off. Its controllers and operators begin anew: after some outages
// their watches would wait for up to a minute each.
func (e *Environment) Restore(ctx context.Context, member *fleet.Cluster) error {
	if err := e.Fleet.Restore(ctx, member); err != nil {
		return err
	}
	if err := e.playFlink(member); err != nil {
		return err
	}
	return e.RestartControllers(ctx, member)
}

// playFlink plays the Flink operator on a member, in place of the one there.
func (e *Environment) playFlink(member *fleet.Cluster) error {
	if stop := e.operators[member.Name]; stop != nil {
		stop()
	}
	ctx, stop := context.WithCancel(context.Background())
	e.operators[member.Name] = stop
	return scenario.PlayFlinkOn(ctx, member, e.Flink)
}

// SetTaints adds NoExecute taints without a time to a member, as a user would, for the rest
// of the spec; it removes those that are there without keys.
func (e *Environment) SetTaints(ctx context.Context, member string, keys ...string) {
	GinkgoHelper()
	Eventually(func() error {
		c := &clusterv1alpha1.Cluster{}
		if err := e.Hub.Get(ctx, client.ObjectKey{Name: member}, c); err != nil {
			return err
		}
		c.Spec.Taints = slices.DeleteFunc(c.Spec.Taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute })
		for _, key := range keys {
			c.Spec.Taints = append(c.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
		}
		return e.Hub.Update(ctx, c)
	}).Should(Succeed())
	if len(keys) > 0 {
		DeferCleanup(func(ctx SpecContext) { e.SetTaints(ctx, member) })
	}
}

// CordonForSpec keeps pods from running on the nodes of members for the rest of the spec, or
// until Uncordon.
func (e *Environment) CordonForSpec(ctx context.Context, members ...string) {
	GinkgoHelper()
	for _, m := range members {
		DeferCleanup(func(ctx SpecContext) { e.Uncordon(ctx, m) })
		e.Cordon(ctx, m)
	}
}

// Cordon keeps pods from running on the nodes of a member, until Uncordon. It returns when the
// scheduler of the member knows: that watches nodes and pods apart, and may place a pod that is newer.
func (e *Environment) Cordon(ctx context.Context, member string) {
	GinkgoHelper()
	e.setUnschedulable(ctx, member, true)
	Eventually(func(g Gomega) {
		probe := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "probe", Image: "probe"}}}}
		probe.Namespace, probe.GenerateName = metav1.NamespaceDefault, "probe-"
		g.Expect(e.At(member).Create(ctx, probe)).To(Succeed())
		defer func() { g.Expect(e.At(member).Delete(ctx, probe, client.GracePeriodSeconds(0))).To(Succeed()) }()
		g.Eventually(func(g Gomega) {
			g.Expect(e.At(member).Get(ctx, client.ObjectKeyFromObject(probe), probe)).To(Succeed())
			g.Expect(probe.Status.Conditions).To(ContainElement(HaveField("Type", corev1.PodScheduled)))
		}).Should(Succeed())
		g.Expect(probe.Status.Conditions).To(ContainElement(HaveField("Reason", corev1.PodReasonUnschedulable)), "the cordon of %s", member)
	}).Should(Succeed())
}

// Uncordon has pods run on the nodes of a member again. It returns when the control plane reports
// their room: a workload that is placed before that goes elsewhere, and stays there.
func (e *Environment) Uncordon(ctx context.Context, member string) {
	GinkgoHelper()
	e.setUnschedulable(ctx, member, false)
	Eventually(func(g Gomega) {
		c := &clusterv1alpha1.Cluster{}
		g.Expect(e.Hub.Get(ctx, client.ObjectKey{Name: member}, c)).To(Succeed())
		g.Expect(c.Status.ResourceSummary).NotTo(BeNil(), "the room of %s", member)
		g.Expect(c.Status.ResourceSummary.Allocatable.Cpu().IsZero()).To(BeFalse(), "the room of %s", member)
	}).Should(Succeed())
}

func (e *Environment) setUnschedulable(ctx context.Context, member string, to bool) {
	GinkgoHelper()
	var nodes corev1.NodeList
	Expect(e.At(member).List(ctx, &nodes)).To(Succeed())
	for i := range nodes.Items {
		base := nodes.Items[i].DeepCopy()
		nodes.Items[i].Spec.Unschedulable = to
		Expect(e.At(member).Patch(ctx, &nodes.Items[i], client.MergeFrom(base))).To(Succeed())
	}
}

// LosePods deletes the pods of nginx in a namespace of a member, and keeps new ones from
// running there for the rest of the spec.
func (e *Environment) LosePods(ctx context.Context, member, namespace string) {
	GinkgoHelper()
	By("cordoning the nodes of " + member + " and deleting the pods")
	e.CordonForSpec(ctx, member)
	Expect(e.At(member).DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(namespace), client.MatchingLabels{"app": "nginx"})).To(Succeed())
}
