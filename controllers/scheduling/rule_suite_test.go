// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/placementrule"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/engine"
)

// onOne has a binding go to one cluster.
func onOne(b workv1alpha2.Binding) {
	b.GetSpec().Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{{SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: 1, MaxGroups: 1}}
}

// at is a cluster with a label.
func at(key, value string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) { c.Labels = map[string]string{key: value} }
}

// rule makes a PlacementRule for the namespace of the spec.
func rule(ctx context.Context, filter, score string) *interpreterv1alpha1.PlacementRule {
	GinkgoHelper()
	r := &interpreterv1alpha1.PlacementRule{Spec: interpreterv1alpha1.PlacementRuleSpec{ClusterFilter: filter, ClusterScore: score, Namespaces: []string{space}}}
	r.Name = space
	Expect(hub.Create(ctx, r)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, r))).To(Succeed()) })
	return r
}

// outcome returns reason and message of the condition Scheduled of a binding, empty without one.
func outcome(ctx context.Context, b *workv1alpha2.ResourceBinding) func() string {
	return func() string {
		c := meta.FindStatusCondition(read(ctx, b).Status.Conditions, workv1alpha2.Scheduled)
		if c == nil {
			return ""
		}
		return c.Reason + ": " + c.Message
	}
}

// manageByRules is manage with the controller of PlacementRules.
func manageByRules() {
	GinkgoHelper()
	stop, err := running.Manage(map[client.Object]cache.ByObject{
		&workv1alpha2.ResourceBinding{}: {Namespaces: map[string]cache.Config{space: {}}},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		compiler, err := engine.NewCompiler()
		if err != nil {
			return err
		}
		d := base.Deps{Client: mgr.GetClient(), Clock: clock, Events: events, Compiler: compiler}
		rules := placementrule.New(compiler)
		if err := placementrule.NewController(d, rules).Register(ctx, mgr); err != nil {
			return err
		}
		return scheduling.New[*workv1alpha2.ResourceBinding](d, &schedule.Assumptions{}).WithRules(rules).Register(ctx, mgr)
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
}

var _ = Describe("placement rules", func() {
	It("choose among the clusters that a policy allows", func(ctx SpecContext) {
		join(ctx, "a", at("price", "9"))
		join(ctx, "b", at("price", "3"))
		join(ctx, "c", at("price", "1"), func(c *clusterv1alpha1.Cluster) { c.Spec.Region = "abroad" })
		rule(ctx, `cluster.spec[?"region"].orValue("") != "abroad"`, `-int(cluster.metadata.labels.price)`)
		manageByRules()
		b := binding[*workv1alpha2.ResourceBinding](ctx, toClusters("a", "b", "c"), onOne)
		Eventually(func() map[string]int32 { return targets(read(ctx, b)) }).Should(Equal(map[string]int32{"b": 0}))
	}, NodeTimeout(time.Minute))

	It("let what is copied go to a cluster that passes them since", func(ctx SpecContext) {
		join(ctx, "a", at("open", "yes"))
		b := join(ctx, "b", at("open", "no"))
		rule(ctx, `cluster.metadata.labels.open == "yes"`, "")
		manageByRules()
		one := binding[*workv1alpha2.ResourceBinding](ctx, toClusters("a", "b"))
		Eventually(func() map[string]int32 { return targets(read(ctx, one)) }).Should(Equal(map[string]int32{"a": 0}))
		Eventually(outcome(ctx, one)).Should(HavePrefix("Success"))
		change(ctx, b, func(c *clusterv1alpha1.Cluster) { c.Labels["open"] = "yes" })
		Eventually(func() map[string]int32 { return targets(read(ctx, one)) }).Should(Equal(map[string]int32{"a": 0, "b": 0}))
	}, NodeTimeout(time.Minute))

	It("are read before the first decision", func(ctx SpecContext) {
		join(ctx, "a")
		b := binding[*workv1alpha2.ResourceBinding](ctx, toClusters("a"))
		rule(ctx, `"it is closed"`, "")
		manageByRules()
		Eventually(outcome(ctx, b)).Should(And(HavePrefix("NoClusterFit"), ContainSubstring("1 cluster(s) did not pass PlacementRule "+space+": it is closed")))
		Expect(targets(read(ctx, b))).To(BeEmpty())
	}, NodeTimeout(time.Minute))

	It("wake what waits when they change, go, or a cluster changes", func(ctx SpecContext) {
		a := join(ctx, "a", at("open", "no"))
		r := rule(ctx, `cluster.metadata.labels.open == "yes"`, "")
		manageByRules()
		wait := func(gadget string) *workv1alpha2.ResourceBinding {
			b := bindingOf[*workv1alpha2.ResourceBinding](ctx, gadget, toClusters("a"))
			Eventually(outcome(ctx, b)).Should(HavePrefix("NoClusterFit"))
			return b
		}
		goes := func(b *workv1alpha2.ResourceBinding) {
			GinkgoHelper()
			Eventually(func() map[string]int32 { return targets(read(ctx, b)) }).Should(Equal(map[string]int32{"a": 0}))
		}
		one := wait("one")
		By("opening the cluster")
		change(ctx, a, func(c *clusterv1alpha1.Cluster) { c.Labels["open"] = "yes" })
		goes(one)
		By("asking for something else")
		change(ctx, r, func(r *interpreterv1alpha1.PlacementRule) {
			r.Spec.ClusterFilter = `cluster.metadata.labels.open == "always"`
		})
		two := wait("two")
		Expect(targets(read(ctx, one))).To(Equal(map[string]int32{"a": 0}), "what is there stays")
		change(ctx, r, func(r *interpreterv1alpha1.PlacementRule) {
			r.Spec.ClusterFilter = `cluster.metadata.labels.open != "never"`
		})
		goes(two)
		By("deleting the rule")
		change(ctx, r, func(r *interpreterv1alpha1.PlacementRule) { r.Spec.ClusterFilter = "false" })
		three := wait("three")
		Expect(hub.Delete(ctx, r)).To(Succeed())
		goes(three)
	}, NodeTimeout(10*time.Minute))

	It("let a broken generation not replace one that compiles, and report a failure once it happens", func(ctx SpecContext) {
		join(ctx, "a")
		join(ctx, "b")
		r := rule(ctx, `cluster.metadata.name.endsWith("-a")`, "")
		manageByRules()
		condition := func(kind string) func() string {
			return func() string {
				for _, c := range read(ctx, r).Status.Conditions {
					if c.Type == kind && c.ObservedGeneration == read(ctx, r).Generation {
						return string(c.Status) + ": " + c.Message
					}
				}
				return "none"
			}
		}
		Eventually(condition(interpreterv1alpha1.ConditionActive)).Should(HavePrefix("True"))
		change(ctx, r, func(r *interpreterv1alpha1.PlacementRule) { r.Spec.ClusterFilter = "cluster.metadata.name.endsWith(" })
		Eventually(condition(interpreterv1alpha1.ConditionActive)).Should(And(HavePrefix("False: spec.clusterFilter: line 1: "), HaveSuffix("the expressions of an earlier generation decide")))
		b := binding[*workv1alpha2.ResourceBinding](ctx, toClusters("a", "b"))
		Eventually(func() map[string]int32 { return targets(read(ctx, b)) }).Should(Equal(map[string]int32{"a": 0}))
		change(ctx, r, func(r *interpreterv1alpha1.PlacementRule) { r.Spec.ClusterFilter = `cluster.spec.tier == "gold"` })
		Eventually(condition(interpreterv1alpha1.ConditionActive)).Should(HavePrefix("True"))
		two := bindingOf[*workv1alpha2.ResourceBinding](ctx, "two", toClusters("b"))
		Eventually(outcome(ctx, two)).Should(ContainSubstring("which failed"))
		Eventually(condition(interpreterv1alpha1.ConditionEvaluated)).Should(And(HavePrefix("False: about cluster "), ContainSubstring("no such key: tier")))
	}, NodeTimeout(time.Minute))
})
