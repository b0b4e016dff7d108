// SPDX-License-Identifier: Apache-2.0

package scope_test

import (
	"testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

type (
	spacedPolicy = *policyv1alpha1.PropagationPolicy
	widePolicy   = *policyv1alpha1.ClusterPropagationPolicy
)

func TestPolicies(t *testing.T) {
	near, far := scope.EmptyPolicy("space", "p"), scope.EmptyPolicy("", "p")
	far.SetLabels(map[string]string{policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: "id"})
	if _, ok := near.(spacedPolicy); !ok || near.GetNamespace() != "space" || near.GetName() != "p" {
		t.Errorf("a policy with a namespace is %T %s/%s", near, near.GetNamespace(), near.GetName())
	}
	if _, ok := far.(widePolicy); !ok || far.GetName() != "p" {
		t.Errorf("a policy without a namespace is %T %s", far, far.GetName())
	}
	for _, tc := range []struct{ what, got, want string }{
		{"name", scope.PolicyController[spacedPolicy](), "policy"},
		{"name", scope.PolicyController[widePolicy](), "clusterpolicy"},
		{"finalizer", scope.PolicyFinalizer(near), policyv1alpha1.PropagationPolicyFinalizer},
		{"finalizer", scope.PolicyFinalizer(far), policyv1alpha1.ClusterPropagationPolicyFinalizer},
		{"id label", scope.PolicyIDLabel(near), policyv1alpha1.PropagationPolicyPermanentIDLabel},
		{"id label", scope.PolicyIDLabel(far), policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel},
		{"id", scope.PolicyID(near), ""},
		{"id", scope.PolicyID(far), "id"},
	} {
		if tc.got != tc.want {
			t.Errorf("the %s is %q, want %q", tc.what, tc.got, tc.want)
		}
	}
	if a, b := scope.NewPolicy[spacedPolicy](), scope.NewPolicy[spacedPolicy](); a == b {
		t.Error("New returns the same policy twice")
	}
	if kinds := scope.Policies(); len(kinds) != 2 {
		t.Errorf("there are %d kinds of policy", len(kinds))
	}
}
