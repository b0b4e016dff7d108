// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/admission"
	"github.com/dragoman-io/dragoman/test/shared"
)

var fence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

var _ = Describe("the webhooks", func() {
	It("admit every object of the seeds", func(ctx SpecContext) {
		files, err := filepath.Glob(filepath.Join(shared.Folder(GinkgoTB(), "seeds"), "*.txt"))
		Expect(err).NotTo(HaveOccurred())
		count := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
				for document := range strings.SplitSeq(block[1], "\n---\n") {
					object := &unstructured.Unstructured{}
					if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil || !hub.Client.Scheme().Recognizes(object.GroupVersionKind()) {
						continue
					}
					count++
					object.SetNamespace("default")
					Expect(user.Create(ctx, object, client.DryRunAll)).To(Succeed(), "%s:\n%s", filepath.Base(file), document)
				}
			}
		}
		Expect(count).To(BeNumerically(">=", 9))
	})

	It("set the defaults that a schema cannot set", func(ctx SpecContext) {
		p := flinkPolicy("defaults", "{ .jobStatus.jobId }")
		p.Spec.Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{{MaxGroups: 2}}
		p.Spec.Placement.ReplicaScheduling = &policyv1alpha1.ReplicaSchedulingStrategy{}
		Expect(user.Create(ctx, p)).To(Succeed())
		Expect(p.Labels).To(HaveKey(policyv1alpha1.PropagationPolicyPermanentIDLabel))
		Expect(p.Finalizers).To(ConsistOf(policyv1alpha1.PropagationPolicyFinalizer))
		Expect(p.Spec.ResourceSelectors[0].Namespace).To(Equal("default"))
		Expect(p.Spec.Placement.SpreadConstraints).To(ConsistOf(policyv1alpha1.SpreadConstraint{
			SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: 1, MaxGroups: 2,
		}))
		Expect(p.Spec.Placement.ReplicaScheduling.ReplicaDivisionPreference).To(Equal(policyv1alpha1.ReplicaDivisionPreferenceWeighted))
		Expect(p.Spec.Failover.Application.GracePeriodSeconds).To(HaveValue(Equal(policyv1alpha1.DefaultGracePeriodSeconds)))

		c := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "defaults"}}
		c.Spec.SyncMode, c.Spec.Zone = clusterv1alpha1.Push, "north"
		c.Spec.Taints = []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoExecute}}
		Expect(user.Create(ctx, c)).To(Succeed())
		Expect(c.Spec.Zones).To(Equal([]string{"north"}))
		Expect(c.Spec.Zone).To(BeEmpty())
		Expect(c.Spec.Taints[0].TimeAdded).NotTo(BeNil())
		Expect(c.Spec.ResourceModels).To(HaveLen(9))
	})

	It("keep fields that they do not know about as they are", func(ctx SpecContext) {
		o := &unstructured.Unstructured{}
		Expect(yaml.Unmarshal([]byte(`
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: raw, namespace: default, labels: {}}
spec:
  resourceSelectors: [{apiVersion: example.com/v1, kind: Plain}]
  overrideRules: [{overriders: {plaintext: [{path: /a, operator: add, value: {b: null, c: 12345678901234567890}}]}}]
`), &o.Object)).To(Succeed())
		Expect(user.Create(ctx, o)).To(Succeed())
		rules, _, _ := unstructured.NestedSlice(o.Object, "spec", "overrideRules")
		Expect(rules[0]).To(HaveKeyWithValue("overriders", HaveKeyWithValue("plaintext", ConsistOf(HaveKeyWithValue("value", HaveKey("b"))))))
		selectors, _, _ := unstructured.NestedSlice(o.Object, "spec", "resourceSelectors")
		Expect(selectors).To(ConsistOf(HaveKeyWithValue("namespace", "default")))
	})

	It("warn of a state that the kind does not have, with the name that was probably meant", func(ctx SpecContext) {
		warned.take()
		Eventually(warningsFor).WithContext(ctx).WithArguments(flinkPolicy("state", "{ .jobStatus.jobID }")).Should(ConsistOf(
			"spec.failover.application.statePreservation.rules[0].jsonPath: the schema of FlinkDeployment has no status.jobStatus.jobID; did you mean jobId?"))
		Expect(warningsFor(ctx, flinkPolicy("state", "{ .jobStatus.jobId }"))).To(BeEmpty())
	})

	It("warn of an override of a field that the kind does not have", func(ctx SpecContext) {
		o := &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "paths"}}
		o.Spec.ResourceSelectors = []policyv1alpha1.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment"}, {APIVersion: "example.com/v1", Kind: "Plain"}}
		o.Spec.OverrideRules = []policyv1alpha1.RuleWithCluster{{Overriders: policyv1alpha1.Overriders{Plaintext: []policyv1alpha1.PlaintextOverrider{
			{Path: "/spec/replica", Operator: policyv1alpha1.OverriderOpRemove},
			{Path: "/spec/template/spec/containers/0/image", Operator: policyv1alpha1.OverriderOpRemove},
			{Path: "/metadata/annotations/example.com~1a", Operator: policyv1alpha1.OverriderOpRemove},
		}}}}
		warned.take()
		Eventually(warningsFor).WithContext(ctx).WithArguments(o).Should(ConsistOf(
			"spec.overrideRules[0].overriders.plaintext[0].path: the schema of Deployment has no spec.replica; did you mean replicas?"))
	})

	It("accept a change of what was stored under other rules, with a warning", func(ctx SpecContext) {
		p := brokenPolicy()
		Expect(user.Get(ctx, client.ObjectKeyFromObject(p), p)).To(Succeed())
		base := p.DeepCopy()
		p.Labels = map[string]string{"a": "b"}
		warned.take()
		Expect(user.Patch(ctx, p, client.MergeFrom(base))).To(Succeed())
		Expect(warned.take()).To(ContainElement(ContainSubstring("is not a JSONPath")))

		base = p.DeepCopy()
		p.Spec.Failover.Application.StatePreservation.Rules[0].JSONPath = "{ .other[ }"
		Expect(user.Patch(ctx, p, client.MergeFrom(base))).To(MatchError(ContainSubstring("is not a JSONPath")))
	})

	It("accept metadata of a customization that does not compile", func(ctx SpecContext) {
		cr := brokenCustomization()
		Expect(user.Get(ctx, client.ObjectKeyFromObject(cr), cr)).To(Succeed())
		base := cr.DeepCopy()
		cr.Labels = map[string]string{"a": "b"}
		Expect(user.Patch(ctx, cr, client.MergeFrom(base))).To(Succeed())
		base = cr.DeepCopy()
		cr.Spec.Customizations.HealthInterpretation.LuaScript = "function InterpretHealth("
		Expect(user.Patch(ctx, cr, client.MergeFrom(base))).To(MatchError(ContainSubstring("broken/healthInterpretation.luaScript:1")))
	})

	It("refuse a placement rule that does not compile, with the line", func(ctx SpecContext) {
		r := &interpreterv1alpha1.PlacementRule{}
		r.Name, r.Spec.ClusterFilter = "typo", "true &&\nclusters.spec.region == 'north'"
		Expect(user.Create(ctx, r)).To(MatchError(ContainSubstring("spec.clusterFilter: Invalid value: typo/clusterFilter:2:1: undeclared reference to 'clusters'")))
		r.Spec.ClusterFilter = "cluster.spec.region == 'north'"
		Expect(user.Create(ctx, r)).To(Succeed())
		Expect(r.Spec.Weight).To(Equal(int32(1)))
		Expect(user.Delete(ctx, r)).To(Succeed())
	})

	It("are not asked about what is being deleted", func(ctx SpecContext) {
		p := flinkPolicy("leaving", "{ .jobStatus.jobId }")
		Expect(user.Create(ctx, p)).To(Succeed())
		Expect(user.Delete(ctx, p)).To(Succeed())
		Expect(user.Get(ctx, client.ObjectKeyFromObject(p), p)).To(Succeed())
		base := p.DeepCopy()
		p.Spec.Failover.Application.StatePreservation.Rules[0].JSONPath = "{ .a[ }"
		Expect(user.Patch(ctx, p, client.MergeFrom(base))).To(Succeed(), "a webhook would refuse this")
		base = p.DeepCopy()
		p.Finalizers = nil
		Expect(user.Patch(ctx, p, client.MergeFrom(base))).To(Succeed())
	})

	It("are not asked about what the control plane writes for each template", func(ctx SpecContext) {
		b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "own", Annotations: map[string]string{workv1alpha2.DependenciesAnnotation: "{"},
		}}
		b.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "a"}
		Expect(user.Create(ctx, b.DeepCopy(), client.DryRunAll)).To(MatchError(ContainSubstring("must be a JSON list")))
		Expect(hub.Client.Create(ctx, b, client.DryRunAll)).To(Succeed())
	})
})

