// SPDX-License-Identifier: Apache-2.0

// Package policies holds what the controllers of the two kinds of propagation policy
// share: the namespaced PropagationPolicy and the cluster-wide
// ClusterPropagationPolicy. It is the only package that distinguishes them.
package policies

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// New returns an empty policy of type P.
func New[P policyv1alpha1.Policy]() P {
	var p P
	if _, wide := any(p).(*policyv1alpha1.ClusterPropagationPolicy); wide {
		return any(&policyv1alpha1.ClusterPropagationPolicy{}).(P)
	}
	return any(&policyv1alpha1.PropagationPolicy{}).(P)
}

// Empty returns the empty policy of a name: cluster-wide where the namespace is empty.
func Empty(namespace, name string) policyv1alpha1.Policy {
	if namespace == "" {
		return &policyv1alpha1.ClusterPropagationPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	return &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// Kinds returns an empty policy of each kind.
func Kinds() []policyv1alpha1.Policy {
	return []policyv1alpha1.Policy{&policyv1alpha1.PropagationPolicy{}, &policyv1alpha1.ClusterPropagationPolicy{}}
}

// Name returns the name of the controller of the policies of type P, with the prefix of
// cluster-wide kinds.
func Name[P policyv1alpha1.Policy]() string {
	if Wide[P]() {
		return "clusterpolicy"
	}
	return "policy"
}

// Finalizer returns the finalizer of a policy.
func Finalizer(p policyv1alpha1.Policy) string {
	if p.GetNamespace() == "" {
		return policyv1alpha1.ClusterPropagationPolicyFinalizer
	}
	return policyv1alpha1.PropagationPolicyFinalizer
}

// PermanentIDLabel returns the label that holds the permanent id of a policy.
func PermanentIDLabel(p policyv1alpha1.Policy) string {
	if p.GetNamespace() == "" {
		return policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel
	}
	return policyv1alpha1.PropagationPolicyPermanentIDLabel
}

// PermanentID returns the permanent id of a policy, or "" as long as it has none.
func PermanentID(p policyv1alpha1.Policy) string { return p.GetLabels()[PermanentIDLabel(p)] }

// MissingOverrides returns the override policies that a policy waits for, as its
// dependentOverrides name them: those of its namespace, or cluster-wide ones.
func MissingOverrides(ctx context.Context, c client.Reader, p policyv1alpha1.Policy) ([]string, error) {
	var missing []string
	for _, name := range p.GetSpec().DependentOverrides {
		o := EmptyOverride(p.GetNamespace(), name)
		err := c.Get(ctx, client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			missing = append(missing, name)
		} else if err != nil {
			return nil, fmt.Errorf("read override policy %s: %w", name, err)
		}
	}
	return missing, nil
}

// Waits returns the message of a policy that waits for override policies.
func Waits(p policyv1alpha1.Policy, missing []string) string {
	kind := "OverridePolicy"
	if p.GetNamespace() == "" {
		kind = "ClusterOverridePolicy"
	}
	return fmt.Sprintf("%s: spec.dependentOverrides: waits for %s %s; create it, or remove it from the list", Title(p), kind, strings.Join(missing, ", "))
}

// EmptyOverride returns the empty override policy of a name: cluster-wide where the
// namespace is empty.
func EmptyOverride(namespace, name string) client.Object {
	if namespace == "" {
		return &policyv1alpha1.ClusterOverridePolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	return &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// Title returns kind and name of a policy for messages, as in PropagationPolicy space/p.
func Title(p policyv1alpha1.Policy) string {
	if p.GetNamespace() == "" {
		return "ClusterPropagationPolicy " + p.GetName()
	}
	return "PropagationPolicy " + p.GetNamespace() + "/" + p.GetName()
}

// Wide reports whether P is the cluster-wide kind.
func Wide[P policyv1alpha1.Policy]() bool {
	_, wide := any(New[P]()).(*policyv1alpha1.ClusterPropagationPolicy)
	return wide
}
