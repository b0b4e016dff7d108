// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// widePolicy places an application without a namespace in one member. By a taint it moves,
// and it takes its state along then too.
const widePolicy = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: wide}
spec:
  resourceSelectors: [{apiVersion: spec.dragoman.io/v1, kind: WideGadget, name: wide}]
  placement: {spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]}
  failover:
    application: {decisionConditions: {tolerationSeconds: 1}, purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: job, jsonPath: "{.jobId}"}]}}
    cluster: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: job, jsonPath: "{.jobId}"}]}}
`

// wideBinding reads the ClusterResourceBinding of the application without a namespace.
func wideBinding(ctx context.Context, g Gomega) *workv1alpha2.ClusterResourceBinding {
	b := &workv1alpha2.ClusterResourceBinding{}
	g.Expect(env.Hub.Get(ctx, client.ObjectKey{Name: "wide-widegadget"}, b)).To(Succeed())
	return b
}

// wideCopy reads the copy of that application in a member; nil where it has none.
func wideCopy(ctx context.Context, g Gomega, member string) *unstructured.Unstructured {
	o := fixture.Gadget("", "wide", nil)
	err := env.At(member).Get(ctx, client.ObjectKeyFromObject(o), o)
	if apierrors.IsNotFound(err) {
		return nil
	}
	g.Expect(err).NotTo(HaveOccurred())
	return o
}

// wideReports writes the status of the copy in a member, in the place of an operator.
func wideReports(ctx context.Context, member string, s status) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		o := wideCopy(ctx, g, member)
		g.Expect(o).NotTo(BeNil(), "a copy in %s", member)
		o.Object["status"] = map[string]any(s)
		g.Expect(env.At(member).Status().Update(ctx, o)).To(Succeed())
	}).Should(Succeed())
}

// wideHealthy reports the copy as healthy, and waits until the control plane knows.
func wideHealthy(ctx context.Context, member, progress string) {
	GinkgoHelper()
	wideReports(ctx, member, status{"ok": true, "jobId": "job-" + member, "progress": progress})
	Eventually(func(g Gomega) {
		g.Expect(wideBinding(ctx, g).Status.AggregatedStatus).To(ContainElement(And(
			HaveField("ClusterName", member), HaveField("Health", workv1alpha2.ResourceHealthy), HaveField("State", HaveKeyWithValue(fixture.StateKey, progress)))))
	}).Should(Succeed())
}

// wideMoves waits until the application has one target, which is none of some members, with
// a copy that goes on from a state, and until the old members have none.
func wideMoves(ctx context.Context, job, progress string, from ...string) (to string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		b := wideBinding(ctx, g)
		g.Expect(b.Spec.Clusters).To(HaveLen(1))
		to = b.Spec.Clusters[0].Name
		g.Expect(from).NotTo(ContainElement(to))
		o := wideCopy(ctx, g, to)
		g.Expect(o).NotTo(BeNil(), "a copy in %s", to)
		at, _, _ := unstructured.NestedString(o.Object, "spec", "resumeFrom")
		g.Expect([]string{o.GetLabels()["job"], at}).To(Equal([]string{job, progress}))
		for _, old := range from {
			g.Expect(wideCopy(ctx, g, old)).To(BeNil(), "the copy in %s", old)
		}
	}).Should(Succeed())
	return to
}

var _ = Describe("an application without a namespace", Ordered, func() {
	BeforeAll(func(ctx SpecContext) {
		env.Serve(ctx, fixture.GadgetCRDs()[1])
		env.Customize(ctx, suite.Customization("wide-gadgets", fixture.WideGadgetKind, gadgetScripts))
	}, NodeTimeout(10*time.Minute))

	It("moves with its state when it fails, and when its cluster is tainted", func(ctx SpecContext) {
		policy := fixture.Document(widePolicy)
		Expect(env.Hub.Create(ctx, policy)).To(Succeed())
		o := fixture.Gadget("", "wide", nil)
		Expect(env.Hub.Create(ctx, o)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			Expect(env.Hub.Delete(ctx, policy)).To(Succeed())
			Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, o))).To(Succeed())
			Eventually(func() bool { return apierrors.IsNotFound(env.Hub.Get(ctx, client.ObjectKeyFromObject(o), o)) }).Should(BeTrue())
		})
		first := wideMoves(ctx, "", "")
		wideHealthy(ctx, first, "41")

		By("failing it in " + first)
		wideReports(ctx, first, status{"ok": false, "jobId": "job-" + first, "progress": "42"})
		second := wideMoves(ctx, "job-"+first, "42", first)
		wideHealthy(ctx, second, "43")
		Eventually(func(g Gomega) { g.Expect(wideBinding(ctx, g).Spec.GracefulEvictionTasks).To(BeEmpty()) }).Should(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(wideCopy(ctx, g, second).GetLabels()).NotTo(HaveKey("job"), "once it is healthy")
		}).Should(Succeed())
		Eventually(env.Events(ctx, "", "ClusterResourceBinding", "wide-widegadget")).Should(ContainElement("EvictWorkloadFromClusterSucceed: Evict from cluster " + first + " succeed."))
		Eventually(env.Events(ctx, "", "WideGadget", "wide")).Should(ContainElement("EvictWorkloadFromClusterSucceed: Evict from cluster " + first + " succeed."))

		By("tainting " + second)
		env.SetTaints(ctx, second, "fail-test")
		third := wideMoves(ctx, "job-"+second, "43", second)
		wideHealthy(ctx, third, "44")
		Eventually(func() string { return env.Run(ctx, "failover", "history", "WideGadget/wide") }).Should(
			And(ContainSubstring(first), ContainSubstring(second), ContainSubstring(third)))

		By("deleting it")
		Expect(env.Hub.Delete(ctx, o)).To(Succeed())
		for _, m := range env.Others() {
			Eventually(func(g Gomega) { g.Expect(wideCopy(ctx, g, m)).To(BeNil()) }).Should(Succeed())
		}
	}, NodeTimeout(10*time.Minute))
})
