// SPDX-License-Identifier: Apache-2.0

package override

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// candidate is a policy that may select an object.
type candidate struct {
	policy      policyv1alpha1.Override
	specificity selector.Specificity
}

// title names the policy, as Error.Policy.
func (c candidate) title() string {
	if c.policy.GetNamespace() == "" {
		return "ClusterOverridePolicy " + c.policy.GetName()
	}
	return "OverridePolicy " + c.policy.GetNamespace() + "/" + c.policy.GetName()
}

// inOrder returns the policies that select an object, in the order in which they are
// applied: those that select all of a kind, then those by labels, then those by name, each
// by the policies' names. The error is an *Error without a cluster.
func inOrder[P policyv1alpha1.Override](policies []P, object *unstructured.Unstructured) ([]candidate, error) {
	var all []candidate
	for _, p := range policies {
		c := candidate{policy: p}
		if err := c.match(object); err != nil {
			return nil, err
		}
		if c.specificity != selector.NoMatch {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.specificity, b.specificity), cmp.Compare(a.policy.GetName(), b.policy.GetName()))
	})
	return all, nil
}

// match sets how closely the policy names the object. Without selectors it names all, a
// namespaced one those of its namespace.
func (c *candidate) match(object *unstructured.Unstructured) error {
	if namespace := c.policy.GetNamespace(); namespace != "" && namespace != object.GetNamespace() {
		return nil
	}
	selectors := c.policy.GetSpec().ResourceSelectors
	if len(selectors) == 0 {
		c.specificity = selector.MatchAll
	}
	for i := range selectors {
		found, err := selector.Match(&selectors[i], object)
		if err != nil {
			return &Error{Policy: c.title(), Field: fmt.Sprintf("spec.resourceSelectors[%d].labelSelector", i), Err: err}
		}
		c.specificity = max(c.specificity, found)
	}
	return nil
}

// rule is a rule of a policy and its place there, such as spec.overrideRules[0].
type rule struct {
	path string
	*policyv1alpha1.RuleWithCluster
}

// rules returns the rules of a policy in their order. The form without overrideRules is one
// rule.
func rules(spec *policyv1alpha1.OverrideSpec) iter.Seq[rule] {
	return func(yield func(rule) bool) {
		if len(spec.OverrideRules) == 0 {
			yield(rule{"spec", &policyv1alpha1.RuleWithCluster{TargetCluster: spec.TargetCluster, Overriders: spec.Overriders}})
			return
		}
		for i := range spec.OverrideRules {
			if !yield(rule{fmt.Sprintf("spec.overrideRules[%d]", i), &spec.OverrideRules[i]}) {
				return
			}
		}
	}
}
