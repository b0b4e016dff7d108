// SPDX-License-Identifier: Apache-2.0

package watchdog

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

const (
	// window is how long a violation counts, and mostViolations is after how many
	// within it a pair is quarantined.
	window         = 10 * time.Minute
	mostViolations = 3
	// firstQuarantine doubles with each further one, up to longestQuarantine.
	firstQuarantine   = time.Minute
	longestQuarantine = time.Hour
	// mostPairs is how many pairs are remembered.
	mostPairs = 1024
)

// Pair is what a violation counts for: a rule, and whose object it was run on. Objects
// with a namespace share a pair, so that none is quarantined for an object of another
// namespace; an object without a namespace has a pair of its own.
type Pair struct {
	// Rule identifies the rule; it must be comparable. A rule that replaces another one
	// is another one.
	Rule any
	// Origin is where the rule comes from. A rule that replaces another one shares it.
	Origin string
	// Namespace is that of the object, and Name is set where it has none.
	Namespace, Name string
}

// Reason is why a task is refused; "" is not refused.
type Reason string

const (
	// Unended: an abandoned task of the pair has not ended.
	Unended Reason = "Unended"
	// Quarantined: the pair had too many violations.
	Quarantined Reason = "Quarantined"
	// Saturated: too many abandoned tasks have not ended, and the origin had a violation.
	Saturated Reason = "Saturated"
)

// Quarantine decides which pairs are not run after tasks of theirs were abandoned, which
// is a violation. It is not safe for many goroutines.
//
// A pair is refused while an abandoned task of it has not ended, and for a time after
// too many violations. A task that succeeds changes nothing: a script that ends on most
// objects would otherwise never be quarantined for the one on which it does not. Time
// alone does.
//
// While as many abandoned tasks as the process can bear have not ended, all pairs of the
// origins that had a violation are refused. They are told by origin here and not by rule,
// since whoever may replace a rule could otherwise add one such task with each new one.
//
// The pairs with violations are remembered up to mostPairs; then the one that would be
// clean first is forgotten. To have a pair forgotten takes a violation of each of as many
// other pairs. Who has these has no use for the one that is forgotten, which gains three
// violations at the price of a thousand.
type Quarantine struct {
	most    int
	pairs   map[Pair]*record
	origins map[string]int
	unended int
}

// record is what is remembered of a pair.
type record struct {
	// recent are the violations that count towards a quarantine.
	recent []time.Time
	// until is the end of the last quarantine, and quarantines is how many there were
	// with no more than window between them.
	until       time.Time
	quarantines int
	// unended is how many abandoned tasks have not ended.
	unended int
}

// NewQuarantine returns a quarantine for a process that bears so many abandoned tasks that
// have not ended.
func NewQuarantine(most int) *Quarantine {
	return &Quarantine{most: most, pairs: map[Pair]*record{}, origins: map[string]int{}}
}

// Pairs returns how many pairs are remembered. While it is 0, nothing is refused.
func (q *Quarantine) Pairs() int { return len(q.pairs) }

// Refuses reports whether a task of a pair must not be run, and until when if that is
// known.
func (q *Quarantine) Refuses(p Pair, now time.Time) (why Reason, until time.Time) {
	r := q.pairs[p]
	switch {
	case r != nil && r.unended > 0:
		return Unended, time.Time{}
	case r != nil && now.Before(r.until):
		return Quarantined, r.until
	case q.unended >= q.most && q.origins[p.Origin] > 0:
		return Saturated, time.Time{}
	}
	return "", time.Time{}
}

// Violated records that a task of a pair was abandoned. Ended must be called when it ends
// after all.
func (q *Quarantine) Violated(p Pair, now time.Time) {
	r := q.pairs[p]
	if r == nil {
		q.forget(now)
		r = &record{}
		q.pairs[p] = r
		q.origins[p.Origin]++
	}
	q.unended++
	r.unended++
	r.violate(now)
}

// Ended records that an abandoned task of a pair has ended.
func (q *Quarantine) Ended(p Pair) {
	q.unended--
	q.pairs[p].unended--
}

// violate records a violation. One soon after a quarantine leads to the next, longer one.
func (r *record) violate(now time.Time) {
	if now.Sub(r.until) > window {
		r.quarantines = 0
	}
	r.recent = slices.DeleteFunc(r.recent, func(at time.Time) bool { return now.Sub(at) > window })
	r.recent = append(r.recent, now)
	if r.quarantines == 0 && len(r.recent) < mostViolations {
		return
	}
	length := longestQuarantine
	if r.quarantines < 6 {
		length = firstQuarantine << r.quarantines
	}
	r.until, r.recent = now.Add(length), nil
	r.quarantines++
}

// clean returns the time from which on nothing of the record counts any more.
func (r *record) clean() time.Time {
	last := r.until
	if n := len(r.recent); n > 0 && r.recent[n-1].After(last) {
		last = r.recent[n-1]
	}
	return last.Add(window)
}

// forget drops the pairs that are clean, and one more if there are too many. It keeps
// those with a task that has not ended.
func (q *Quarantine) forget(now time.Time) {
	ended := func(p Pair) bool { return q.pairs[p].unended == 0 }
	for p, r := range q.pairs {
		if ended(p) && r.clean().Before(now) {
			q.drop(p)
		}
	}
	if len(q.pairs) < mostPairs {
		return
	}
	all := slices.SortedFunc(maps.Keys(q.pairs), func(a, b Pair) int {
		return cmp.Compare(q.pairs[a].clean().UnixNano(), q.pairs[b].clean().UnixNano())
	})
	if first := slices.IndexFunc(all, ended); first >= 0 {
		q.drop(all[first])
	}
}

func (q *Quarantine) drop(p Pair) {
	delete(q.pairs, p)
	if q.origins[p.Origin]--; q.origins[p.Origin] == 0 {
		delete(q.origins, p.Origin)
	}
}
