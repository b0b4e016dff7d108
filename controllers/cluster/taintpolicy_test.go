// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-base/featuregate"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/cluster/taintpolicy"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/eventbudget"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// outage is a ClusterTaintPolicy for some clusters: it adds two taints while the network is
// down and the cluster not ready, and removes them when the network is up.
func outage(ctx context.Context, clusters ...string) *policyv1alpha1.ClusterTaintPolicy {
	GinkgoHelper()
	is := func(kind string, status metav1.ConditionStatus) policyv1alpha1.MatchCondition {
		return policyv1alpha1.MatchCondition{ConditionType: kind, Operator: policyv1alpha1.MatchConditionOpIn, StatusValues: []metav1.ConditionStatus{status}}
	}
	p := &policyv1alpha1.ClusterTaintPolicy{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "outage-"},
		Spec: policyv1alpha1.ClusterTaintPolicySpec{
			TargetClusters:     &policyv1alpha1.ClusterAffinity{ClusterNames: clusters},
			AddOnConditions:    []policyv1alpha1.MatchCondition{is("NetworkUp", metav1.ConditionFalse), is("Ready", metav1.ConditionFalse)},
			RemoveOnConditions: []policyv1alpha1.MatchCondition{is("NetworkUp", metav1.ConditionTrue)},
			Taints: []policyv1alpha1.Taint{
				{Key: "outage", Effect: corev1.TaintEffectNoExecute}, {Key: "outage", Effect: corev1.TaintEffectNoSchedule, Value: "network"},
			},
		},
	}
	Expect(hub.Client.Create(ctx, p)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Client.Delete(ctx, p))).To(Succeed()) })
	return p
}

// conditions writes conditions of a cluster, in the place of those who observe it. It writes by
// the client that it reads through: what it read before it had seen its last write would lack
// the conditions of that, and a patch replaces them all.
func (b *setup) conditions(ctx context.Context, of map[string]metav1.ConditionStatus) {
	GinkgoHelper()
	cluster := b.get(ctx)
	before := cluster.DeepCopy()
	for kind, status := range of {
		meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{Type: kind, Status: status})
	}
	Expect(hub.Manager.GetClient().Status().Patch(ctx, cluster, client.MergeFrom(before))).To(Succeed())
}

// taintByPolicy runs the controller of policies on some clusters, and returns its requests
// and events.
func taintByPolicy(ctx context.Context, gates featuregate.FeatureGate, setups ...*setup) (*suite.Requests, *fixture.Events) {
	GinkgoHelper()
	mark := labels.Set{"spec": setups[0].name}
	for _, b := range setups {
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Labels = mark })
	}
	requests, events := &suite.Requests{}, &fixture.Events{}
	successes, err := eventbudget.New(eventbudget.All, setups[0].clock, nil)
	Expect(err).NotTo(HaveOccurred())
	stop, err := hub.Manage(map[client.Object]cache.ByObject{
		&clusterv1alpha1.Cluster{}: {Label: labels.SelectorFromSet(mark)},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		d := base.Deps{Client: mgr.GetClient(), Gates: gates, Clock: setups[0].clock, Events: events, Successes: successes}
		return taintpolicy.New(d).Register(ctx, mgr)
	}, requests.Wrap)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	return requests, events
}

