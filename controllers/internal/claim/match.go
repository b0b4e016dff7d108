// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// specificity reports how closely a selector names an object; higher is closer.
type specificity int

const (
	noMatch specificity = iota
	matchAll
	matchLabels
	matchName
)

// selects reports how closely a policy's selectors name an object. A namespaced policy
// sees only its own namespace.
func selects(policy policyv1alpha1.Policy, object *unstructured.Unstructured) (specificity, error) {
	if space := policy.GetNamespace(); space != "" && object.GetNamespace() != space {
		return noMatch, nil
	}
	best := noMatch
	for i := range policy.GetSpec().ResourceSelectors {
		c, err := match(&policy.GetSpec().ResourceSelectors[i], object)
		if err != nil {
			return noMatch, fmt.Errorf("spec.resourceSelectors[%d]: %w", i, err)
		}
		best = max(best, c)
	}
	return best, nil
}

// selectsOtherVersion reports whether a policy selects an object in another version of its
// kind.
func selectsOtherVersion(policy policyv1alpha1.Policy, object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	for _, s := range policy.GetSpec().ResourceSelectors {
		if schema.FromAPIVersionAndKind(s.APIVersion, s.Kind).GroupKind() != kind.GroupKind() {
			continue
		}
		s.APIVersion = object.GetAPIVersion()
		if by, err := match(&s, object); err == nil && by != noMatch {
			return true
		}
	}
	return false
}

// match compares apiVersion and kind exactly, then the namespace where the selector
// has one, then the name or else the labels.
func match(s *policyv1alpha1.ResourceSelector, object *unstructured.Unstructured) (specificity, error) {
	if s.APIVersion != object.GetAPIVersion() || s.Kind != object.GetKind() {
		return noMatch, nil
	}
	if s.Namespace != "" && s.Namespace != object.GetNamespace() {
		return noMatch, nil
	}
	if s.Name != "" {
		if s.Name == object.GetName() {
			return matchName, nil
		}
		return noMatch, nil
	}
	if s.LabelSelector == nil {
		return matchAll, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(s.LabelSelector)
	if err != nil {
		return noMatch, err
	}
	if selector.Matches(labels.Set(object.GetLabels())) {
		return matchLabels, nil
	}
	return noMatch, nil
}

// choose returns the policy that an unclaimed object goes by, nil where none selects
// it: a namespaced policy before a cluster-wide one, then the higher priority, the
// closer selector, the smaller name. Policies that are being deleted are passed
// over, and those with a selector that cannot be read.
func choose(policies []policyv1alpha1.Policy, object *unstructured.Unstructured) policyv1alpha1.Policy {
	var (
		best   policyv1alpha1.Policy
		bestBy specificity
	)
	for _, p := range policies {
		if p.GetDeletionTimestamp() != nil {
			continue
		}
		by, err := selects(p, object)
		if err != nil || by == noMatch {
			continue
		}
		if best == nil || before(p, by, best, bestBy) {
			best, bestBy = p, by
		}
	}
	return best
}

func before(a policyv1alpha1.Policy, aBy specificity, b policyv1alpha1.Policy, bBy specificity) bool {
	return cmp.Or(
		-cmp.Compare(namespacedFirst(a), namespacedFirst(b)),
		-cmp.Compare(priority(a), priority(b)),
		-cmp.Compare(aBy, bBy),
		cmp.Compare(a.GetName(), b.GetName()),
	) < 0
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
