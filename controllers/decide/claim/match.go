// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// selects returns how closely a policy's selectors name an object. A namespaced policy
// sees only its own namespace.
func selects(policy policyv1alpha1.Policy, object *unstructured.Unstructured) (selector.Specificity, error) {
	if namespace := policy.GetNamespace(); namespace != "" && object.GetNamespace() != namespace {
		return selector.NoMatch, nil
	}
	return selector.MatchAny(policy.GetSpec().ResourceSelectors, object)
}

// bestPolicy returns the policy for an unclaimed object, nil if none selects it: a
// namespaced policy before a cluster-wide one, then the higher priority, the closer
// selector, the smaller name. Policies that are being deleted are ignored, as are those
// with an invalid selector.
func bestPolicy(policies []policyv1alpha1.Policy, object *unstructured.Unstructured) policyv1alpha1.Policy {
	var (
		best   policyv1alpha1.Policy
		bestBy selector.Specificity
	)
	for _, p := range policies {
		if p.GetDeletionTimestamp() != nil {
			continue
		}
		by, err := selects(p, object)
		if err != nil || by == selector.NoMatch {
			continue
		}
		if best == nil || before(p, by, best, bestBy) {
			best, bestBy = p, by
		}
	}
	return best
}

func before(a policyv1alpha1.Policy, aBy selector.Specificity, b policyv1alpha1.Policy, bBy selector.Specificity) bool {
	_, order := compare(a, aBy, b, bBy)
	return order < 0
}

// compare orders two policies that select a template, the better first, and returns what
// decides.
func compare(a policyv1alpha1.Policy, aBy selector.Specificity, b policyv1alpha1.Policy, bBy selector.Specificity) (Cause, int) {
	if order := -cmp.Compare(namespacedFirst(a), namespacedFirst(b)); order != 0 {
		return Scope, order
	}
	if order := -cmp.Compare(priority(a), priority(b)); order != 0 {
		return Priority, order
	}
	if order := -cmp.Compare(aBy, bBy); order != 0 {
		return Selector, order
	}
	return Name, cmp.Compare(a.GetName(), b.GetName())
}

func namespacedFirst(p policyv1alpha1.Policy) int {
	if p.GetNamespace() != "" {
		return 1
	}
	return 0
}

func priority(p policyv1alpha1.Policy) int32 {
	if p.GetSpec().Priority == nil {
		return 0
	}
	return *p.GetSpec().Priority
}
