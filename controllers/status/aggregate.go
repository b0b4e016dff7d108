// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// aggregate returns one item for each Work that is not being deleted, sorted by
// cluster. A Work that is not applied says why, and its health is unknown.
func aggregate(works []workv1alpha1.Work) []workv1alpha2.AggregatedStatusItem {
	var items []workv1alpha2.AggregatedStatusItem
	for i := range works {
		w := &works[i]
		cluster, ok := names.Cluster(w.Namespace)
		if !ok || w.DeletionTimestamp != nil {
			continue
		}
		item := workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Health: workv1alpha2.ResourceUnknown}
		condition := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied)
		switch {
		case condition == nil:
		case condition.Status != metav1.ConditionTrue:
			item.AppliedMessage = condition.Message
		default:
			item.Applied = true
			if len(w.Status.ManifestStatuses) > 0 {
				item.Status, item.Health = w.Status.ManifestStatuses[0].Status.DeepCopy(), w.Status.ManifestStatuses[0].Health
			}
		}
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b workv1alpha2.AggregatedStatusItem) int { return strings.Compare(a.ClusterName, b.ClusterName) })
	return items
}

// fullyApplied reports whether the binding is applied in all clusters that it should be
// in, and in no other.
func fullyApplied(spec *workv1alpha2.ResourceBindingSpec, items []workv1alpha2.AggregatedStatusItem, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha2.FullyApplied, Status: metav1.ConditionTrue, Reason: workv1alpha2.FullyAppliedSuccessReason,
		Message: "All works have been successfully applied", ObservedGeneration: generation,
	}
	wanted := map[string]bool{}
	for i := range spec.Clusters {
		wanted[spec.Clusters[i].Name] = true
	}
	for i := range spec.RequiredBy {
		for _, t := range spec.RequiredBy[i].Clusters {
			wanted[t.Name] = true
		}
	}
	for i := range spec.GracefulEvictionTasks {
		if task := &spec.GracefulEvictionTasks[i]; task.PurgeMode.Canonical() != policyv1alpha1.PurgeModeDirectly {
			wanted[task.FromCluster] = true
		}
	}
	applied, left := 0, []string{}
	for i := range items {
		switch {
		case !wanted[items[i].ClusterName]:
			left = append(left, items[i].ClusterName)
		case items[i].Applied:
			applied++
		}
	}
	if len(wanted) > 0 && applied == len(wanted) && len(left) == 0 {
		return condition
	}
	condition.Status, condition.Reason = metav1.ConditionFalse, workv1alpha2.FullyAppliedFailedReason
	condition.Message = fmt.Sprintf("Applied in %d of %d clusters", applied, len(wanted))
	if len(left) > 0 {
		condition.Message += "; not gone yet from " + strings.Join(left, ", ")
	}
	return condition
}
