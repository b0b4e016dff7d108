// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// Holds remembers since when something about objects has not been done, such as that
// templates are not rendered because they are not admitted. It is safe for many goroutines;
// the zero value is ready.
type Holds struct {
	since memory.Of[types.NamespacedName, time.Time]
}

// Hold records that an object is held, and returns how much of patience is left since it was
// held first.
func (h *Holds) Hold(key types.NamespacedName, patience time.Duration, now time.Time) (left time.Duration) {
	h.since.Update(key, func(since time.Time, held bool) (time.Time, bool) {
		if !held {
			since = now
		}
		left = patience - now.Sub(since)
		return since, true
	})
	return left
}

// IsLate reports whether an object has been held for as long as patience.
func (h *Holds) IsLate(key types.NamespacedName, patience time.Duration, now time.Time) bool {
	since, held := h.since.Get(key)
	return held && now.Sub(since) >= patience
}

// Release records that an object is not held.
func (h *Holds) Release(key types.NamespacedName) { h.since.Forget(key) }

// Among returns the requests of objects that are held.
func (h *Holds) Among(all []reconcile.Request) []reconcile.Request {
	return slices.DeleteFunc(all, func(r reconcile.Request) bool {
		_, held := h.since.Get(r.NamespacedName)
		return !held
	})
}
