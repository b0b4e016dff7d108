// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// FullyApplied returns the condition of this name: whether the binding is applied in all
// clusters that should have a copy, and in no other.
func FullyApplied(b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha2.FullyApplied, Status: metav1.ConditionTrue, Reason: workv1alpha2.FullyAppliedSuccessReason,
		Message: "All works have been successfully applied", ObservedGeneration: b.GetGeneration(),
	}
	p := placesOf(b.GetSpec(), items)
	if p.complete() {
		return condition
	}
	condition.Status, condition.Reason = metav1.ConditionFalse, workv1alpha2.FullyAppliedFailedReason
	if p.onlySuspended() {
		condition.Reason = workv1alpha2.FullyAppliedSuspendedReason
	}
	condition.Message = fmt.Sprintf("Applied in %d of %d clusters", p.applied, p.wanted)
	for _, part := range []struct {
		clusters []string
		text     string
	}{
		{p.suspended, "; dispatching is suspended in "},
		{p.staying, "; no cluster is assigned, and the copies stay in "},
		{p.leaving, "; not gone yet from "},
	} {
		if len(part.clusters) > 0 {
			condition.Message += part.text + list(part.clusters)
		}
	}
	return condition
}

// places are the clusters of a binding by what is missing there.
type places struct {
	wanted, applied int
	// suspended are clusters to which nothing is dispatched, and where something is
	// missing for that reason.
	suspended []string
	// staying have a copy although no cluster is assigned, leaving one that should go.
	staying, leaving []string
}

func placesOf(spec *workv1alpha2.ResourceBindingSpec, items []workv1alpha2.AggregatedStatusItem) places {
	copies := CopiesOf(spec)
	wanted := copies.WantedClusters()
	p := places{wanted: len(wanted)}
	applied := map[string]bool{}
	for i := range items {
		cluster := items[i].ClusterName
		switch {
		case !copies.Wanted(cluster):
			p.leaving = append(p.leaving, cluster)
		case !slices.Contains(wanted, cluster):
			p.staying = append(p.staying, cluster)
		case items[i].Applied:
			applied[cluster] = true
		}
	}
	p.applied = len(applied)
	for _, cluster := range wanted {
		if !applied[cluster] && Suspended(spec, cluster) {
			p.suspended = append(p.suspended, cluster)
		}
	}
	return p
}

func (p places) complete() bool {
	return p.wanted > 0 && p.applied == p.wanted && len(p.leaving) == 0 && len(p.staying) == 0
}

// onlySuspended reports whether nothing is missing but what is suspended.
func (p places) onlySuspended() bool {
	return len(p.suspended) > 0 && p.applied+len(p.suspended) == p.wanted && len(p.leaving) == 0 && len(p.staying) == 0
}

// Suspended reports whether nothing is dispatched to a cluster.
func Suspended(spec *workv1alpha2.ResourceBindingSpec, cluster string) bool {
	s := spec.Suspension
	if s == nil {
		return false
	}
	return s.Dispatching != nil && *s.Dispatching ||
		s.DispatchingOnClusters != nil && slices.Contains(s.DispatchingOnClusters.ClusterNames, cluster)
}
