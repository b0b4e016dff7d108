// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// try asks the member about an object.
func (b *setup) try(ctx context.Context, o *unstructured.Unstructured) error {
	return execution.Try(ctx, base.Deps{
		Client: hub.Manager.GetClient(), Members: b.members, Interpreter: interpreter, Events: b.events, Owner: owner,
	}, fixture.Work(b.cluster, "w", o))
}

// refusal expects that the member refuses an object, and returns why.
func (b *setup) refusal(ctx context.Context, o *unstructured.Unstructured) string {
	GinkgoHelper()
	err := b.try(ctx, o)
	var refused *execution.RefusedError
	Expect(errors.As(err, &refused)).To(BeTrue(), "no refusal: %v", err)
	Expect(refused.Cluster).To(Equal(b.cluster))
	return err.Error()
}

// denying keeps ConfigMaps of the spec's namespace out of the member, as an admission
// policy does.
func (b *setup) denying(ctx context.Context) {
	GinkgoHelper()
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: &fail,
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": b.namespace}},
			ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}}},
		},
		Validations: []admissionv1.Validation{{Expression: "false", Message: "none of these here"}},
	}}
	bound := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: b.namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
	}}
	for _, o := range []client.Object{policy, bound} {
		Expect(onMember.Create(ctx, o)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(onMember.Delete(ctx, o)).To(Succeed()) })
	}
}

var _ = Describe("A try of a Work", func() {
	It("finds that an object would be taken, and changes nothing", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Expect(b.try(ctx, b.configMap("1"))).To(Succeed())
		Expect(b.read(ctx, configMaps)).To(BeNil())
	})

	It("finds that the kind is not served", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		o := fixture.Object(schema.GroupVersionKind{Group: "none.example.com", Version: "v1", Kind: "None"}, b.namespace, "m", nil)
		Expect(b.refusal(ctx, o)).To(And(ContainSubstring("None "+b.namespace+"/m"), ContainSubstring("install the CRD")))
	})

	It("finds that an admission policy denies it", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.denying(ctx)
		Eventually(func() error { return b.try(ctx, b.configMap("1")) }).Should(MatchError(ContainSubstring("none of these here"))) // the policy is watched
		Expect(b.refusal(ctx, b.configMap("1"))).To(ContainSubstring("cluster " + b.cluster + " refuses ConfigMap"))
	})

	It("finds that a quota is exceeded", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		none := corev1.ResourceList{"count/configmaps": resource.MustParse("0")}
		quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: b.namespace, Name: "none"}, Spec: corev1.ResourceQuotaSpec{Hard: none}}
		Expect(onMember.Create(ctx, quota)).To(Succeed())
		quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none} // as its controller does
		Expect(onMember.Status().Update(ctx, quota)).To(Succeed())
		Eventually(func() error { return b.try(ctx, b.configMap("1")) }).Should(MatchError(ContainSubstring("exceeded quota"))) // quotas are watched
		Expect(b.refusal(ctx, b.configMap("1"))).To(ContainSubstring("look at the admission policies and quotas"))
	})

	It("finds that a preserved label is none", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		o := b.configMap("1")
		o.SetLabels(map[string]string{"job": "not a label value"})
		Expect(b.refusal(ctx, o)).To(And(ContainSubstring("metadata.labels"), ContainSubstring("preserved state")))
	})

	It("finds that an object of somebody else has the name", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Expect(onMember.Create(ctx, b.configMap("theirs"))).To(Succeed())
		Expect(b.refusal(ctx, b.configMap("1"))).To(ContainSubstring("is not managed from here"))
		o := b.configMap("1")
		o.SetAnnotations(map[string]string{workv1alpha2.ConflictResolutionAnnotation: workv1alpha2.ConflictResolutionOverwrite})
		Expect(b.try(ctx, o)).To(Succeed(), "the policy takes it over")
		Expect(b.value(ctx)).To(Equal("theirs"))
	})

	It("tells a namespace that comes from one that does not", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		missing := b.namespace + "-x"
		o := fixture.Object(configMaps, missing, "m", nil)
		Expect(b.refusal(ctx, o)).To(ContainSubstring("create the namespace there"))

		By("having a Work create it")
		key := namespaces.Key(b.cluster, missing)
		w := fixture.Work(b.cluster, key.Name, fixture.Object(spaceKind, "", missing, nil))
		w.Annotations = map[string]string{workv1alpha2.NamespaceAnnotation: missing}
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		Expect(b.try(ctx, o)).To(MatchError(execution.ErrNamespacePending))

		By("having that fail")
		w.Status.Conditions = []metav1.Condition{{
			Type: workv1alpha1.WorkApplied, Status: metav1.ConditionFalse, Reason: "AppliedFailed", Message: "not in this cluster", LastTransitionTime: metav1.Now(),
		}}
		Expect(hub.Manager.GetClient().Status().Update(ctx, w)).To(Succeed())
		Expect(b.refusal(ctx, o)).To(ContainSubstring("not in this cluster"))

		By("having it succeed")
		Expect(onMember.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: missing}})).To(Succeed())
		Expect(b.try(ctx, o)).To(Succeed())
	})

	It("does not know what a cluster takes that does not answer", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.ready(ctx, metav1.ConditionFalse)
		err := b.try(ctx, b.configMap("1"))
		Expect(err).To(MatchError(ContainSubstring("cluster not ready")))
		Expect(errors.As(err, new(*execution.RefusedError))).To(BeFalse())
	})

	It("leaves alone what an agent carries out", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.members.Disconnect(b.cluster)
		cluster := b.object(ctx)
		cluster.Spec.SyncMode = "Pull"
		Expect(hub.Manager.GetClient().Update(ctx, cluster)).To(Succeed())
		Expect(b.try(ctx, b.configMap("1"))).To(Succeed())
	})
})
