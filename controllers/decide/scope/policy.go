// SPDX-License-Identifier: Apache-2.0

package scope

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// NewPolicy returns an empty policy of type P.
func NewPolicy[P policyv1alpha1.Policy]() P {
	var p P
	if _, wide := any(p).(*policyv1alpha1.ClusterPropagationPolicy); wide {
		return any(&policyv1alpha1.ClusterPropagationPolicy{}).(P)
	}
	return any(&policyv1alpha1.PropagationPolicy{}).(P)
}

// EmptyPolicy returns the empty policy of a name: cluster-wide where the namespace is empty.
func EmptyPolicy(namespace, name string) policyv1alpha1.Policy {
	if namespace == "" {
		return &policyv1alpha1.ClusterPropagationPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	return &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// Policies returns an empty policy of each kind.
func Policies() []policyv1alpha1.Policy {
	return []policyv1alpha1.Policy{&policyv1alpha1.PropagationPolicy{}, &policyv1alpha1.ClusterPropagationPolicy{}}
}

// PolicyController returns the name of the controller of the policies of type P, with the prefix of
// cluster-wide kinds.
func PolicyController[P policyv1alpha1.Policy]() string {
	if IsWidePolicy[P]() {
		return "clusterpolicy"
	}
	return "policy"
}

// PolicyFinalizer returns the finalizer of a policy.
func PolicyFinalizer(p policyv1alpha1.Policy) string {
	if p.GetNamespace() == "" {
		return policyv1alpha1.ClusterPropagationPolicyFinalizer
	}
	return policyv1alpha1.PropagationPolicyFinalizer
}

// PolicyIDLabel returns the label that holds the permanent id of a policy.
func PolicyIDLabel(p policyv1alpha1.Policy) string {
	if p.GetNamespace() == "" {
		return policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel
	}
	return policyv1alpha1.PropagationPolicyPermanentIDLabel
}

// PolicyID returns the permanent id of a policy, or "" as long as it has none.
func PolicyID(p policyv1alpha1.Policy) string { return p.GetLabels()[PolicyIDLabel(p)] }

// WaitsForOverrides returns the message of a policy that waits for override policies.
func WaitsForOverrides(p policyv1alpha1.Policy, missing []string) string {
	kind := "OverridePolicy"
	if p.GetNamespace() == "" {
		kind = "ClusterOverridePolicy"
	}
	return fmt.Sprintf("%s: spec.dependentOverrides: waits for %s %s; create it, or remove it from the list", PolicyTitle(p), kind, strings.Join(missing, ", "))
}

// EmptyOverride returns the empty override policy of a name: cluster-wide where the
// namespace is empty.
func EmptyOverride(namespace, name string) policyv1alpha1.Override {
	if namespace == "" {
		return &policyv1alpha1.ClusterOverridePolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	return &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// PolicyTitle returns kind and name of a policy for messages, as in PropagationPolicy space/p.
func PolicyTitle(p policyv1alpha1.Policy) string {
	if p.GetNamespace() == "" {
		return "ClusterPropagationPolicy " + p.GetName()
	}
	return "PropagationPolicy " + p.GetNamespace() + "/" + p.GetName()
}

// IsWidePolicy reports whether P is the cluster-wide kind.
func IsWidePolicy[P policyv1alpha1.Policy]() bool {
	_, wide := any(NewPolicy[P]()).(*policyv1alpha1.ClusterPropagationPolicy)
	return wide
}
