// SPDX-License-Identifier: Apache-2.0

// Package policies holds what the controllers of the two kinds of propagation policy
// share: the namespaced PropagationPolicy and the cluster-wide
// ClusterPropagationPolicy. It is the only package that distinguishes them.
package policies

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/objects"
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
	if wide[P]() {
		return "clusterpolicy"
	}
	return "policy"
}

// List reads all policies of type P; they must not be changed.
func List[P policyv1alpha1.Policy](ctx context.Context, c client.Reader) ([]P, error) {
	if wide[P]() {
		return objects.List[P](ctx, c, &policyv1alpha1.ClusterPropagationPolicyList{})
	}
	return objects.List[P](ctx, c, &policyv1alpha1.PropagationPolicyList{})
}

// ListFor reads the policies that objects of a namespace may go by: the cluster-wide
// ones, then those of the namespace if it is not empty. They must not be changed.
func ListFor(ctx context.Context, c client.Reader, namespace string, options ...client.ListOption) ([]policyv1alpha1.Policy, error) {
	all, err := objects.List[policyv1alpha1.Policy](ctx, c, &policyv1alpha1.ClusterPropagationPolicyList{}, options...)
	if err != nil || namespace == "" {
		return all, err
	}
	spaced, err := objects.List[policyv1alpha1.Policy](ctx, c, &policyv1alpha1.PropagationPolicyList{}, append(options, client.InNamespace(namespace))...)
	return append(all, spaced...), err
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

// wide reports whether P is the cluster-wide kind.
func wide[P policyv1alpha1.Policy]() bool {
	_, wide := any(New[P]()).(*policyv1alpha1.ClusterPropagationPolicy)
	return wide
}
