// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// ReadHealthy reads into the status of a binding, in memory, what its Works report of healthy copies
// and the status does not have yet, and reports whether there was any that the status will have. Whoever
// is about to evict a copy calls it first: a copy that was healthy has taken over the state that it was made with, and the time
// for which it is unhealthy begins anew. The status is written by its own controller, a little later.
// What the report before had and the newer one has not, such as the state of a job whose status is written
// again from its beginning, is kept in the annotations, as that controller does.
//
// A copy whose state must survive is read also where the newest manifest was not applied, or could not
// be: it runs on as it was.
func ReadHealthy(b workv1alpha2.Binding, works []workv1alpha1.Work, now time.Time) bool {
	read := false
	for i := range works {
		item := healthyItemOf(&works[i])
		if item == nil {
			continue
		}
		stored := itemOn(b.GetStatus(), item.ClusterName)
		has := stored != nil && HasReport(b, &works[i])
		if has && isHealthy(stored) {
			continue
		}
		// The health of an old manifest, or of a cluster that cannot be reached, never gets there.
		never := has && (runsUnapplied(&works[i]) || Unreachable(stored))
		if stored != nil && WantsState(b) && (stored.Copy == item.Copy || stored.Copy == "") {
			keepReplaced(b, stored, item, now)
		}
		putItem(b.GetStatus(), *item)
		read = read || !never
	}
	return read
}

// keepReplaced keeps the state that a report names and the newer one of the same copy does not. Until a
// copy has taken over a state, its own does not count.
func keepReplaced(b workv1alpha2.Binding, before, item *workv1alpha2.AggregatedStatusItem, now time.Time) {
	if _, pending := PendingState(b, item.ClusterName); pending {
		return
	}
	was, is := reportIn(b, before), reportIn(b, item)
	kept := Keep(KeptStates(b), []Report{was, is}, []Report{is}, func(string) bool { return true }, now)
	if fits, left, err := boundKept(kept); err == nil && len(left) == 0 {
		_, _ = SetKeptStates(b, fits)
	} // else what was kept before stays, as the condition StatePreserved says
}

// reportIn returns the state that an item has, by the rules of both sorts of failover.
func reportIn(b workv1alpha2.Binding, item *workv1alpha2.AggregatedStatusItem) Report {
	r := NewReport(item.ClusterName, isHealthy(item), item.State)
	for _, rules := range StateRulesOf(b.GetSpec().Failover) {
		labels, _ := ExtractState(rules.Rules, StatusOf(item))
		r.Add(rules.Rules, labels)
	}
	return r
}

// healthyItemOf returns what a Work reports of a healthy copy; nil where there is none, or it was asked
// to go.
func healthyItemOf(w *workv1alpha1.Work) *workv1alpha2.AggregatedStatusItem {
	items := Aggregate([]workv1alpha1.Work{*w}, nil) // none of a Work that is being deleted
	if len(items) == 0 {
		return nil
	}
	item := &items[0]
	if runsUnapplied(w) {
		item.Applied, item.AppliedMessage, item.Health = true, "", workv1alpha2.ResourceHealthy
	}
	if !isHealthy(item) {
		return nil
	}
	return item
}

// putItem puts an item into a status, in place of the one of its cluster.
func putItem(status *workv1alpha2.ResourceBindingStatus, item workv1alpha2.AggregatedStatusItem) {
	if stored := itemOn(status, item.ClusterName); stored != nil {
		*stored = item
		return
	}
	status.AggregatedStatus = append(status.AggregatedStatus, item)
	sortByCluster(status.AggregatedStatus)
}

// TakeOverUnapplied is TakeOver for the copies that are healthy although the newest manifest was not
// applied, or could not be: the status of their binding never has that.
func TakeOverUnapplied(b workv1alpha2.Binding, works []workv1alpha1.Work) (bool, error) {
	told, changed, err := tookOverUnapplied(b, works)
	if err != nil || !changed {
		return false, err
	}
	b.SetAnnotations(told.GetAnnotations())
	*b.GetSpec() = *told.GetSpec()
	return true, nil
}

// MayTakeOver reports whether some copy of a binding may have been made with a state.
func MayTakeOver(b workv1alpha2.Binding) bool {
	return b.GetAnnotations()[CarriedStateAnnotation] != "" || IsEvicting(b.GetSpec())
}

// tookOverUnapplied returns the binding as TakeOverUnapplied leaves it, and whether that is another.
func tookOverUnapplied(b workv1alpha2.Binding, works []workv1alpha1.Work) (told workv1alpha2.Binding, changed bool, _ error) {
	running := RunningUnapplied(works)
	if len(running) == 0 || !MayTakeOver(b) {
		return b, false, nil
	}
	told = b.DeepCopyObject().(workv1alpha2.Binding)
	for i := range works {
		if runsUnapplied(&works[i]) {
			putItem(told.GetStatus(), *healthyItemOf(&works[i]))
		}
	}
	changed, err := TakeOver(told, slices.Sorted(maps.Keys(running))...)
	return told, changed, err
}

// RunningUnapplied returns the clusters whose copies are reported healthy, and whose state must survive,
// although the newest manifest was not applied, or could not be.
func RunningUnapplied(works []workv1alpha1.Work) map[string]bool {
	var running map[string]bool
	for i := range works {
		if runsUnapplied(&works[i]) {
			if running == nil {
				running = map[string]bool{}
			}
			running[ClusterOf(&works[i])] = true
		}
	}
	return running
}

// runsUnapplied reports whether a Work reports a healthy copy whose state must survive although the
// newest manifest was not applied, or could not be.
func runsUnapplied(w *workv1alpha1.Work) bool {
	if reported := w.Status.ManifestStatuses; len(reported) == 0 || reported[0].Health != workv1alpha2.ResourceHealthy {
		return false
	}
	if ClusterOf(w) == "" || w.DeletionTimestamp != nil || !reportsState(w) {
		return false
	}
	c := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied)
	return c != nil && (c.Status != metav1.ConditionTrue || outdated(c, w))
}
