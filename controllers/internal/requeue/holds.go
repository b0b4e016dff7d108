// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Holds remembers since when something about objects has not been done, such as that
// templates are not rendered because they are not admitted. It is safe for many goroutines;
// the zero value is ready.
type Holds struct {
	mu    sync.Mutex
	since map[types.NamespacedName]time.Time
}

// Hold records that an object is held, and returns how much of patience is left since it was
// held first.
func (h *Holds) Hold(key types.NamespacedName, patience time.Duration, now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	since, held := h.since[key]
	if !held {
		if h.since == nil {
			h.since = map[types.NamespacedName]time.Time{}
		}
		h.since[key], since = now, now
	}
	return patience - now.Sub(since)
}

// IsLate reports whether an object has been held for as long as patience.
func (h *Holds) IsLate(key types.NamespacedName, patience time.Duration, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	since, held := h.since[key]
	return held && now.Sub(since) >= patience
}

// Release records that an object is not held.
func (h *Holds) Release(key types.NamespacedName) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.since, key)
}

// Among returns the requests of objects that are held.
func (h *Holds) Among(all []reconcile.Request) []reconcile.Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(all, func(r reconcile.Request) bool {
		_, held := h.since[r.NamespacedName]
		return !held
	})
}
