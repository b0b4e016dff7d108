// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// HistoryAnnotation holds the last failovers of a binding: a JSON list of Record, the
// oldest first. It has no more than maxRecords and, however long these are, no more than
// maxHistory bytes.
const HistoryAnnotation = "failover.dragoman.io/history"

const (
	maxRecords = 10
	maxHistory = 8 << 10
)

// Outcome is how a failover ended; the zero value means that it has not.
type Outcome string

const (
	// Succeeded means that all copies were healthy, the new ones among them.
	Succeeded Outcome = "Succeeded"
	// NotReplaced means that no other cluster got a copy, and that those which the
	// application still had were healthy.
	NotReplaced Outcome = "NotReplaced"
	// Reverted means that the cluster that was left became a target again.
	Reverted Outcome = "Reverted"
	// TimedOut means that the old copy was given up before the new ones were healthy.
	TimedOut Outcome = "TimedOut"
	// Confirmed means that a user confirmed the deletion of the old copy before the new
	// ones were healthy.
	Confirmed Outcome = "Confirmed"
	// Superseded means that the new copy was evicted itself before it was healthy.
	Superseded Outcome = "Superseded"
)

// Outcomes are all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Succeeded, NotReplaced, Reverted, TimedOut, Confirmed, Superseded}
}

// Record describes one failover from one cluster, for people. Nothing is decided by it. A
// time that is nil has not come, or nobody saw when it came.
type Record struct {
	From string `json:"from"`
	// To are the clusters that got a copy, or more replicas, for it; empty until it is placed.
	To        []string                 `json:"to,omitempty"`
	Reason    string                   `json:"reason,omitempty"`
	Producer  string                   `json:"producer,omitempty"`
	Message   string                   `json:"message,omitempty"`
	PurgeMode policyv1alpha1.PurgeMode `json:"purgeMode,omitempty"`
	// State is what was carried over; nil means nothing.
	State *RecordedState `json:"state,omitempty"`

	// Detected is when the reason was first seen, such as that the application was
	// unhealthy.
	Detected *metav1.MicroTime `json:"detected,omitempty"`
	// Evicted is when the eviction was decided.
	Evicted *metav1.MicroTime `json:"evicted,omitempty"`
	// Placed is when the clusters in To were chosen.
	Placed *metav1.MicroTime `json:"placed,omitempty"`
	// Gone is when the old copy was seen to be gone. It is known only under Directly: with
	// the other modes the copy goes after the end.
	Gone *metav1.MicroTime `json:"gone,omitempty"`
	// Started is when the copies in To were seen to be applied.
	Started *metav1.MicroTime `json:"started,omitempty"`
	// Ended is when the failover ended, by Outcome.
	Ended   *metav1.MicroTime `json:"ended,omitempty"`
	Outcome Outcome           `json:"outcome,omitempty"`

	// others are fields that this version does not know. They are written back.
	others map[string]json.RawMessage
}

