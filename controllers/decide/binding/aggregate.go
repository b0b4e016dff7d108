// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Aggregate returns one item for each Work that is not being deleted, sorted by
// cluster.
//
// A Work that could not be applied carries the reason, and its health is unknown. So is
// that of one whose current generation has not been applied yet, and that in a cluster
// that unreachable reports: what is known is about something else, or from before. Their
// status stays, since that is what runs, or did; of one that could not be applied only where
// state must survive. A nil unreachable reports none.
func Aggregate(works []workv1alpha1.Work, unreachable func(cluster string) bool) []workv1alpha2.AggregatedStatusItem {
	var items []workv1alpha2.AggregatedStatusItem
	for i := range works {
		cluster, ok := names.Cluster(works[i].Namespace)
		if !ok || works[i].DeletionTimestamp != nil {
			continue
		}
		item := itemOf(&works[i], cluster)
		item.Finished = hasEnded(&works[i])
		if reportsState(&works[i]) {
			item.Copy, item.RestoredFrom = works[i].UID, works[i].Annotations[workv1alpha2.RestoredFromAnnotation]
		}
		if unreachable != nil && unreachable(cluster) {
			item.setUnreachable()
		}
		items = append(items, workv1alpha2.AggregatedStatusItem(item))
	}
	sortByCluster(items)
	return items
}

func sortByCluster(items []workv1alpha2.AggregatedStatusItem) {
	slices.SortFunc(items, func(a, b workv1alpha2.AggregatedStatusItem) int { return strings.Compare(a.ClusterName, b.ClusterName) })
}

// WithoutRefused returns items as they are aggregated into the status of a template: of a cluster that
// refused the newest manifest the refusal alone, as published. What runs there is of an older one.
func WithoutRefused(items []workv1alpha2.AggregatedStatusItem) []workv1alpha2.AggregatedStatusItem {
	shown := slices.Clone(items)
	for i := range shown {
		if item := &shown[i]; !item.Applied && !Expected(item) {
			item.Status, item.State = nil, nil
		}
	}
	return shown
}

// MadeOf reports whether some Work was made of a binding as it is. One that was applied then reports
// about it; that the binding changed and no Work did cannot be told from Works that are still to come.
func MadeOf(b workv1alpha2.Binding, works []workv1alpha1.Work) bool {
	generation := strconv.FormatInt(b.GetGeneration(), 10)
	return slices.ContainsFunc(works, func(w workv1alpha1.Work) bool {
		return w.DeletionTimestamp == nil && w.Annotations[workv1alpha2.BindingGenerationAnnotation] == generation
	})
}

type statusItem workv1alpha2.AggregatedStatusItem

// itemOf returns what one Work reports.
func itemOf(w *workv1alpha1.Work, cluster string) statusItem {
	item := statusItem{ClusterName: cluster, Health: workv1alpha2.ResourceUnknown}
	condition := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied)
	switch {
	case condition == nil:
		return item
	case condition.Status != metav1.ConditionTrue:
		item.AppliedMessage = condition.Message
		if !reportsState(w) {
			return item
		}
	case outdated(condition, w):
		item.AppliedMessage = outdatedMessage
	default:
		item.Applied = true
	}
	if len(w.Status.ManifestStatuses) > 0 {
		reported := &w.Status.ManifestStatuses[0]
		item.Status = reported.Status.DeepCopy()
		item.State = maps.Clone(reported.State)
		if item.Applied {
			item.Health, item.HealthReason = reported.Health, reported.HealthReason
		}
	}
	return item
}

// AppliedNow returns the condition Applied of a Work where it is about the Work as it is now; nil where
// nothing is reported of that yet.
func AppliedNow(w *workv1alpha1.Work) *metav1.Condition {
	c := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied)
	if c == nil || outdated(c, w) {
		return nil
	}
	return c
}

// outdated reports whether a condition is about an earlier generation of its Work. The
// published control plane writes no generation.
func outdated(condition *metav1.Condition, w *workv1alpha1.Work) bool {
	return condition.ObservedGeneration != 0 && condition.ObservedGeneration < w.Generation
}

const (
	// outdatedMessage is the message of an item whose Work has changed since it was
	// applied.
	outdatedMessage = "The current generation of the Work has not been applied yet"
	// unreachableMessage is the beginning of the message of an item whose cluster cannot
	// be reached.
	unreachableMessage = "ClusterUnreachable: "
)

func (i *statusItem) setUnreachable() {
	i.Health, i.HealthReason = workv1alpha2.ResourceUnknown, ""
	rest := "what is reported is from before"
	if i.AppliedMessage != "" {
		rest += "; " + i.AppliedMessage
	}
	i.AppliedMessage = unreachableMessage + rest
}

// Unreachable reports whether the health of an item is unknown because its cluster cannot
// be reached; its status is from before.
func Unreachable(item *workv1alpha2.AggregatedStatusItem) bool {
	return strings.HasPrefix(item.AppliedMessage, unreachableMessage)
}

// Expected reports whether an item is not applied because that has not been tried yet, or
// cannot be while the cluster is unreachable, and not because it failed.
func Expected(item *workv1alpha2.AggregatedStatusItem) bool {
	return Outdated(item) || Unreachable(item)
}

// Outdated reports whether the Work of an item has changed since it was applied: the next
// report is on its way.
func Outdated(item *workv1alpha2.AggregatedStatusItem) bool {
	return item.AppliedMessage == outdatedMessage
}

// Settled reports whether the Works say all that there is to say for now: each cluster
// that should have a copy has a Work, and what it dispatches was applied or could not be.
// Otherwise the next report is on its way.
func Settled(b workv1alpha2.Binding, works []workv1alpha1.Work) bool {
	reported := map[string]bool{}
	for i := range works {
		w := &works[i]
		cluster, ok := names.Cluster(w.Namespace)
		if !ok {
			continue
		}
		condition := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied)
		suspended := w.Spec.SuspendDispatching != nil && *w.Spec.SuspendDispatching
		if w.DeletionTimestamp != nil || !suspended && (condition == nil || outdated(condition, w)) {
			return false
		}
		reported[cluster] = true
	}
	for _, cluster := range CopiesOf(b.GetSpec()).WantedClusters() {
		if !reported[cluster] {
			return false
		}
	}
	return true
}
