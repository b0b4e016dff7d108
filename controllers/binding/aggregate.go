// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Aggregate returns one item for each Work that is not being deleted, sorted by
// cluster. A Work that is not applied carries the reason, and its health is unknown.
func Aggregate(works []workv1alpha1.Work) []workv1alpha2.AggregatedStatusItem {
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

// FullyApplied returns the condition of this name: whether the binding is applied in all
// clusters that should have a copy, and in no other.
func FullyApplied(b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha2.FullyApplied, Status: metav1.ConditionTrue, Reason: workv1alpha2.FullyAppliedSuccessReason,
		Message: "All works have been successfully applied", ObservedGeneration: b.GetGeneration(),
	}
	copies := CopiesOf(b.GetSpec())
	wanted := copies.WantedClusters()
	applied, staying, leaving := 0, []string{}, []string{}
	for i := range items {
		cluster := items[i].ClusterName
		switch {
		case !copies.Wanted(cluster):
			leaving = append(leaving, cluster)
		case !slices.Contains(wanted, cluster):
			staying = append(staying, cluster)
		case items[i].Applied:
			applied++
		}
	}
	if len(wanted) > 0 && applied == len(wanted) && len(leaving) == 0 && len(staying) == 0 {
		return condition
	}
	condition.Status, condition.Reason = metav1.ConditionFalse, workv1alpha2.FullyAppliedFailedReason
	condition.Message = fmt.Sprintf("Applied in %d of %d clusters", applied, len(wanted))
	if len(staying) > 0 {
		condition.Message += "; no cluster is assigned, and the copies stay in " + strings.Join(staying, ", ")
	}
	if len(leaving) > 0 {
		condition.Message += "; not gone yet from " + strings.Join(leaving, ", ")
	}
	return condition
}
