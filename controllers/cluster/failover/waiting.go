// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"cmp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// departure is that a binding leaves clusters.
type departure struct {
	// key is that of the binding; a ClusterResourceBinding has no namespace.
	key types.NamespacedName
	// priority is that of the binding; the higher goes first.
	priority int32
	// since is when the oldest of the taints that it leaves for was added.
	since time.Time
	// due is when the first cluster is left.
	due time.Time
	// clusters are those that are left when due.
	clusters []string
}

// compare returns the order in which departures that are due take place: by priority, then
// by the age of the taint, then by name.
func (d departure) compare(other departure) int {
	return cmp.Or(
		cmp.Compare(other.priority, d.priority), d.since.Compare(other.since),
		strings.Compare(d.key.Namespace, other.key.Namespace), strings.Compare(d.key.Name, other.key.Name))
}

// waiting are the departures that have not taken place, one for each binding. It holds
// nothing that bindings and clusters do not. The zero value is empty; it is not safe for
// several goroutines.
type waiting struct {
	all map[types.NamespacedName]departure
	// retries are those that failed, until they do not any more or are removed.
	retries map[types.NamespacedName]retry
}

// retry is when a departure that failed is tried again, and how often it failed.
type retry struct {
	after time.Time
	tries int
}

// set adds or replaces that of a binding.
func (w *waiting) set(d departure) {
	if w.all == nil {
		w.all = map[types.NamespacedName]departure{}
	}
	w.all[d.key] = d
}

// remove removes that of a binding.
func (w *waiting) remove(key types.NamespacedName) {
	delete(w.all, key)
	delete(w.retries, key)
}

// firstRetry and lastRetry bound the time after which an eviction that failed is tried
// again; it doubles with each try.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// postpone has the departure of a binding, which failed, wait before it is tried again.
// Others take their turn meanwhile.
func (w *waiting) postpone(key types.NamespacedName, now time.Time) {
	if w.retries == nil {
		w.retries = map[types.NamespacedName]retry{}
	}
	r, after := w.retries[key], firstRetry
	for i := 0; i < r.tries && after < lastRetry; i++ {
		after *= 2
	}
	w.retries[key] = retry{after: now.Add(min(after, lastRetry)), tries: r.tries + 1}
}

// next returns the departure whose turn it is. Without one, it returns the time until one
// is due; 0 where nothing waits.
func (w *waiting) next(now time.Time) (turn departure, found bool, wait time.Duration) {
	for _, d := range w.all {
		due := d.due
		if r := w.retries[d.key]; r.after.After(due) {
			due = r.after
		}
		left := due.Sub(now)
		switch {
		case left <= 0 && (!found || d.compare(turn) < 0):
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

// due returns how many departures are due, from which clusters, and how long it is until
// there are more; 0 where none will be.
func (w *waiting) due(now time.Time) (count int, clusters map[string]bool, more time.Duration) {
	clusters = map[string]bool{}
	for _, d := range w.all {
		if left := d.due.Sub(now); left > 0 {
			if more == 0 || left < more {
				more = left
			}
			continue
		}
		count++
		for _, name := range d.clusters {
			clusters[name] = true
		}
	}
	return count, clusters, more
}
