// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// The bounds of what a Record holds, so that a few of them fit.
const (
	// maxEntries is how many labels and values of a state are recorded.
	maxEntries = 16
	// maxRecordedValue and maxRecordedMessage are in bytes.
	maxRecordedValue   = 160
	maxRecordedMessage = 256
	// maxRecordedTargets is how many clusters are recorded in To.
	maxRecordedTargets = 10
)

// Observed holds when phases of running failovers were seen. No write of the binding holds
// these times, so that they are known only to the process that saw them.
type Observed struct {
	// Gone is when the copy in a cluster that is evicted Directly was first seen to be gone.
	Gone map[string]time.Time
	// Started is when the copy in a target was first seen to be applied.
	Started map[string]time.Time
}

// recordEviction adds a record of an eviction whose task is t and whose state was collected
// at a time. The failovers to the cluster that is evicted end: their new copies were not
// healthy.
func recordEviction(b workv1alpha2.Binding, e *Eviction, t *workv1alpha2.GracefulEvictionTask, collected time.Time) error {
	all := History(b)
	for i := range all {
		if all[i].IsOpen() && slices.Contains(all[i].To, e.Cluster) {
			all[i].end(Superseded, e.Time)
		}
	}
	return SetHistory(b, append(all, Record{
		From: e.Cluster, Reason: t.Reason, Producer: t.Producer, Message: clip(e.Message, maxRecordedMessage), PurgeMode: t.PurgeMode,
		State: recordedState(e.State, collected), Detected: microTime(e.Since), Evicted: microTime(e.Time),
	}))
}

// collectedAt returns when the state of a copy that is evicted at a time was collected: then,
// unless the copy was to take it over and has not.
func collectedAt(b workv1alpha2.Binding, cluster string, now time.Time) time.Time {
	for _, c := range CarriedStates(b) {
		if c.To == cluster {
			return c.Time.Time
		}
	}
	return now
}

func recordedState(s State, at time.Time) *RecordedState {
	if s.IsEmpty() {
		return nil
	}
	r := &RecordedState{Time: microTime(at)}
	r.Labels, r.Omitted = boundedEntries(s.Labels, maxEntries)
	values, omitted := boundedEntries(s.Values, maxEntries-len(r.Labels))
	r.Values, r.Omitted = values, r.Omitted+omitted
	return r
}

// boundedEntries returns the first entries by their keys, with values cut to their bound,
// and how many it left out.
func boundedEntries(of map[string]string, limit int) (kept map[string]string, omitted int) {
	keys := slices.Sorted(maps.Keys(of))
	for _, key := range keys[:min(len(keys), limit)] {
		if kept == nil {
			kept = map[string]string{}
		}
		kept[key] = clip(of[key], maxRecordedValue)
	}
	return kept, len(of) - len(kept)
}

// clip returns a text of no more than that many bytes; one that was cut ends with "…".
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const end = "…"
	return strings.ToValidUTF8(text[:limit-len(end)], "") + end
}

