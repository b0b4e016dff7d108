// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// waiting holds the Works that wait for an event of their cluster. It is safe for many
// goroutines; the zero value is ready.
type waiting struct {
	mu       sync.Mutex
	clusters map[string]*waiters
	// tries counts how often a Work was tried that waits for what its cluster lacks.
	tries memory.Of[types.NamespacedName, int]
}

// waiters are the Works of one cluster that wait.
type waiters struct {
	// events counts those of the cluster.
	events int
	works  map[types.NamespacedName]bool
}

func (w *waiting) of(cluster string) *waiters {
	if w.clusters == nil {
		w.clusters = map[string]*waiters{}
	}
	if w.clusters[cluster] == nil {
		w.clusters[cluster] = &waiters{works: map[types.NamespacedName]bool{}}
	}
	return w.clusters[cluster]
}

// events returns how many events the cluster had. It is read before the state of the
// cluster is.
func (w *waiting) events(cluster string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of(cluster).events
}

// add has a Work wait for the next event of its cluster. It returns false if there was one
// since that many: then the Work must be tried again.
func (w *waiting) add(cluster string, work types.NamespacedName, events int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.of(cluster)
	if of.events != events {
		return false
	}
	of.works[work] = true
	return true
}

// wake returns the Works of a cluster that wait, which do so no longer.
func (w *waiting) wake(cluster string) []types.NamespacedName {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.of(cluster)
	of.events++
	works := slices.Collect(maps.Keys(of.works))
	clear(of.works)
	for _, work := range works {
		w.tries.Forget(work)
	}
	return works
}

// drop ends the waiting of a Work.
func (w *waiting) drop(cluster string, work types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.of(cluster).works, work)
	w.tries.Forget(work)
}

// arrived begins the tries of a Work anew.
func (w *waiting) arrived(work types.NamespacedName) {
	w.tries.Forget(work)
}

const (
	// firstTry and lastTry bound the time between two tries of a Work that waits for what
	// its cluster lacks. Most are woken by an event before; the first tries follow a CRD,
	// which is served a little after its event.
	firstTry, lastTry = 10 * time.Millisecond, 5 * time.Minute
)

// try returns when to try a Work again that waits for what its cluster lacks.
func (w *waiting) try(work types.NamespacedName) time.Duration {
	tried := 0
	w.tries.Update(work, func(n int, _ bool) (int, bool) {
		tried = n
		return n + 1, true
	})
	return min(firstTry<<min(tried, 20), lastTry)
}
