// SPDX-License-Identifier: Apache-2.0

// Package progress observes the workers of all controllers of a process: which controllers
// have started, and which objects are being reconciled since when. It knows neither the
// controllers nor what their objects are.
package progress

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Tracker records what the workers do. It is safe for many goroutines; nil records
// nothing.
type Tracker struct {
	// Clock must be set.
	Clock clock.PassiveClock

	mu sync.Mutex
	// started are the controllers that have a queue, and whether a worker of theirs has
	// asked it for an object: a worker does not before all sources of its controller
	// have synced.
	started map[string]bool
	held    map[work]time.Time
}

// work is an object in the hands of a worker.
type work struct {
	controller string
	object     any
}

// Expect records that a controller is starting.
func (t *Tracker) Expect(controller string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started == nil {
		t.started, t.held = map[string]bool{}, map[work]time.Time{}
	}
	t.started[controller] = false
}

// Started records that the workers of a controller run.
func (t *Tracker) Started(controller string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.started[controller] = true
}

// Begin records that a worker of an expected controller took an object.
func (t *Tracker) Begin(controller string, object any) {
	if t == nil {
		return
	}
	now := t.Clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held[work{controller, object}] = now
}

// End records that the worker is done with the object.
func (t *Tracker) End(controller string, object any) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.held, work{controller, object})
}

// Stuck returns an error that names the object that is being reconciled for longest if
// that is longer than the bound.
func (t *Tracker) Stuck(bound time.Duration) error {
	now := t.Clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	var (
		oldest work
		since  time.Time
		stuck  int
	)
	for w, at := range t.held {
		if now.Sub(at) <= bound {
			continue
		}
		stuck++
		if since.IsZero() || at.Before(since) {
			oldest, since = w, at
		}
	}
	if stuck == 0 {
		return nil
	}
	return fmt.Errorf("%d workers hang; one of controller %s has reconciled %v for %s", stuck, oldest.controller, oldest.object, now.Sub(since).Truncate(time.Second))
}

// Ready returns an error that names the controllers that have not started yet. As long as
// none is expected there is nothing to wait for, which is an error too.
func (t *Tracker) Ready() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.started) == 0 {
		return fmt.Errorf("no controller has started yet")
	}
	var waiting []string
	for name, started := range t.started {
		if !started {
			waiting = append(waiting, name)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	slices.Sort(waiting)
	return fmt.Errorf("the caches of controllers are not synced yet: %s", strings.Join(waiting, ", "))
}
