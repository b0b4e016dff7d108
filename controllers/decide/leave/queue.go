// SPDX-License-Identifier: Apache-2.0

package leave

import (
	"cmp"
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Queue holds the departures that have not taken place, one for each binding. It holds
// nothing that bindings and clusters do not. The zero value is empty; it is not safe for
// several goroutines.
type Queue struct {
	all map[types.NamespacedName]Departure
	// retries are those that failed, until they do not any more or are removed.
	retries map[types.NamespacedName]retry
	// turns counts those of all namespaces, and lastTurn has the number of the last of each of which
	// something waits, and of some more; one that is not there had none.
	turns    int
	lastTurn map[string]int
}

// retry is when a departure that failed is tried again, and how often it failed.
type retry struct {
	after time.Time
	tries int
}

// Set adds or replaces that of a binding.
func (q *Queue) Set(d Departure) {
	if q.all == nil {
		q.all = map[types.NamespacedName]Departure{}
	}
	q.all[d.Key] = d
}

// Remove removes that of a binding.
func (q *Queue) Remove(key types.NamespacedName) {
	delete(q.all, key)
	delete(q.retries, key)
}

// Took notes that a binding had a turn, which is one of its namespace.
func (q *Queue) Took(key types.NamespacedName) {
	if q.lastTurn == nil {
		q.lastTurn = map[string]int{}
	}
	q.turns++
	q.lastTurn[key.Namespace] = q.turns
	if len(q.lastTurn) > 2*len(q.all)+1 {
		waits := map[string]bool{}
		for waiting := range q.all {
			waits[waiting.Namespace] = true
		}
		maps.DeleteFunc(q.lastTurn, func(namespace string, _ int) bool { return !waits[namespace] })
	}
}

// firstRetry and lastRetry bound the time after which an eviction that failed is tried
// again; it doubles with each try.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// Postpone makes the departure of a binding, which failed, wait before it is tried again. Others
// take their turn meanwhile: the try was one of its namespace.
func (q *Queue) Postpone(key types.NamespacedName, now time.Time) {
	if q.retries == nil {
		q.retries = map[types.NamespacedName]retry{}
	}
	r, after := q.retries[key], firstRetry
	for i := 0; i < r.tries && after < lastRetry; i++ {
		after *= 2
	}
	q.Took(key)
	q.retries[key] = retry{after: now.Add(min(after, lastRetry)), tries: r.tries + 1}
}

// Next returns the departure whose turn it is. Without one, it returns the time until one
// is due; 0 where nothing waits.
func (q *Queue) Next(now time.Time) (turn Departure, found bool, wait time.Duration) {
	for _, d := range q.all {
		due := d.Due()
		if r := q.retries[d.Key]; r.after.After(due) {
			due = r.after
		}
		left := due.Sub(now)
		switch {
		case left <= 0 && (!found || q.compare(&d, &turn) < 0):
			turn, found = d, true
		case left > 0 && (wait == 0 || left < wait):
			wait = left
		}
	}
	if found {
		wait = 0
	}
	return turn, found, wait
}

// compare is the order of departures that are due: by priority, then the namespace whose last
// turn is the longest ago, then by the age of the taint, then by name.
func (q *Queue) compare(a, b *Departure) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority), cmp.Compare(q.lastTurn[a.Key.Namespace], q.lastTurn[b.Key.Namespace]),
		a.Since.Compare(b.Since), strings.Compare(a.Key.Namespace, b.Key.Namespace), strings.Compare(a.Key.Name, b.Key.Name))
}

// DueNow returns how many departures are due, from which clusters, and how long it is until
// there are more; 0 where none will be.
func (q *Queue) DueNow(now time.Time) (count int, clusters map[string]bool, more time.Duration) {
	clusters = map[string]bool{}
	for _, d := range q.all {
		if left := d.Due().Sub(now); left > 0 {
			if more == 0 || left < more {
				more = left
			}
			continue
		}
		count++
		for i := range d.Leaves {
			clusters[d.Leaves[i].Cluster] = true
		}
	}
	return count, clusters, more
}