// RecordPlacement records that targets were chosen at a time, in the history of a binding
// that has them, for the failovers that wait for a cluster. before are the targets that it
// had. It changes nothing where no failover waits, or where none of the targets is new.
func RecordPlacement(b workv1alpha2.Binding, before []workv1alpha2.TargetCluster, now time.Time) error {
	all := History(b)
	changed := false
	for i := range all {
		r := &all[i]
		if !r.IsOpen() || r.Placed != nil && !slices.ContainsFunc(r.To, func(to string) bool { return !isTarget(b.GetSpec(), to) }) {
			continue
		}
		if to := replacements(b, r.From, before); len(to) > 0 {
			r.To, r.Placed, r.Started = to[:min(len(to), maxRecordedTargets)], microTime(now), nil
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return SetHistory(b, all)
}

// replacements returns the targets of a binding that replace its copy in a cluster: the one
// that gets the state from there, otherwise those that had none before, otherwise those
// that have more replicas.
func replacements(b workv1alpha2.Binding, from string, before []workv1alpha2.TargetCluster) []string {
	for _, c := range CarriedStates(b) {
		if c.From == from && c.To != "" && isTarget(b.GetSpec(), c.To) {
			return []string{c.To}
		}
	}
	had := map[string]int32{}
	for _, t := range before {
		had[t.Name] = t.Replicas
	}
	var joined, grown []string
	for _, t := range b.GetSpec().Clusters {
		replicas, target := had[t.Name]
		switch {
		case t.Name == from:
		case !target:
			joined = append(joined, t.Name)
		case t.Replicas > replicas:
			grown = append(grown, t.Name)
		}
	}
	if len(joined) > 0 {
		return joined
	}
	return grown
}

// HasRunningFailover reports whether a failover of a binding has not ended, by its history.
func HasRunningFailover(b workv1alpha2.Binding) bool {
	var all []struct {
		Outcome Outcome `json:"outcome"`
	}
	if err := note(HistoryAnnotation).read(b, &all); err != nil {
		return false
	}
	for i := range all {
		if all[i].Outcome == "" {
			return true
		}
	}
	return false
}

// HistoryDifference returns the failovers that began and those that ended between two
// versions of a binding, by their histories.
func HistoryDifference(before, after workv1alpha2.Binding) (began, ended []Record) {
	if before.GetAnnotations()[HistoryAnnotation] == after.GetAnnotations()[HistoryAnnotation] {
		return nil, nil
	}
	was := History(before)
	for _, r := range History(after) {
		i := slices.IndexFunc(was, func(w Record) bool { return w.From == r.From && w.Evicted.Equal(r.Evicted) })
		if i < 0 {
			began = append(began, r)
		}
		if !r.IsOpen() && (i < 0 || was[i].IsOpen()) {
			ended = append(ended, r)
		}
	}
	return began, ended
}

// AppliedTargets returns the targets of the running failovers of a binding whose copies are
// applied.
func AppliedTargets(b workv1alpha2.Binding) []string {
	var applied []string
	for _, r := range History(b) {
		for _, to := range r.To {
			if r.IsOpen() && isTarget(b.GetSpec(), to) && isAppliedIn(b, to) {
				applied = append(applied, to)
			}
		}
	}
	return applied
}

// Progress returns the history of a binding that a verdict has not been applied to yet, with
// what became of its failovers by the verdict: the phases that were seen until now, and how
// those ended that do. It reports whether any did; phases alone are worth no write.
func (v *Verdict) Progress(b workv1alpha2.Binding, seen Observed, now time.Time) (history []Record, ended bool) {
	history = History(b)
	for i := range history {
		r := &history[i]
		if !r.IsOpen() {
			continue
		}
		r.observe(b, seen, now)
		if outcome := v.outcome(b, r); outcome != "" {
			r.end(outcome, now)
			ended = true
		}
	}
	return history, ended
}

// observe sets the times of the phases that are over.
func (r *Record) observe(b workv1alpha2.Binding, seen Observed, now time.Time) {
	if gone, known := seen.Gone[r.From]; known && r.Gone == nil && r.sawGone(gone) {
		r.Gone = microTime(gone)
	}
	if r.Started != nil || r.Placed == nil {
		return
	}
	started := r.Placed.Time
	for _, to := range r.To {
		if !isTarget(b.GetSpec(), to) || !isAppliedIn(b, to) {
			return
		}
		at, known := seen.Started[to]
		if !known {
			at = now
		}
		if at.After(started) {
			started = at
		}
	}
	r.Started = microTime(started)
}

// sawGone reports whether a time when the old copy was seen to be gone is about this
// failover, and about when it went: a program that began after the new copy was started
// did not see that.
func (r *Record) sawGone(at time.Time) bool {
	return r.Evicted != nil && !at.Before(r.Evicted.Time) && (r.Started == nil || !at.After(r.Started.Time))
}

// outcome returns how a failover ends by a verdict, or "" where it goes on. The failover
// from a cluster that left the control plane has no task; it goes on until the copies are
// healthy.
func (v *Verdict) outcome(b workv1alpha2.Binding, r *Record) Outcome {
	spec, status := b.GetSpec(), b.GetStatus()
	restored := slices.ContainsFunc(v.Restore, func(t workv1alpha2.TargetCluster) bool { return t.Name == r.From })
	if restored || isTarget(spec, r.From) {
		return Reverted
	}
	well := len(spec.Clusters) > 0 && status.SchedulerObservedGeneration == b.GetGeneration() && all(spec, status, isHealthy)
	i := slices.IndexFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool { return t.FromCluster == r.From })
	switch {
	case i >= 0 && !slices.Contains(v.Done, r.From), i < 0 && !well:
		return ""
	case well && len(r.To) == 0:
		return NotReplaced
	case well:
		return Succeeded
	case spec.GracefulEvictionTasks[i].SuppressDeletion != nil:
		return Confirmed
	}
	return TimedOut
}

// end ends an open failover.
func (r *Record) end(outcome Outcome, now time.Time) {
	r.Outcome, r.Ended = outcome, microTime(now)
}

// isAppliedIn reports whether the copy in a cluster is reported as applied.
func isAppliedIn(b workv1alpha2.Binding, cluster string) bool {
	return slices.ContainsFunc(b.GetStatus().AggregatedStatus, func(item workv1alpha2.AggregatedStatusItem) bool {
		return item.ClusterName == cluster && item.Applied
	})
}

// microTime returns a time as it is recorded; nil for the zero time.
func microTime(t time.Time) *metav1.MicroTime {
	if t.IsZero() {
		return nil
	}
	return &metav1.MicroTime{Time: t.UTC().Truncate(time.Microsecond)}
}