// warningsFor returns the warnings with which an object is admitted. The schemas may come
// after the first answer.
func warningsFor(ctx context.Context, o client.Object) ([]string, error) {
	err := user.Create(ctx, o.DeepCopyObject().(client.Object), client.DryRunAll)
	return warned.take(), err
}

var _ = Describe("permanent ids", func() {
	It("never change, and are nobody else's", func(ctx SpecContext) {
		p := flinkPolicy("mine", "{ .jobStatus.jobId }")
		Expect(user.Create(ctx, p)).To(Succeed())
		id := p.Labels[policyv1alpha1.PropagationPolicyPermanentIDLabel]

		stolen := flinkPolicy("stolen", "{ .jobStatus.jobId }")
		stolen.Labels = map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: id}
		Eventually(func() error { return user.Create(ctx, stolen.DeepCopy(), client.DryRunAll) }).
			Should(MatchError(ContainSubstring("another policy has this permanent ID")))

		for _, labels := range []map[string]string{nil, {policyv1alpha1.PropagationPolicyPermanentIDLabel: "another"}} {
			changed := p.DeepCopy()
			changed.Labels = labels
			Eventually(func() error { return user.Update(ctx, changed.DeepCopy(), client.DryRunAll) }).Should(MatchError(ContainSubstring(
				"metadata.labels[" + policyv1alpha1.PropagationPolicyPermanentIDLabel + "]: the permanent ID ties the policy to its objects and never changes; restore the value " + id)))
		}
	})
})

