// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/policies"
)

type (
	spaced = *policyv1alpha1.PropagationPolicy
	wide   = *policyv1alpha1.ClusterPropagationPolicy
)

func TestKinds(t *testing.T) {
	near, far := policies.Empty("space", "p"), policies.Empty("", "p")
	far.SetLabels(map[string]string{policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: "id"})
	if _, ok := near.(spaced); !ok || near.GetNamespace() != "space" || near.GetName() != "p" {
		t.Errorf("a policy with a namespace is %T %s/%s", near, near.GetNamespace(), near.GetName())
	}
	if _, ok := far.(wide); !ok || far.GetName() != "p" {
		t.Errorf("a policy without a namespace is %T %s", far, far.GetName())
	}
	for _, tc := range []struct{ what, got, want string }{
		{"name", policies.Name[spaced](), "policy"},
		{"name", policies.Name[wide](), "clusterpolicy"},
		{"finalizer", policies.Finalizer(near), policyv1alpha1.PropagationPolicyFinalizer},
		{"finalizer", policies.Finalizer(far), policyv1alpha1.ClusterPropagationPolicyFinalizer},
		{"id label", policies.PermanentIDLabel(near), policyv1alpha1.PropagationPolicyPermanentIDLabel},
		{"id label", policies.PermanentIDLabel(far), policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel},
		{"id", policies.PermanentID(near), ""},
		{"id", policies.PermanentID(far), "id"},
	} {
		if tc.got != tc.want {
			t.Errorf("the %s is %q, want %q", tc.what, tc.got, tc.want)
		}
	}
	if a, b := policies.New[spaced](), policies.New[spaced](); a == b {
		t.Error("New returns the same policy twice")
	}
	if kinds := policies.Kinds(); len(kinds) != 2 {
		t.Errorf("there are %d kinds of policy", len(kinds))
	}
}
