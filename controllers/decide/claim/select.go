// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// Choice is the policy that applies to a template.
type Choice struct {
	// Policy is nil if no policy applies.
	Policy policyv1alpha1.Policy
	// Preempted is the policy from which Policy takes the template; nil if from none.
	Preempted policyv1alpha1.Policy
}

// Select returns the policy for a template: the one that claimed it, as long as that
// selects it, otherwise the best of those that do. With preemption, a policy that
// preempts and outranks the one that claimed it goes before that.
func Select(all []policyv1alpha1.Policy, template *unstructured.Unstructured, preemption bool) Choice {
	current := holder(all, template)
	if current == nil {
		return Choice{Policy: bestPolicy(all, template)}
	}
	if preemption {
		if p := bestPolicy(preemptors(all, template, current), template); p != nil {
			return Choice{Policy: p, Preempted: current}
		}
	}
	return Choice{Policy: current}
}

// holder returns the policy that claimed a template and still selects it, or nil. The
// name counts and not the id, which is a label that whoever may edit a policy can copy
// from another.
func holder(all []policyv1alpha1.Policy, template *unstructured.Unstructured) policyv1alpha1.Policy {
	for _, p := range all {
		if !Names(template, p) || p.GetDeletionTimestamp() != nil {
			continue
		}
		if by, err := selects(p, template); err == nil && by != selector.NoMatch {
			return p
		}
	}
	return nil
}

// preemptors returns the policies that take a template away from the policy that claimed
// it: those that preempt, name the template, and outrank the other.
func preemptors(all []policyv1alpha1.Policy, template *unstructured.Unstructured, current policyv1alpha1.Policy) []policyv1alpha1.Policy {
	var found []policyv1alpha1.Policy
	for _, p := range all {
		if p.GetSpec().Preemption != policyv1alpha1.PreemptAlways || !outranks(p, current) {
			continue
		}
		if by, err := selects(p, template); err == nil && by == selector.MatchName {
			found = append(found, p)
		}
	}
	return found
}

// outranks reports whether a policy may preempt another: a namespaced one any that is
// cluster-wide, and of two of one kind the one of higher priority.
func outranks(a, b policyv1alpha1.Policy) bool {
	if first, second := namespacedFirst(a), namespacedFirst(b); first != second {
		return first > second
	}
	return priority(a) > priority(b)
}

// InOtherVersion reports whether the policy that claimed a template selects it in
// another version of its kind and not in this one.
func InOtherVersion(holder policyv1alpha1.Policy, template *unstructured.Unstructured) bool {
	if holder.GetDeletionTimestamp() != nil || scope.PolicyID(holder) != ID(template) {
		return false
	}
	here, err := selects(holder, template)
	return err == nil && here == selector.NoMatch && selector.MatchesOtherVersion(holder.GetSpec().ResourceSelectors, template)
}
