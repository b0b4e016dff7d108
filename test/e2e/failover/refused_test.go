// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/test/fixture"
)

// deny has an admission policy of a member refuse an operation on the objects of a resource in a namespace,
// until the returned function is called or the spec ends. Probe tries such an operation.
func deny(ctx context.Context, member, space string, operation admissionv1.OperationType, resource schema.GroupVersionResource, probe func() error) (allow func(context.Context)) {
	GinkgoHelper()
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: space}, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: &fail,
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": space}},
			ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{operation},
				Rule:       admissionv1.Rule{APIGroups: []string{resource.Group}, APIVersions: []string{resource.Version}, Resources: []string{resource.Resource}},
			}}},
		},
		Validations: []admissionv1.Validation{{Expression: "false", Message: "no " + resource.Resource + " here"}},
	}}
	bound := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: space}, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: space, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
	}}
	Expect(env.At(member).Create(ctx, policy)).To(Succeed())
	Expect(env.At(member).Create(ctx, bound)).To(Succeed())
	allow = func(ctx context.Context) {
		for _, o := range []client.Object{bound, policy} {
			Expect(client.IgnoreNotFound(env.At(member).Delete(ctx, o))).To(Succeed())
		}
	}
	DeferCleanup(func(ctx SpecContext) { allow(ctx) })
	// API servers watch these policies.
	Eventually(probe).Should(MatchError(ContainSubstring("no " + resource.Resource + " here")))
	return allow
}

// denyDeployments keeps new Deployments in a namespace out of a member.
func denyDeployments(ctx context.Context, member, space string) (allow func(context.Context)) {
	GinkgoHelper()
	// The namespace follows only later.
	Expect(client.IgnoreAlreadyExists(env.At(member).Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}))).To(Succeed())
	probe := fixture.Nginx(space, 1)
	return deny(ctx, member, space, admissionv1.Create, appsv1.SchemeGroupVersion.WithResource("deployments"), func() error {
		return env.At(member).Create(ctx, probe.DeepCopy(), client.DryRunAll)
	})
}

var _ = Describe("failover under Directly to clusters that refuse the new copy", needsAdmissionPolicies, func() {
	It("keeps the old copy, says why, and goes on once one takes it", func(ctx SpecContext) {
		space, first := startNginx(ctx, 2, strings.Replace(never, "purgeMode: Never", "purgeMode: Directly", 1))
		old := uidIn(ctx, first, space)
		allowed := ""
		var allow func(context.Context)
		for _, m := range env.Members {
			if m.Name != first {
				allowed, allow = m.Name, denyDeployments(ctx, m.Name, space)
			}
		}

		env.LosePods(ctx, first, space)

		By("seeing that both others refuse it, while the old copy stays")
		Eventually(func(g Gomega) {
			g.Expect(uidIn(ctx, first, space)).To(Equal(old))
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Status.Conditions).To(ContainElement(And(HaveField("Type", "FailedOver"), HaveField("Reason", "NoOtherCluster"),
				HaveField("Message", ContainSubstring("the copy in cluster "+first+" stays")), HaveField("Message", ContainSubstring("refused by")))))
			g.Expect(b.Status.Conditions).To(ContainElement(And(HaveField("Type", "Rendered"), HaveField("Reason", "TargetRefused"),
				HaveField("Message", ContainSubstring("no deployments here")))))
		}).Should(Succeed())
		Expect(uidIn(ctx, first, space)).To(Equal(old))
		Eventually(env.Events(ctx, space, "Deployment", "nginx")).Should(ContainElement(And(HavePrefix("TargetRefused: "), ContainSubstring("cluster "+allowed+" refuses"))))

		By("having one of them take it, and changing the template, which has it tried at once")
		allow(ctx)
		Eventually(func() error { return env.At(allowed).Create(ctx, fixture.Nginx(space, 1), client.DryRunAll) }).Should(Succeed())
		fixture.Change(ctx, env.Hub, fixture.Nginx(space, 2), func(d *appsv1.Deployment) {
			d.Spec.Template.Annotations = map[string]string{"changed": "yes"}
		})
		Eventually(func(g Gomega) {
			moved, err := deployment(ctx, allowed, space)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(moved.Status.AvailableReplicas).To(BeEquivalentTo(2))
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
			g.Expect(b.Status.Conditions).NotTo(ContainElement(HaveField("Type", "FailedOver")))
		}).Should(Succeed())
		evicted(ctx, first, space)
	}, NodeTimeout(10*time.Minute))
})
