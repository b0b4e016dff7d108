// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// renewAfter is the time after which the state of a copy that runs on without a target is
// collected again. Where a target is there already, it is collected at each report.
const renewAfter = 10 * time.Second

// Renewable returns the clusters that a binding is being evicted from Directly and whose
// copies run on, since nothing replaces them yet: their state is that of the first moment, and
// they make progress. One that is not healthy is among them while a new copy is about to come:
// what it reported in its last moment may not have been known when its eviction began. wait is
// the time until there may be another one; 0 means that only an event can change anything. The
// Works are all those of the binding.
func Renewable(b workv1alpha2.Binding, works []workv1alpha1.Work, now time.Time) (clusters []string, wait time.Duration) {
	going := map[string]bool{}
	for i := range works {
		going[ClusterOf(&works[i])] = works[i].DeletionTimestamp != nil
	}
	spec := b.GetSpec()
	for i := range spec.GracefulEvictionTasks {
		t := &spec.GracefulEvictionTasks[i]
		if !runsOn(b, t, going) {
			continue
		}
		switch left, renewable := renewIn(b, t.FromCluster, going, works, now); {
		case !renewable:
		case left <= 0:
			clusters = append(clusters, t.FromCluster)
		case wait == 0 || left < wait:
			wait = left
		}
	}
	return clusters, wait
}

// lastFrom returns the index of the newest state of the copy that is in a cluster, -1 for
// none: an older one is that of an earlier copy there, which has not been taken over yet.
func lastFrom(all []Carried, cluster string) int {
	for i, c := range slices.Backward(all) {
		if c.From == cluster && !c.Former {
			return i
		}
	}
	return -1
}

// runsOn reports whether a copy that is evicted Directly was not asked to go, and is healthy if
// the binding has no target. going has the clusters with Works, and whether each is being deleted.
func runsOn(b workv1alpha2.Binding, t *workv1alpha2.GracefulEvictionTask, going map[string]bool) bool {
	leaves, exists := going[t.FromCluster]
	if !isDirect(t) || t.SuppressDeletion != nil || !exists || leaves || isTarget(b.GetSpec(), t.FromCluster) {
		return false
	}
	_, pending := PendingState(b, t.FromCluster)
	return !pending && !handedOn(b, t.FromCluster) && (len(b.GetSpec().Clusters) > 0 || healthyIn(b.GetStatus().AggregatedStatus, t.FromCluster))
}

// handedOn reports whether the copy in a cluster was made with a state that another one gets now,
// since it was evicted before it had taken that over: what it reports itself is none to go on with.
func handedOn(b workv1alpha2.Binding, cluster string) bool {
	return slices.ContainsFunc(CarriedStates(b), func(c Carried) bool {
		return c.Made == cluster && !c.isOf(copyIn(b.GetStatus(), cluster))
	})
}

// renewIn returns how long the state of a copy that runs on is not collected again; it is
// not at all if another copy was made with it, also one that has taken it over since.
func renewIn(b workv1alpha2.Binding, cluster string, going map[string]bool, works []workv1alpha1.Work, now time.Time) (left time.Duration, renewable bool) {
	carried, homeless := CarriedStates(b), len(b.GetSpec().Clusters) == 0
	of := lastFrom(carried, cluster)
	if of < 0 {
		from := Carried{From: cluster, Copy: copyIn(b.GetStatus(), cluster)}
		return 0, homeless && !slices.ContainsFunc(works, func(w workv1alpha1.Work) bool {
			return strings.HasPrefix(w.Annotations[workv1alpha2.RestoredFromAnnotation], from.origin()+"/")
		})
	}
	if _, made := going[carried[of].To]; made && carried[of].To != "" {
		return 0, false
	}
	if !homeless {
		return 0, true
	}
	return renewAfter - now.Sub(carried[of].Time.Time), true
}

// PreservationOf returns the rules by which the state was collected of the copy that is
// evicted from a cluster; nil for none.
func PreservationOf(spec *workv1alpha2.ResourceBindingSpec, cluster string) *policyv1alpha1.StatePreservation {
	i := slices.IndexFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool { return t.FromCluster == cluster })
	f := spec.Failover
	switch {
	case i < 0 || f == nil:
		return nil
	case spec.GracefulEvictionTasks[i].Reason == workv1alpha2.EvictionReasonApplicationFailure:
		if f.Application != nil {
			return f.Application.StatePreservation
		}
	case f.Cluster != nil:
		return f.Cluster.StatePreservation
	}
	return nil
}

// Renew has the state that is carried over from a Renewable cluster be this one, which its
// copy reports now, and reports whether that changed anything. The task keeps the state of
// the moment when the eviction began. An empty state changes nothing, and neither does one that
// is too large, which is a CarriedSizeError.
func Renew(b workv1alpha2.Binding, cluster string, s State, now time.Time) (bool, error) {
	if s.IsEmpty() {
		return false, nil
	}
	all := CarriedStates(b)
	i := lastFrom(all, cluster)
	switch {
	case i < 0:
		all = append(slices.Clone(all), Carried{From: cluster, Copy: copyIn(b.GetStatus(), cluster), Copies: 1, Labels: s.Labels, Values: s.Values, Time: metav1.NewTime(now)})
	case maps.Equal(all[i].Labels, s.Labels) && maps.Equal(all[i].Values, s.Values):
		return false, nil
	default:
		all = slices.Clone(all)
		all[i].Labels, all[i].Values, all[i].Time = s.Labels, s.Values, metav1.NewTime(now)
	}
	fits, dropped, err := fitCarried(all)
	switch {
	case err != nil:
		return false, err
	case len(dropped) > 0:
		return false, dropped[0]
	}
	if err := SetCarriedStates(b, fits); err != nil {
		return false, err
	}
	history := History(b)
	for i := range history {
		if history[i].IsOpen() && history[i].From == cluster {
			history[i].State = recordedState(s, now)
		}
	}
	if len(history) == 0 {
		return true, nil
	}
	return true, SetHistory(b, history)
}
