// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/cluster/failover"
	"github.com/dragoman-io/dragoman/controllers/cluster/taintpolicy"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// fromGit applies the file of cluster a, which has one taint of its own.
type fromGit func(context.Context)

func serverSide(ctx context.Context) {
	GinkgoHelper()
	o := fixture.Object(clusterv1alpha1.GroupVersion.WithKind("Cluster"), "", "a", map[string]any{"spec": map[string]any{
		"syncMode": "Push", "taints": []any{map[string]any{"key": "team", "value": "a", "effect": "NoSchedule"}},
	}})
	Expect(hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("git"), client.ForceOwnership)).To(Succeed())
}

// clientSide sends what kubectl apply sends for a custom resource whose list differs from its file.
func clientSide(ctx context.Context) {
	GinkgoHelper()
	patch := []byte(`{"spec":{"taints":[{"key":"team","value":"a","effect":"NoSchedule"}]}}`)
	Expect(hub.Patch(ctx, clusterOf(ctx, "a"), client.RawPatch(types.MergePatchType, patch), client.FieldOwner("kubectl-client-side-apply"))).To(Succeed())
}

func keysOfTaints(ctx context.Context) []string {
	GinkgoHelper()
	var keys []string
	for _, t := range clusterOf(ctx, "a").Spec.Taints {
		keys = append(keys, t.Key)
	}
	return keys
}

var _ = Describe("a cluster that is kept in Git", func() {
	DescribeTable("is left when the toleration is over, however often its file is applied", func(ctx SpecContext, apply fromGit, after []string) {
		join(ctx, "a", "b", "c")
		p := &policyv1alpha1.ClusterTaintPolicy{ObjectMeta: metav1.ObjectMeta{Name: "down"}}
		when := func(o policyv1alpha1.MatchConditionOperator) []policyv1alpha1.MatchCondition {
			return []policyv1alpha1.MatchCondition{{ConditionType: "Ready", Operator: o, StatusValues: []metav1.ConditionStatus{metav1.ConditionTrue}}}
		}
		p.Spec.AddOnConditions, p.Spec.RemoveOnConditions = when(policyv1alpha1.MatchConditionOpNotIn), when(policyv1alpha1.MatchConditionOpIn)
		p.Spec.Taints = []policyv1alpha1.Taint{{Key: "down", Effect: corev1.TaintEffectNoExecute}}
		Expect(hub.Create(ctx, p)).To(Succeed())
		apply(ctx)
		b := placed[*workv1alpha2.ResourceBinding](ctx, "one", []string{"a"}, tolerating(10), func(s *workv1alpha2.ResourceBindingSpec) {
			s.Placement.ClusterTolerations = append(s.Placement.ClusterTolerations, corev1.Toleration{Key: "team", Operator: corev1.TolerationOpExists})
		})
		c, policies := started(ctx, evicting()), taintpolicy.New(depsWith(features.New()))
		follow := func() {
			GinkgoHelper()
			look(ctx, c, failover.AboutCluster("a"))
			_, err := policies.Reconcile(ctx, clusterOf(ctx, "a"))
			Expect(err).NotTo(HaveOccurred())
			look(ctx, c, failover.AboutCluster("a"))
			look(ctx, c, failover.Next())
		}
		ready(ctx, "a", metav1.ConditionFalse)
		follow()
		Expect(keysOfTaints(ctx)).To(Equal([]string{"team", "down"}))
		since := clusterOf(ctx, "a").Spec.Taints[1].TimeAdded

		for range 4 {
			later(2 * time.Second)
			apply(ctx)
			Expect(keysOfTaints(ctx)).To(Equal(after), "what an apply leaves")
			follow()
			Expect(keysOfTaints(ctx)).To(Equal([]string{"team", "down"}))
			Expect(clusterOf(ctx, "a").Spec.Taints[1].TimeAdded.Equal(since)).To(BeTrue(), "it has its time again")
			Expect(targets(read(ctx, b))).To(Equal([]string{"a"}))
		}
		later(2 * time.Second)
		apply(ctx)
		look(ctx, c, failover.AboutCluster("a"))
		look(ctx, c, failover.Next())
		Expect(targets(read(ctx, b))).To(BeEmpty(), "the time is over, whatever was written last")
		apply(ctx)
		look(ctx, c, failover.AboutCluster("a"))
		Expect(targets(read(ctx, b))).To(BeEmpty(), "and nothing returns because of a file")

		ready(ctx, "a", metav1.ConditionTrue)
		follow()
		Expect(keysOfTaints(ctx)).To(Equal([]string{"team"}))
		Expect(clusterOf(ctx, "a").Status.TaintedSince).To(BeEmpty())
		Expect(targets(read(ctx, b))).To(Equal([]string{"a"}), "its taint is gone in time")
	},
		Entry("by the server", fromGit(serverSide), []string{"team", "down"}),
		Entry("by the client", fromGit(clientSide), []string{"team"}),
	)

	It("has a taint of its own since when it got it, though its file has no time", func(ctx SpecContext) {
		join(ctx, "a", "b", "c")
		b := placed[*workv1alpha2.ResourceBinding](ctx, "one", []string{"a"}, tolerating(10))
		c, policies := started(ctx, evicting()), taintpolicy.New(depsWith(features.New()))
		for range 5 {
			taint(ctx, "a", corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute})
			look(ctx, c, failover.AboutCluster("a"))
			_, err := policies.Reconcile(ctx, clusterOf(ctx, "a"))
			Expect(err).NotTo(HaveOccurred())
			look(ctx, c, failover.Next())
			Expect(targets(read(ctx, b))).To(Equal([]string{"a"}))
			later(2 * time.Second)
		}
		taint(ctx, "a", corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoExecute})
		look(ctx, c, failover.AboutCluster("a"))
		look(ctx, c, failover.Next())
		Expect(targets(read(ctx, b))).To(BeEmpty())
	})

	It("has one taint of a key and effect", func(ctx SpecContext) {
		twice := fixture.Cluster("twice")
		twice.Spec.Taints = []corev1.Taint{{Key: "down", Value: "a", Effect: corev1.TaintEffectNoExecute}, {Key: "down", Value: "b", Effect: corev1.TaintEffectNoExecute}}
		Expect(hub.Create(ctx, twice)).To(MatchError(ContainSubstring("spec.taints[1]: Duplicate value")))
		twice.Spec.Taints[1].Effect = corev1.TaintEffectNoSchedule
		Expect(hub.Create(ctx, twice)).To(Succeed())
	})
})
