// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"bytes"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// HasReport reports whether the status of a binding has what one of its Works reports now of a
// copy whose state must survive: its health, its status and its state. The health is not known
// while its cluster cannot be reached, or has not applied the newest manifest, and a status that
// was left out because all are too large together does not come.
func HasReport(b workv1alpha2.Binding, w *workv1alpha1.Work) bool {
	if w.DeletionTimestamp != nil || !reportsState(w) {
		return true
	}
	now := itemOf(w, ClusterOf(w))
	if now.Status == nil && len(now.State) == 0 && now.Health == workv1alpha2.ResourceUnknown {
		return true // nothing of that could be carried over
	}
	stored := itemOn(b.GetStatus(), now.ClusterName)
	switch {
	case stored == nil, stored.Copy != "" && stored.Copy != w.UID:
		return false
	case now.Applied && stored.Health != now.Health && !Unreachable(stored):
		return false
	case runsUnapplied(w):
		if _, takes, err := tookOverUnapplied(b, []workv1alpha1.Work{*w}); err == nil && takes {
			return false // that the copy has taken over its state is not noted yet
		}
	}
	return maps.Equal(stored.State, now.State) && sameStatus(b.GetStatus().AggregatedStatus, stored, now.Status)
}

// Unread reports whether something of the report of a healthy copy in a Work would be lost if the
// newer one in it as it is after were written over it now: its binding does not have it yet.
// Observe returns the state that an item reports.
//
// What is lost is state, or the sign that the copy has taken over the one that it was made with.
func Unread(b workv1alpha2.Binding, before, after *workv1alpha1.Work, observe func(*workv1alpha2.AggregatedStatusItem) (Report, error)) (bool, error) {
	reported := before.Status.ManifestStatuses
	if len(reported) == 0 || reported[0].Health != workv1alpha2.ResourceHealthy || !WantsState(b) || HasReport(b, before) {
		return false, nil
	}
	cluster := ClusterOf(before)
	old, now := workv1alpha2.AggregatedStatusItem(itemOf(before, cluster)), workv1alpha2.AggregatedStatusItem(itemOf(after, cluster))
	old.Health = reported[0].Health // also of a generation before this one
	was, err := observe(&old)
	if err != nil {
		return false, err
	}
	is, err := observe(&now)
	if err != nil {
		return false, err
	}
	if _, pending := PendingState(b, cluster); pending {
		return !is.Healthy && !runsUnapplied(after), nil
	}
	last := Report{Cluster: cluster}
	if stored := itemOn(b.GetStatus(), cluster); stored != nil {
		if last, err = observe(stored); err != nil {
			return false, err
		}
	}
	return !is.Covers(&was) && IsNews(KeptStates(b), last, was), nil
}

// sameStatus reports whether one of the items has a status, or cannot have it beside the others.
func sameStatus(all []workv1alpha2.AggregatedStatusItem, stored *workv1alpha2.AggregatedStatusItem, now *runtime.RawExtension) bool {
	switch {
	case now == nil:
		return stored.Status == nil
	case stored.Status != nil:
		return bytes.Equal(stored.Status.Raw, now.Raw)
	}
	total := len(now.Raw)
	for i := range all {
		total += statusSize(&all[i]) + stateSize(&all[i])
	}
	return total > maxStatus
}

// SaidLast reports whether copies of a binding whose state must survive, and that are about to go
// for new ones, report anything else than before: the new ones begin with that, and wait for it.
func SaidLast(b workv1alpha2.Binding, before, now []workv1alpha2.AggregatedStatusItem) bool {
	if !WantsState(b) || !isMovedDirectly(b) {
		return false
	}
	evicting, was := Evicting(b.GetSpec()), &workv1alpha2.ResourceBindingStatus{AggregatedStatus: before}
	return slices.ContainsFunc(now, func(i workv1alpha2.AggregatedStatusItem) bool {
		return evicting[i.ClusterName] && !isTarget(b.GetSpec(), i.ClusterName) && !equality.Semantic.DeepEqual(itemOn(was, i.ClusterName), &i)
	})
}
