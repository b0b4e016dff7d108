// SPDX-License-Identifier: Apache-2.0

package status

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/features"
)

// named is how many clusters the message names.
const named = 10

// ready returns the condition Ready of a quota by the Works of its static assignments: whether each
// cluster that is assigned a part has its ResourceQuota as it is written there now. Enforced is whether
// what does not fit is refused.
func ready(q *policyv1alpha1.FederatedResourceQuota, works []*workv1alpha1.Work, enforced bool) metav1.Condition {
	applied := map[string]corev1.ResourceList{}
	for _, w := range works {
		if c := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied); c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == w.Generation {
			applied[binding.ClusterOf(w)] = hard(w)
		}
	}
	var missing []string
	assignments, again := quota.Assignments(&q.Spec)
	for _, a := range assignments {
		if is, ok := applied[a.ClusterName]; !ok || !equality.Semantic.DeepEqual(is, a.Hard) {
			missing = append(missing, a.ClusterName)
		}
	}
	condition := metav1.Condition{
		Type: policyv1alpha1.Ready, Status: metav1.ConditionTrue, Reason: policyv1alpha1.InForceReason, ObservedGeneration: q.Generation,
		Message: "The limit is in force",
	}
	if !enforced {
		condition.Reason = policyv1alpha1.CountedOnlyReason
		refused := "nothing is refused"
		if len(assignments) > 0 {
			refused = "only the clusters with a static assignment refuse something"
		}
		condition.Message = "What is used is counted, and " + refused + ": the feature gate " + string(features.FederatedQuotaEnforcement) + " is off"
	}
	var wrong []string
	if len(missing) > 0 {
		wrong = append(wrong, "The ResourceQuota is not applied in "+list(missing))
	}
	if len(again) > 0 {
		wrong = append(wrong, "spec.staticAssignments has several items of "+list(again)+", of which only the first is applied")
	}
	if len(wrong) > 0 {
		condition.Status, condition.Reason = metav1.ConditionFalse, policyv1alpha1.NotAssignedReason
		condition.Message = strings.Join(wrong, "; ")
	}
	return condition
}

// list names the first of some clusters, and how many the others are.
func list(clusters []string) string {
	n := len(clusters)
	text := strings.Join(clusters[:min(n, named)], ", ")
	if n > named {
		text += fmt.Sprintf(" and %d more", n-named)
	}
	return text
}

// hard returns the limits of the ResourceQuota in a Work.
func hard(w *workv1alpha1.Work) corev1.ResourceList {
	var q corev1.ResourceQuota
	if len(w.Spec.Workload.Manifests) != 1 || json.Unmarshal(w.Spec.Workload.Manifests[0].Raw, &q) != nil {
		return nil
	}
	return q.Spec.Hard
}
