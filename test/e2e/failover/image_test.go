// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// noSuchImage is a policy of a member that keeps pods of an image from running: kwok, which
// runs all pods of a node, pulls no images.
const noSuchImage = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: no-such-image}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}
  matchConditions: [{name: broken, expression: 'object.spec.containers.exists(c, c.image.endsWith(":broken"))'}]
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
    - patchType: JSONPatch
      jsonPatch: {expression: '[JSONPatch{op: "add", path: "/spec/nodeSelector", value: {"pulled": "never"}}]'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: no-such-image}
spec: {policyName: no-such-image}
`

// breakImages has all members keep pods of a broken image from running, and waits until
// each does.
func breakImages(ctx SpecContext) {
	for _, m := range env.Members {
		for text := range strings.SplitSeq(noSuchImage, "\n---\n") {
			o := fixture.Document(text)
			Expect(client.IgnoreAlreadyExists(env.At(m.Name).Create(ctx, o))).To(Succeed())
		}
		Eventually(func(g Gomega) {
			probe := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "probe", Image: "probe:broken"}}}}
			probe.Namespace, probe.Name = "default", "probe"
			g.Expect(env.At(m.Name).Create(ctx, probe, client.DryRunAll)).To(Succeed())
			g.Expect(probe.Spec.NodeSelector).To(HaveKeyWithValue("pulled", "never"))
		}).Should(Succeed())
	}
}

// brokenIn is an override of the user that breaks the image of nginx in some members.
func brokenIn(members ...string) string {
	return fmt.Sprintf(`
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: nginx}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nginx}]
  overrideRules:
    - targetCluster: {clusterNames: [%s]}
      overriders: {imageOverrider: [{component: Tag, operator: add, value: broken}]}
`, strings.Join(members, ", "))
}

// nginxPolicy is a policy of nginx for one of some members, with spec.failover.application.
const nginxPolicy = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: nginx}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nginx}]
  placement:
    clusterAffinity: {clusterNames: [%s]}
    spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]
  failover: {application: %s}
`

// runNginx has nginx run healthy in one of some members, with three replicas: of one the
// old pod would run on beside one whose image is broken, and that is healthy as published.
// It returns the namespace and the member.
func runNginx(ctx context.Context, members []string, failover string) (space, first string) {
	GinkgoHelper()
	return startNginx(ctx, 3, fmt.Sprintf(nginxPolicy, strings.Join(members, ", "), failover))
}

var _ = Describe("a Deployment whose image is broken by an override", Ordered, ContinueOnFailure, needsAdmissionPolicies, func() {
	BeforeAll(breakImages, NodeTimeout(10*time.Minute))
	all := []string{"member1", "member2", "member3"}

	It("in its cluster moves Gracefully: the old copy goes when the new one is healthy", func(ctx SpecContext) {
		// The published test has 30 s for both; the grace is long here, so that it cannot be what ends the old copy.
		space, first := runNginx(ctx, all, `{decisionConditions: {tolerationSeconds: 15}, purgeMode: Gracefully, gracePeriodSeconds: 600}`)
		env.Apply(ctx, space, brokenIn(first))
		second := runsOn(ctx, space, first)
		evicted(ctx, first, space)
		d, err := deployment(ctx, second, space)
		Expect(err).NotTo(HaveOccurred())
		Expect(d.Status.AvailableReplicas).To(BeEquivalentTo(3))
		Expect(d.Spec.Template.Spec.Containers[0].Image).To(Equal("nginx"))
	}, NodeTimeout(10*time.Minute))

	It("everywhere keeps its old copy for the toleration and the grace period", func(ctx SpecContext) {
		// The published test has 30 s and 10 s. The grace is the shorter here too, so that the
		// new copy, which fails as well, is the last one for a while.
		space, first := runNginx(ctx, all, `{decisionConditions: {tolerationSeconds: 4}, purgeMode: Gracefully, gracePeriodSeconds: 3}`)
		broken := time.Now()
		env.Apply(ctx, space, brokenIn(all...))
		Eventually(gone(ctx, first, space)).WithPolling(20 * time.Millisecond).Should(BeTrue())
		Expect(time.Since(broken)).To(BeNumerically(">=", 6*time.Second), "the time from the break to the end of the old copy; timestamps have whole seconds")
		hasHealth(ctx, space, workv1alpha2.ResourceUnhealthy, first) // the copy that is left
	}, NodeTimeout(10*time.Minute))

	It("everywhere moves Directly with a label of the status, that stays until the image is mended", func(ctx SpecContext) {
		space, first := runNginx(ctx, all, `{decisionConditions: {tolerationSeconds: 2}, purgeMode: Directly,
      statePreservation: {rules: [{aliasLabelName: test-alias, jsonPath: "{.replicas}"}]}}`)
		env.Apply(ctx, space, brokenIn(all...))
		Eventually(func(g Gomega) {
			second, _ := target(ctx, g, space, first)
			d, err := deployment(ctx, second, space)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(gone(ctx, first, space)()).To(BeTrue(), "the old copy is deleted before the new one is created")
			g.Expect(d.Labels).To(HaveKey(testAlias))
		}).Should(Succeed())

		o := fixture.Document(brokenIn(all...))
		o.SetNamespace(space)
		Expect(env.Hub.Delete(ctx, o)).To(Succeed())
		Eventually(func(g Gomega) {
			last, b := target(ctx, g, space)
			g.Expect(b.Status.AggregatedStatus).To(ContainElement(And(HaveField("ClusterName", last), HaveField("Health", workv1alpha2.ResourceHealthy))))
			d, err := deployment(ctx, last, space)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(d.Labels).NotTo(HaveKey(testAlias))
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})
