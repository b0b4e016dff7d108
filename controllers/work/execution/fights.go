// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

const (
	// freeWrites is how often a field is written without a pause; after that the pause
	// doubles, from firstPause to lastPause.
	freeWrites            = 3
	firstPause, lastPause = time.Second, time.Minute
	// mostWrites is how often a field is written before it is left to the other writer.
	mostWrites = 5
	// peace is how long after a write it counts no more. It is longer than lastPause.
	peace = 2 * time.Minute
	// whole is the path of an object that is created.
	whole = "object"
)

// fights counts how often the fields of an object were written for the same manifest: more
// than once only if someone in the member sets them again. It is safe for many goroutines;
// the zero value is ready.
type fights struct {
	mu    sync.Mutex
	all   map[types.NamespacedName]map[identity]*fight
	swept time.Time
}

// fight holds the writes to an object for one manifest.
type fight struct {
	manifest string
	last     time.Time
	writes   map[string]int
}

// of returns the writes for a manifest that count still; nil if none do.
func (f *fights) of(work types.NamespacedName, id identity, manifest string, now time.Time) *fight {
	w := f.all[work][id]
	if w == nil || w.manifest != manifest || now.Sub(w.last) >= peace {
		return nil
	}
	return w
}

// pause returns how long to wait before fields are written again.
func (f *fights) pause(work types.NamespacedName, id identity, manifest string, fields []string, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.of(work, id, manifest, now)
	if w == nil {
		return 0
	}
	most := 0
	for _, field := range fields {
		most = max(most, w.writes[field])
	}
	if most < freeWrites {
		return 0
	}
	pause := min(firstPause<<min(most-freeWrites, 10), lastPause)
	return w.last.Add(pause).Sub(now)
}

// lost lists those of the fields that were written as often as they are to be.
func (f *fights) lost(work types.NamespacedName, id identity, manifest string, fields []string, now time.Time) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.of(work, id, manifest, now)
	if w == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return w.writes[field] < mostWrites || !leavable(field) })
}

// leavable reports whether a field may be left to another writer: all but those by which
// an object is known to be ours.
func leavable(field string) bool {
	return field != whole && !strings.Contains(field, ".karmada.io/") && !strings.Contains(field, workv1alpha2.ManagedLabel) &&
		!strings.Contains(field, workv1alpha2.OwnerAnnotation)
}

// wrote records that fields were written.
func (f *fights) wrote(work types.NamespacedName, id identity, manifest string, fields []string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sweep(now)
	w := f.of(work, id, manifest, now)
	if w == nil {
		w = &fight{manifest: manifest, writes: map[string]int{}}
		if f.all == nil {
			f.all = map[types.NamespacedName]map[identity]*fight{}
		}
		if f.all[work] == nil {
			f.all[work] = map[identity]*fight{}
		}
		f.all[work][id] = w
	}
	w.last = now
	for _, field := range fields {
		w.writes[field]++
	}
}

// sweep forgets what does not count any more.
func (f *fights) sweep(now time.Time) {
	if now.Sub(f.swept) < peace {
		return
	}
	f.swept = now
	for work, objects := range f.all {
		maps.DeleteFunc(objects, func(_ identity, w *fight) bool { return now.Sub(w.last) >= peace })
		if len(objects) == 0 {
			delete(f.all, work)
		}
	}
}

// forget forgets the writes for a Work.
func (f *fights) forget(work types.NamespacedName) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, work)
}
