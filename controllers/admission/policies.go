// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// The names of the admission policies, which the API server evaluates itself, with and
// without webhooks.
const (
	// DeletionProtectionName is the policy that protects labeled objects from deletion.
	DeletionProtectionName = "deletion-protection.dragoman.io"
	// PermanentIDName is the policy that keeps the permanent ids of policies.
	PermanentIDName = "permanent-id.dragoman.io"
	// FenceName is the policy that asks who fences a cluster for a permission of its own.
	FenceName = "fence.dragoman.io"
	// BindingReferenceName is the policy that keeps bindings to objects of their namespace.
	BindingReferenceName = "binding-reference.dragoman.io"
)

// FenceVerb is what a role must allow on clusters.cluster.karmada.io, so that a user may
// fence a cluster and take that back.
const FenceVerb = "fence"

// admissionPolicies returns the admission policies, each with its binding.
func admissionPolicies() []client.Object {
	var all []client.Object
	for _, p := range []*admissionregistrationv1.ValidatingAdmissionPolicy{deletionProtection(), permanentID(), fence(), bindingReference()} {
		all = append(all, p, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: p.Name},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: p.Name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			},
		})
	}
	return all
}

// protectedMessage is the published sentence, which tools look for.
const protectedMessage = "This resource is protected, please make sure to remove the label: " + policyv1alpha1.DeletionProtectedLabel

// deletionProtection refuses the deletion of any object with the label.
func deletionProtection() *admissionregistrationv1.ValidatingAdmissionPolicy {
	p := admissionPolicy(DeletionProtectionName, admissionregistrationv1.Delete, []string{"*"}, []string{"*"}, []string{"*"})
	p.Spec.MatchConstraints.ObjectSelector.MatchLabels = map[string]string{policyv1alpha1.DeletionProtectedLabel: policyv1alpha1.DeletionProtectedAlways}
	p.Spec.Validations = []admissionregistrationv1.Validation{{
		Expression: "false", Reason: ptr.To(metav1.StatusReasonForbidden),
		Message: protectedMessage + " (metadata.labels has it with the value " + policyv1alpha1.DeletionProtectedAlways + ")",
	}}
	return p
}

// permanentID refuses to change or remove the permanent id of a propagation policy: who
// has the id of a policy can claim and release its templates.
func permanentID() *admissionregistrationv1.ValidatingAdmissionPolicy {
	p := admissionPolicy(PermanentIDName, admissionregistrationv1.Update,
		[]string{policyv1alpha1.GroupVersion.Group}, []string{policyv1alpha1.GroupVersion.Version}, []string{"propagationpolicies", "clusterpropagationpolicies"})
	for _, label := range []string{policyv1alpha1.PropagationPolicyPermanentIDLabel, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel} {
		l := celString(label)
		p.Spec.Validations = append(p.Spec.Validations, admissionregistrationv1.Validation{
			Reason: ptr.To(metav1.StatusReasonInvalid),
			Expression: fmt.Sprintf("!has(oldObject.metadata.labels) || !(%[1]s in oldObject.metadata.labels) || oldObject.metadata.labels[%[1]s] == '' || "+
				"(has(object.metadata.labels) && %[1]s in object.metadata.labels && object.metadata.labels[%[1]s] == oldObject.metadata.labels[%[1]s])", l),
			MessageExpression: fmt.Sprintf("'metadata.labels[%s]: the permanent ID ties the policy to its objects and never changes; restore the value ' + oldObject.metadata.labels[%s]", label, l),
		})
	}
	return p
}

// fence asks who adds or removes the taint of a fenced cluster for the permission to fence
// it: a wrong one starts a second copy of what still runs.
func fence() *admissionregistrationv1.ValidatingAdmissionPolicy {
	p := admissionPolicy(FenceName, admissionregistrationv1.Update, []string{clusterv1alpha1.GroupVersion.Group}, []string{clusterv1alpha1.GroupVersion.Version}, []string{"clusters"})
	rule := &p.Spec.MatchConstraints.ResourceRules[0]
	rule.Operations = append(rule.Operations, admissionregistrationv1.Create)
	fenced := "%[1]s != null && has(%[1]s.spec.taints) && %[1]s.spec.taints.exists(t, t.key == " + celString(binding.FencedTaint) + ")"
	p.Spec.Variables = []admissionregistrationv1.Variable{
		{Name: "before", Expression: fmt.Sprintf(fenced, "oldObject")},
		{Name: "after", Expression: fmt.Sprintf(fenced, "object")},
	}
	p.Spec.Validations = []admissionregistrationv1.Validation{{
		Reason: ptr.To(metav1.StatusReasonForbidden),
		Expression: fmt.Sprintf("variables.before == variables.after || authorizer.group(%s).resource('clusters').name(object.metadata.name).check('%s').allowed()",
			celString(clusterv1alpha1.GroupVersion.Group), FenceVerb),
		MessageExpression: fmt.Sprintf("'spec.taints: to add or remove the taint %s, a user needs the verb %s on the cluster ' + object.metadata.name + ', beside the permission to change it'",
			binding.FencedTaint, FenceVerb),
	}}
	return p
}

// bindingReference refuses a binding that refers to an object of another namespace: the
// manager would read it with its own rights, and send it where the binding says. What was
// stored before may change otherwise.
func bindingReference() *admissionregistrationv1.ValidatingAdmissionPolicy {
	p := admissionPolicy(BindingReferenceName, admissionregistrationv1.Update, []string{workv1alpha2.GroupVersion.Group}, []string{workv1alpha2.GroupVersion.Version}, []string{"resourcebindings", "clusterresourcebindings"})
	rule := &p.Spec.MatchConstraints.ResourceRules[0]
	rule.Operations = append(rule.Operations, admissionregistrationv1.Create)
	p.Spec.Variables = []admissionregistrationv1.Variable{
		{Name: "own", Expression: "has(object.metadata.namespace) ? object.metadata.namespace : ''"},
		{Name: "of", Expression: "has(object.spec.resource.namespace) ? object.spec.resource.namespace : ''"},
	}
	p.Spec.Validations = []admissionregistrationv1.Validation{{
		Reason:     ptr.To(metav1.StatusReasonForbidden),
		Expression: "variables.own == variables.of || oldObject != null && oldObject.spec.resource == object.spec.resource",
		Message: "spec.resource.namespace: a ResourceBinding is that of an object of its own namespace, and a ClusterResourceBinding that of one without a namespace; " +
			"controllers write bindings, and a PropagationPolicy has them do it",
	}}
	return p
}

func admissionPolicy(name string, operation admissionregistrationv1.OperationType, groups, versions, resources []string) *admissionregistrationv1.ValidatingAdmissionPolicy {
	return &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{}, MatchPolicy: ptr.To(admissionregistrationv1.Equivalent),
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{operation},
					Rule:       admissionregistrationv1.Rule{APIGroups: groups, APIVersions: versions, Resources: resources, Scope: ptr.To(admissionregistrationv1.AllScopes)},
				}}},
			},
		},
	}
}
