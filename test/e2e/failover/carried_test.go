// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	copies "github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// directlyWithJob is a failover at once that carries the id of the job as a label.
const directlyWithJob = `{decisionConditions: {tolerationSeconds: 1}, purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: job, jsonPath: "{.jobId}"}]}}`

// editFailover has a user edit spec.failover.application of the policy of an app.
func (a app) editFailover(ctx context.Context, by func(*policyv1alpha1.ApplicationFailoverBehavior)) {
	GinkgoHelper()
	p := fixture.Policy(a.space, "app")
	fixture.Change(ctx, env.Hub, p, func(p policyv1alpha1.Policy) { by(p.GetSpec().Failover.Application) })
}

var _ = Describe("an application that moves Directly with its state", Ordered, ContinueOnFailure, func() {
	BeforeAll(serveGadgetsOnce, NodeTimeout(10*time.Minute))

	It("is deleted first and created then, and loses the label once it is healthy", func(ctx SpecContext) {
		a, first, second, release := startMove(ctx)
		Eventually(func(g Gomega) { g.Expect(a.copyIn(ctx, g, first).GetDeletionTimestamp()).NotTo(BeNil()) }).Should(Succeed())
		Consistently(func(g Gomega) { g.Expect(a.copyIn(ctx, g, second)).To(BeNil(), "the old copy is not gone") }, 2*time.Second).Should(Succeed())

		release(ctx)
		a.leaves(ctx, first)
		a.arrives(ctx, second, "job-"+first, "42")
		a.report(ctx, second, status{"ok": true, "jobId": "job-" + second, "progress": "43"})
		a.arrives(ctx, second, "", "")
		Eventually(func(g Gomega) { g.Expect(a.binding(ctx, g).Spec.GracefulEvictionTasks).To(BeEmpty()) }).Should(Succeed())
		Eventually(env.Events(ctx, a.space, "ResourceBinding", "app-gadget")).Should(ContainElement("EvictWorkloadFromClusterSucceed: Evict from cluster " + first + " succeed."))
	}, NodeTimeout(10*time.Minute))

	It("goes on with the state of the first cluster where it never was healthy in the second", func(ctx SpecContext) {
		a, at := startApp(ctx, onOneOf, directlyWithJob)
		first := at[0]
		a.breaks(ctx, first, "42")
		second := a.moves(ctx, first)
		a.arrives(ctx, second, "job-"+first, "42")
		a.breaks(ctx, second, "0")
		third := a.moves(ctx, first, second)
		a.arrives(ctx, third, "job-"+first, "42")
		a.leaves(ctx, second)
		a.report(ctx, third, status{"ok": true, "jobId": "job-" + third, "progress": "43"})
		a.arrives(ctx, third, "", "")
	}, NodeTimeout(10*time.Minute))

	It("takes the state to the copy that replaces the one that failed, and to no other", func(ctx SpecContext) {
		a, at := startApp(ctx, onTwo, directlyWithJob)
		failed, other := at[0], at[1]
		a.breaks(ctx, failed, "42")
		replacement := env.Others(failed, other)[0]
		a.arrives(ctx, replacement, "job-"+failed, "42")
		a.leaves(ctx, failed)
		a.arrives(ctx, other, "", "")
		b := a.binding(ctx, Default)
		Expect(fixture.TargetsOf(b)).To(ConsistOf(other+":0", replacement+":0"))

		By("failing in the other, too: each has its own state")
		a.report(ctx, replacement, status{"ok": true, "jobId": "job-" + replacement, "progress": "43"})
		a.arrives(ctx, replacement, "", "")
		a.breaks(ctx, other, "7")
		a.leaves(ctx, other)
		Eventually(func(g Gomega) {
			g.Expect(copies.CarriedStates(a.binding(ctx, g))).To(ContainElement(And(HaveField("From", other), HaveField("Labels", HaveKeyWithValue("job", "job-"+other)))))
		}).Should(Succeed())
		a.arrives(ctx, replacement, "", "")
	}, NodeTimeout(10*time.Minute))

	It("stays where a rule names what the status does not have, and goes by itself when the rule is mended", func(ctx SpecContext) {
		a, at := startApp(ctx, onOneOf, directlyWithJob, "progress") // no script names a state beside the rules
		first := at[0]
		a.editFailover(ctx, func(f *policyv1alpha1.ApplicationFailoverBehavior) {
			f.StatePreservation.Rules = append(f.StatePreservation.Rules, policyv1alpha1.StatePreservationRule{AliasLabelName: "step", JSONPath: "{.trainingstep}"})
		})
		Eventually(func(g Gomega) {
			g.Expect(a.binding(ctx, g).Spec.Failover.Application.StatePreservation.Rules).To(HaveLen(2))
		}).Should(Succeed())
		a.report(ctx, first, status{"ok": false, "jobId": "job-" + first, "trainingStep": 1734462491693})
		Eventually(env.Events(ctx, a.space, "ResourceBinding", "app-gadget")).Should(ContainElement(And(HavePrefix("StatePreservationFailed: "),
			ContainSubstring("statePreservation.rules[1] (step, {.trainingstep})"), ContainSubstring("did you mean { .trainingStep }?"))))
		a.stays(ctx, first, 2*time.Second)
		Expect(a.binding(ctx, Default).Spec.GracefulEvictionTasks).To(BeEmpty())

		a.editFailover(ctx, func(f *policyv1alpha1.ApplicationFailoverBehavior) {
			f.StatePreservation.Rules[1].JSONPath = "{.trainingStep}"
		})
		second := a.moves(ctx, first)
		a.leaves(ctx, first)
		Eventually(func(g Gomega) {
			o := a.copyIn(ctx, g, second)
			g.Expect(o).NotTo(BeNil())
			g.Expect(o.GetLabels()).To(And(HaveKeyWithValue("job", "job-"+first), HaveKeyWithValue("step", "1734462491693")))
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))

	It("is not given more time by a restart of the manager", func(ctx SpecContext) {
		a, at := startApp(ctx, onOneOf, `{decisionConditions: {tolerationSeconds: 600}, purgeMode: Directly}`)
		first := at[0]
		a.breaks(ctx, first, "42")
		var since string
		Eventually(func(g Gomega) {
			since = a.binding(ctx, g).Annotations[copies.UnhealthySinceAnnotation]
			g.Expect(since).To(ContainSubstring(first))
		}).Should(Succeed())
		env.Manager.Stop()
		env.StartManager()

		By("editing the toleration, which the new manager takes over")
		tolerate := func(seconds int32) {
			a.editFailover(ctx, func(f *policyv1alpha1.ApplicationFailoverBehavior) {
				f.DecisionConditions.TolerationSeconds = &seconds
			})
			Eventually(func(g Gomega) {
				g.Expect(a.binding(ctx, g).Spec.Failover.Application.DecisionConditions.TolerationSeconds).To(HaveValue(Equal(seconds)))
			}).Should(Succeed())
		}
		tolerate(500)
		Consistently(func(g Gomega) {
			g.Expect(a.binding(ctx, g).Annotations).To(HaveKeyWithValue(copies.UnhealthySinceAnnotation, since))
		}, 2*time.Second).Should(Succeed())
		tolerate(1)
		second := a.moves(ctx, first)
		a.arrives(ctx, second, "", "42")
	}, NodeTimeout(10*time.Minute))
})

var _ = Describe("an application that fails in the only cluster it may be in", Ordered, ContinueOnFailure, func() {
	BeforeAll(serveGadgetsOnce, NodeTimeout(10*time.Minute))
	const onlyMember1 = `{clusterAffinity: {clusterNames: [member1]}}`

	DescribeTable("keeps its copy after all times have passed, and is taken back when it recovers",
		func(ctx SpecContext, failover string) {
			a, _ := startApp(ctx, onlyMember1, failover)
			before := a.copyIn(ctx, Default, "member1").GetUID()
			a.breaks(ctx, "member1", "42")
			Eventually(func(g Gomega) {
				b := a.binding(ctx, g)
				g.Expect(b.Spec.Clusters).To(BeEmpty())
				g.Expect(b.Spec.GracefulEvictionTasks).To(HaveLen(1))
				g.Expect(b.Status.Conditions).To(ContainElement(And(HaveField("Type", workv1alpha2.Scheduled), HaveField("Reason", "NoClusterFit"))))
			}).Should(Succeed())
			a.stays(ctx, "member1", 3*time.Second)

			a.report(ctx, "member1", status{"ok": true, "progress": "43"})
			Eventually(func(g Gomega) {
				b := a.binding(ctx, g)
				g.Expect(fixture.TargetsOf(b)).To(Equal([]string{"member1:0"}))
				g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
			}).Should(Succeed())
			Expect(a.copyIn(ctx, Default, "member1").GetUID()).To(Equal(before))
		},
		Entry("Directly", `{decisionConditions: {tolerationSeconds: 1}, purgeMode: Directly}`, NodeTimeout(10*time.Minute)),
		Entry("Gracefully", `{decisionConditions: {tolerationSeconds: 1}, purgeMode: Gracefully, gracePeriodSeconds: 1}`, NodeTimeout(10*time.Minute)),
		Entry("Never", `{decisionConditions: {tolerationSeconds: 1}, purgeMode: Never}`, NodeTimeout(10*time.Minute)),
	)

	It("goes as soon as it may be in another", func(ctx SpecContext) {
		a, _ := startApp(ctx, onlyMember1, directlyWithJob)
		a.breaks(ctx, "member1", "42")
		Eventually(func(g Gomega) { g.Expect(a.binding(ctx, g).Spec.Clusters).To(BeEmpty()) }).Should(Succeed())
		a.stays(ctx, "member1", time.Second)
		p := fixture.Policy(a.space, "app")
		Expect(env.Hub.Patch(ctx, p, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"placement":{"clusterAffinity":{"clusterNames":["member1","member2"]}}}}`)))).To(Succeed())
		a.leaves(ctx, "member1")
		a.arrives(ctx, "member2", "job-member1", "42")
	}, NodeTimeout(10*time.Minute))
})

var _ = Describe("an application in groups of clusters", func() {
	It("goes to the next group when the cluster of the first fails, and stays there when that is back", func(ctx SpecContext) {
		serveGadgetsOnce(ctx)
		a, at := startApp(ctx, `{clusterAffinities: [{affinityName: group1, clusterNames: [member1]}, {affinityName: group2, clusterNames: [member2]}]}`, "null")
		Expect(at).To(Equal([]string{"member1"}))
		env.SetTaints(ctx, "member1", "cluster.karmada.io/not-ready")
		a.report(ctx, "member2", status{"ok": true})
		a.leaves(ctx, "member1")
		Eventually(func(g Gomega) { g.Expect(a.binding(ctx, g).Status.SchedulerObservedAffinityName).To(Equal("group2")) }).Should(Succeed())

		env.SetTaints(ctx, "member1")
		Consistently(func(g Gomega) {
			g.Expect(fixture.TargetsOf(a.binding(ctx, g))).To(Equal([]string{"member2:0"}))
		}, 2*time.Second).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})