var _ = Describe("deletion protection", func() {
	It("keeps an object of any kind until its label is removed", func(ctx SpecContext) {
		for _, o := range []client.Object{
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "protected"}},
			flinkPolicy("protected", "{ .jobStatus.jobId }"),
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "protected"}},
		} {
			o.SetLabels(map[string]string{policyv1alpha1.DeletionProtectedLabel: policyv1alpha1.DeletionProtectedAlways})
			Expect(user.Create(ctx, o)).To(Succeed())
			Eventually(func() error { return user.Delete(ctx, o, client.DryRunAll) }).Should(SatisfyAll(
				Satisfy(apierrors.IsForbidden), MatchError(ContainSubstring("denied request: This resource is protected, please make sure to remove the label: resourcetemplate.karmada.io/deletion-protected"))))
			base := o.DeepCopyObject().(client.Object)
			o.SetLabels(nil)
			Expect(user.Patch(ctx, o, client.MergeFrom(base))).To(Or(Succeed(), MatchError(ContainSubstring("permanent ID"))))
		}
		o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "protected"}}
		Expect(user.Delete(ctx, o)).To(Succeed())
	})
})

var _ = Describe("the controller", func() {
	It("restores what is removed, and reads certificates that are replaced", func(ctx SpecContext) {
		configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
		configuration.Name = admission.ConfigurationName
		Expect(hub.Client.Delete(ctx, configuration)).To(Succeed())
		secret := &corev1.Secret{}
		secret.Namespace, secret.Name = names.SystemNamespace, admission.SecretName
		Expect(hub.Client.Delete(ctx, secret)).To(Succeed())
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(secret), secret)).To(Succeed())
			g.Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(configuration), configuration)).To(Succeed())
			g.Expect(configuration.Webhooks[0].ClientConfig.CABundle).To(Equal(secret.Data["ca.crt"]))
		}).WithContext(ctx).Should(Succeed())
		served(ctx)
	})

	It("restores each admission policy and its binding", func(ctx SpecContext) {
		for _, name := range []string{admission.DeletionProtectionName, admission.PermanentIDName, admission.FenceName, admission.BindingReferenceName} {
			for _, o := range []client.Object{
				&admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}},
				&admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}},
			} {
				Expect(hub.Client.Delete(ctx, o)).To(Succeed())
				Eventually(func() error { return hub.Client.Get(ctx, client.ObjectKeyFromObject(o), o) }).Should(Succeed(), "%T %s", o, name)
			}
		}
	})

	It("removes the configurations of webhooks that it does not serve", func(ctx SpecContext) {
		configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		configuration.Name = admission.ConfigurationName
		Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(configuration), configuration)).To(Succeed())
		before := configuration.UID
		_, err := admission.Off(running).Reconcile(ctx, reconcile.Request{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(configuration), configuration)).To(Succeed())
			g.Expect(configuration.UID).NotTo(Equal(before), "the running controller, which serves, made another one")
		}).WithContext(ctx).Should(Succeed())
		served(ctx)
	})

	It("renews the certificate before it ends", func(ctx SpecContext) {
		clock := clocktesting.NewFakeClock(time.Now())
		controller := admission.At(running, clock)
		secret := func() *corev1.Secret {
			s := &corev1.Secret{}
			Expect(running.Client.Get(ctx, client.ObjectKey{Namespace: names.SystemNamespace, Name: admission.SecretName}, s)).To(Succeed())
			return s
		}
		before := secret()
		result, err := controller.Reconcile(ctx, reconcile.Request{})
		Expect(err).NotTo(HaveOccurred())
		Expect(secret().ResourceVersion).To(Equal(before.ResourceVersion), "nothing is due")
		clock.Step(result.RequeueAfter)
		_, err = controller.Reconcile(ctx, reconcile.Request{})
		Expect(err).NotTo(HaveOccurred())
		after := secret()
		Expect(after.Data["tls.crt"]).NotTo(Equal(before.Data["tls.crt"]))
		Expect(after.Data["ca.crt"]).To(Equal(before.Data["ca.crt"]), "its authority is valid for longer")
		served(ctx) // the running controller, whose time is another one, makes a certificate for now
	})
})