var _ = Describe("A ClusterTaintPolicy", func() {
	type statuses = map[string]metav1.ConditionStatus

	It("taints its clusters while all of its conditions hold, and no other", func(ctx SpecContext) {
		its, other := newSetup(ctx, one()), newSetup(ctx, one())
		requests, events := taintByPolicy(ctx, features.New(), its, other)
		outage(ctx, its.name)
		before := its.get(ctx).Generation
		for _, b := range []*setup{its, other} {
			b.conditions(ctx, statuses{"NetworkUp": metav1.ConditionFalse})
		}
		its.conditions(ctx, statuses{"Ready": metav1.ConditionUnknown})
		its.conditions(ctx, statuses{"Ready": metav1.ConditionFalse})
		Eventually(func() []string { return taintsOf(its.get(ctx)) }).Should(ConsistOf("outage:NoExecute", "outage:NoSchedule"))
		for _, t := range its.get(ctx).Spec.Taints {
			Expect(t.TimeAdded.Time).To(BeTemporally("==", its.clock.Now()))
		}
		Eventually(func() []string { return slices.Compact(events.About("", its.name)) }).Should(ConsistOf(
			"Normal TaintClusterSucceed: Taint cluster succeed: cluster now has taints([{Key:outage,Effect:NoExecute},{Key:outage,Value:network,Effect:NoSchedule}])."))

		By("losing one condition, which removes nothing, and getting the other back, which does")
		its.conditions(ctx, statuses{"Ready": metav1.ConditionTrue})
		Expect(taintsOf(its.get(ctx))).To(HaveLen(2))
		its.conditions(ctx, statuses{"NetworkUp": metav1.ConditionTrue})
		Eventually(func() []string { return taintsOf(its.get(ctx)) }).Should(BeEmpty())
		Eventually(func() []string { return events.About("", its.name) }).Should(ContainElements(
			HaveSuffix("cluster now does not have taints."),
			"Normal UntaintClusterSucceed: Taken away: {Key:outage,Effect:NoExecute},{Key:outage,Value:network,Effect:NoSchedule}."))
		Expect(requests.Made("PATCH", "/clusters/")).To(HaveEach(ContainSubstring(its.name)))
		Expect(its.get(ctx).Generation).To(Equal(before+2), "all taints at once, and no further write")
	})

	It("is heeded when it comes, when it changes and when a cluster begins to match, and leaves its taints behind", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.conditions(ctx, statuses{"NetworkUp": metav1.ConditionFalse, "Ready": metav1.ConditionFalse})
		taintByPolicy(ctx, features.New(), b)
		p := outage(ctx, "another")
		fixture.Change(ctx, hub.Client, p, func(p *policyv1alpha1.ClusterTaintPolicy) {
			p.Spec.TargetClusters = &policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"zone": b.name}}}
		})
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Labels["zone"] = b.name })
		Eventually(func() []string { return taintsOf(b.get(ctx)) }).Should(HaveLen(2))
		fixture.Change(ctx, hub.Client, p, func(p *policyv1alpha1.ClusterTaintPolicy) {
			p.Spec.Taints = append(p.Spec.Taints, policyv1alpha1.Taint{Key: "more", Effect: corev1.TaintEffectNoSchedule})
		})
		Eventually(func() []string { return taintsOf(b.get(ctx)) }).Should(ContainElement("more:NoSchedule"))

		By("removing a taint by hand, which comes back while the conditions hold")
		b.change(ctx, func(c *clusterv1alpha1.Cluster) { c.Spec.Taints = c.Spec.Taints[1:] })
		Eventually(func() []string { return taintsOf(b.get(ctx)) }).Should(HaveLen(3))

		By("deleting the policy")
		Expect(hub.Client.Delete(ctx, p)).To(Succeed())
		b.conditions(ctx, statuses{"NetworkUp": metav1.ConditionTrue})
		fixture.Change(ctx, hub.Client, outage(ctx, b.name), func(p *policyv1alpha1.ClusterTaintPolicy) {
			p.Spec.Taints = []policyv1alpha1.Taint{{Key: "more", Effect: corev1.TaintEffectNoSchedule}}
		})
		Eventually(func() []string { return taintsOf(b.get(ctx)) }).ShouldNot(ContainElement("more:NoSchedule"))
	})

	It("that selects clusters in a way that cannot be read has an event, and keeps no other from its work", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.conditions(ctx, statuses{"NetworkUp": metav1.ConditionFalse, "Ready": metav1.ConditionFalse})
		_, events := taintByPolicy(ctx, features.New(), b)
		broken := outage(ctx, b.name)
		fixture.Change(ctx, hub.Client, broken, func(p *policyv1alpha1.ClusterTaintPolicy) {
			p.Spec.TargetClusters = &policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"-": ""}}}
		})
		Eventually(func() []string { return events.About("", broken.Name) }).Should(ContainElement(HavePrefix("Warning TaintClusterFailed: spec.targetClusters: ")))
		outage(ctx, b.name)
		Eventually(func() []string { return taintsOf(b.get(ctx)) }).Should(HaveLen(2))
	})

	It("does nothing without the feature gate Failover", func(ctx SpecContext) {
		gates := features.New()
		Expect(gates.SetFromMap(map[string]bool{string(features.Failover): false})).To(Succeed())
		off, on := newSetup(ctx, one()), newSetup(ctx, one())
		for _, b := range []*setup{off, on} {
			b.conditions(ctx, statuses{"NetworkUp": metav1.ConditionFalse, "Ready": metav1.ConditionFalse})
		}
		requests, _ := taintByPolicy(ctx, gates, off)
		taintByPolicy(ctx, features.New(), on)
		outage(ctx, off.name, on.name)
		Eventually(func() []string { return taintsOf(on.get(ctx)) }).Should(HaveLen(2))
		Expect(taintsOf(off.get(ctx))).To(BeEmpty())
		Expect(requests.Made("PATCH")).To(BeEmpty())
	})
})