// RecordedState is the state that was carried over, bounded: a longer value ends with
// "…", and what is beyond maxEntries is only counted.
type RecordedState struct {
	// Time is when the state was collected.
	Time   *metav1.MicroTime `json:"time,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Values map[string]string `json:"values,omitempty"`
	// Omitted is how many labels and values are not recorded.
	Omitted int `json:"omitted,omitempty"`
}

// IsOpen reports whether the failover has not ended.
func (r *Record) IsOpen() bool { return r.Outcome == "" }

// Phase is one step of a failover.
type Phase string

const (
	// PhaseDetect is from the first sight of the reason until the eviction: what was
	// tolerated, and what waited beyond that.
	PhaseDetect Phase = "detect"
	// PhasePlace is from the eviction until other clusters were chosen.
	PhasePlace Phase = "place"
	// PhaseEvict is from the eviction until the old copy was gone.
	PhaseEvict Phase = "evict"
	// PhaseStart is from when the new copies could be created until they were applied.
	PhaseStart Phase = "start"
	// PhaseRecover is from then until the new copies were healthy.
	PhaseRecover Phase = "recover"
)

// Phases are all phases in their order.
func Phases() []Phase {
	return []Phase{PhaseDetect, PhasePlace, PhaseEvict, PhaseStart, PhaseRecover}
}

// Duration returns how long a phase took; false means that it has not ended, or that
// nobody saw its begin or its end.
func (r *Record) Duration(p Phase) (time.Duration, bool) {
	switch p {
	case PhaseDetect:
		return between(r.Detected, r.Evicted)
	case PhasePlace:
		return between(r.Evicted, r.Placed)
	case PhaseEvict:
		return between(r.Evicted, r.Gone)
	case PhaseStart:
		return between(later(r.Placed, r.Gone), r.Started)
	case PhaseRecover:
		if r.Outcome == Succeeded {
			return between(r.Started, r.Ended)
		}
	}
	return 0, false
}

// Running returns what an open failover waits for, in words that follow "the failover from
// member1".
func (r *Record) Running() string {
	to := strings.Join(r.To, ", ")
	switch {
	case r.Placed == nil:
		return "waits for a cluster"
	case r.Started != nil:
		return "waits until the copy in " + to + " is healthy"
	case r.PurgeMode == policyv1alpha1.PurgeModeDirectly && r.Gone == nil:
		return "waits until the old copy is gone, before the one in " + to + " is created"
	}
	return "waits until the copy in " + to + " is applied"
}

func between(from, to *metav1.MicroTime) (time.Duration, bool) {
	if from == nil || to == nil || to.Before(from) {
		return 0, false
	}
	return to.Sub(from.Time), true
}

func later(a, b *metav1.MicroTime) *metav1.MicroTime {
	if a == nil || b != nil && a.Before(b) {
		return b
	}
	return a
}

// History returns the failovers of a binding, the oldest first; an annotation that cannot
// be parsed counts as none.
func History(b workv1alpha2.Binding) []Record {
	all, err := ParseHistory(b)
	if err != nil {
		return nil
	}
	return all
}

// ParseHistory is History with the error of an annotation that cannot be parsed.
func ParseHistory(b workv1alpha2.Binding) ([]Record, error) {
	var all []Record
	if err := note(HistoryAnnotation).read(b, &all); err != nil {
		return nil, err
	}
	return all, nil
}

// SetHistory writes the annotation, without the oldest records where they are too many or
// too long, or removes it where there is none.
func SetHistory(b workv1alpha2.Binding, all []Record) error {
	if len(all) == 0 {
		return note(HistoryAnnotation).write(b, nil, true)
	}
	raw, err := bounded(all[max(0, len(all)-maxRecords):])
	if err != nil {
		return fmt.Errorf("write %s: %w", HistoryAnnotation, err)
	}
	return note(HistoryAnnotation).write(b, json.RawMessage(raw), false)
}

// bounded returns the newest records as JSON, as many as fit. Of the newest one the state
// and what this version does not know are left out if even that is too long.
func bounded(all []Record) ([]byte, error) {
	for {
		raw, err := json.Marshal(all)
		switch {
		case err != nil || len(raw) <= maxHistory:
			return raw, err
		case len(all) > 1:
			all = all[1:]
		default:
			last := all[0]
			last.others = nil
			if last.State != nil {
				last.State = &RecordedState{Time: last.State.Time, Omitted: len(last.State.Labels) + len(last.State.Values) + last.State.Omitted}
			}
			return json.Marshal([]Record{last})
		}
	}
}

// plainRecord is a Record without its methods.
type plainRecord Record

// MarshalJSON writes the fields that this version does not know beside those that it does.
func (r Record) MarshalJSON() ([]byte, error) {
	known, err := json.Marshal(plainRecord(r))
	if err != nil || len(r.others) == 0 {
		return known, err
	}
	all := maps.Clone(r.others)
	if err := json.Unmarshal(known, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// recordFields are the fields of a Record as they are written.
var recordFields = []string{
	"from", "to", "reason", "producer", "message", "purgeMode", "state",
	"detected", "evicted", "placed", "gone", "started", "ended", "outcome",
}

// UnmarshalJSON keeps the fields that this version does not know. Mostly there are none, and nothing is
// parsed twice.
func (r *Record) UnmarshalJSON(raw []byte) error {
	var known plainRecord
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&known); err == nil {
		*r = Record(known)
		return nil
	}
	known = plainRecord{}
	if err := json.Unmarshal(raw, &known); err != nil {
		return err
	}
	*r = Record(known)
	if err := json.Unmarshal(raw, &r.others); err != nil {
		return err
	}
	for _, name := range recordFields {
		delete(r.others, name)
	}
	if len(r.others) == 0 {
		r.others = nil
	}
	return nil
}
