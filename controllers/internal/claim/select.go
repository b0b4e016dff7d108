// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/policies"
	"github.com/dragoman-io/dragoman/controllers/selector"
)

// Select returns the policy for a template: the one that claimed it, as long as that
// selects it, otherwise the best of those that do, or nil.
func Select(all []policyv1alpha1.Policy, template *unstructured.Unstructured) policyv1alpha1.Policy {
	if id := ID(template); id != "" {
		for _, p := range all {
			by, err := selects(p, template)
			if err == nil && by != selector.NoMatch && policies.PermanentID(p) == id && p.GetDeletionTimestamp() == nil {
				return p
			}
		}
	}
	return bestPolicy(all, template)
}

// InOtherVersion reports whether the policy that claimed a template selects it in
// another version of its kind and not in this one.
func InOtherVersion(holder policyv1alpha1.Policy, template *unstructured.Unstructured) bool {
	if holder.GetDeletionTimestamp() != nil || policies.PermanentID(holder) != ID(template) {
		return false
	}
	here, err := selects(holder, template)
	return err == nil && here == selector.NoMatch && selector.MatchesOtherVersion(holder.GetSpec().ResourceSelectors, template)
}
