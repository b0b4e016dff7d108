// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// named is how many templates that are not applied the message names.
const named = 3

// statusOf returns the status of a policy by the bindings that its claim names. Those that are being
// deleted do not count.
func statusOf(p policyv1alpha1.Policy, all []workv1alpha2.Binding) policyv1alpha1.PropagationStatus {
	status := *p.GetStatus().DeepCopy()
	old := meta.FindStatusCondition(status.Conditions, policyv1alpha1.Ready)
	said := old != nil && old.Status == metav1.ConditionTrue && old.ObservedGeneration == p.GetGeneration()
	status.ObservedGeneration, status.Templates, status.Applied = p.GetGeneration(), 0, 0
	var waiting []wait
	for _, b := range all {
		if b.GetDeletionTimestamp() != nil {
			continue
		}
		status.Templates++
		w := wait{b, binding.Ready(b)}
		if !said && !follows(b, p) {
			w.ready.Status, w.ready.Reason = metav1.ConditionUnknown, workv1alpha2.PendingReason
		}
		if w.ready.Status == metav1.ConditionTrue {
			status.Applied++
			continue
		}
		waiting = append(waiting, w)
	}
	ready := metav1.Condition{Type: policyv1alpha1.Ready, Status: metav1.ConditionTrue, ObservedGeneration: p.GetGeneration()}
	switch {
	case status.Templates == 0:
		ready.Reason, ready.Message = policyv1alpha1.NoTemplateReason, "No template is claimed"
	case len(waiting) == 0:
		ready.Reason, ready.Message = policyv1alpha1.ReadyReason, fmt.Sprintf("%d of %d templates are applied in all their clusters", status.Applied, status.Templates)
	default:
		slices.SortFunc(waiting, wait.compare)
		ready.Status, ready.Reason = waiting[0].ready.Status, waiting[0].ready.Reason
		ready.Message = fmt.Sprintf("%d of %d templates are applied in all their clusters; not so %s", status.Applied, status.Templates, list(waiting))
	}
	meta.SetStatusCondition(&status.Conditions, ready)
	return status
}

// follows reports whether the spec of a binding was made from the spec that its policy has. One
// whose template has not changed since need not, where the policy is activated lazily.
func follows(b workv1alpha2.Binding, p policyv1alpha1.Policy) bool {
	return b.GetAnnotations()[workv1alpha2.DeferredPolicyAnnotation] != "" || binding.Follows(b.GetSpec(), p.GetSpec())
}

// wait is a template that is not applied in all its clusters.
type wait struct {
	binding workv1alpha2.Binding
	ready   metav1.Condition
}

// compare puts first what failed, then what is not decided yet, each by namespace and name.
func (w wait) compare(other wait) int {
	return cmp.Or(
		cmp.Compare(w.ready.Status, other.ready.Status), // False, Unknown
		cmp.Compare(w.binding.GetNamespace(), other.binding.GetNamespace()),
		cmp.Compare(w.binding.GetName(), other.binding.GetName()),
	)
}

// list names the first templates with the reasons, and counts the others.
func list(all []wait) string {
	var texts []string
	for _, w := range all[:min(len(all), named)] {
		r := w.binding.GetSpec().Resource
		name := r.Name
		if r.Namespace != "" {
			name = r.Namespace + "/" + name
		}
		texts = append(texts, fmt.Sprintf("%s %s (%s)", r.Kind, name, w.ready.Reason))
	}
	if more := len(all) - named; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}
