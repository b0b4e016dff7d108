// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// Cause is why a policy does not apply to a template, in one word.
type Cause string

const (
	// Scope means that a namespaced policy goes before a cluster-wide one.
	Scope Cause = "Scope"
	// Priority means that the other policy has a higher spec.priority.
	Priority Cause = "Priority"
	// Selector means that the other policy names the template more closely.
	Selector Cause = "Selector"
	// Name means that the other policy has the smaller name.
	Name Cause = "Name"
	// Claimed means that the policy would be the better one, and the template stays with
	// the policy that claimed it first.
	Claimed Cause = "Claimed"
	// Preempts is Claimed for a policy that takes the template if preemption is enabled.
	Preempts Cause = "Preempts"
	// Deleting means that the policy is being deleted.
	Deleting Cause = "Deleting"
	// Malformed means that a selector of the policy cannot be read.
	Malformed Cause = "Malformed"
	// NotSelected means that the policy does not select the template.
	NotSelected Cause = "NotSelected"
)

// Lost is a policy that does not apply to a template.
type Lost struct {
	Policy policyv1alpha1.Policy
	Cause  Cause
	// Err is that of a malformed selector.
	Err error
}

// WhyLost returns why the policies other than the one that Select chose do not apply, in
// their order. chosen is nil if none does.
func WhyLost(all []policyv1alpha1.Policy, template *unstructured.Unstructured, chosen policyv1alpha1.Policy) []Lost {
	var lost []Lost
	for _, p := range all {
		if p != chosen {
			cause, err := whyLost(p, template, chosen)
			lost = append(lost, Lost{Policy: p, Cause: cause, Err: err})
		}
	}
	return lost
}

func whyLost(p policyv1alpha1.Policy, template *unstructured.Unstructured, chosen policyv1alpha1.Policy) (Cause, error) {
	by, err := selects(p, template)
	switch {
	case err != nil:
		return Malformed, err
	case by == selector.NoMatch:
		return NotSelected, nil
	case p.GetDeletionTimestamp() != nil:
		return Deleting, nil
	case chosen == nil:
		return "", nil
	}
	chosenBy, err := selects(chosen, template)
	if err != nil {
		return "", err
	}
	cause, order := compare(p, by, chosen, chosenBy)
	switch {
	case order > 0:
		return cause, nil
	case len(preemptors([]policyv1alpha1.Policy{p}, template, chosen)) > 0:
		return Preempts, nil
	}
	return Claimed, nil
}
