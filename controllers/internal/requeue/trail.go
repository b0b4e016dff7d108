// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

// derivedPriority is that of what the backlog has changed: behind all that users changed, and
// before the rest of the backlog, so that what was begun is finished first.
const derivedPriority = (handler.LowPriority + relatedPriority) / 2

// trailFor is how long an event may be a consequence of what a controller did.
const trailFor = 5 * time.Second

// Subject is what an object of a queue is about.
type Subject struct {
	kind string
	types.NamespacedName
}

// AboutBinding returns the subject of a binding; that of a ClusterResourceBinding has no namespace.
func AboutBinding(key types.NamespacedName) Subject { return Subject{"binding", key} }

// AboutWork returns the subject of a Work.
func AboutWork(key types.NamespacedName) Subject { return Subject{"work", key} }

// Trail remembers for some seconds with which priority controllers reconciled objects. What a
// controller writes while it works off the backlog is an event for the next one, which would
// reconcile it before its own backlog, beside what users change at that moment
// (RATIONALE.md, "Why does the backlog leave a trail?"). It is safe for many goroutines;
// nil remembers nothing.
type Trail struct {
	clock clock.PassiveClock

	mu      sync.Mutex
	steps   map[Subject]step
	sweepAt int
}

// step is the last that was done about a subject.
type step struct {
	until time.Time
	// priority is that at which it was done, 0 at most.
	priority int
}

// NewTrail returns an empty trail.
func NewTrail(clk clock.PassiveClock) *Trail {
	return &Trail{clock: clk, steps: map[Subject]step{}}
}

// Urgent has the events of a subject count as what they are for the next seconds, since something
// was done about it that must not wait behind the backlog.
func (t *Trail) Urgent(s Subject) { t.note(s, 0) }

// Pass has the events of an object count as a consequence of what was done about another one, as
// those of a Work that is about to be written for its binding.
func (t *Trail) Pass(from, to Subject) {
	if t != nil {
		t.note(to, t.priority(from))
	}
}

// note records that something is done about a subject. What is urgent stays so for its time.
func (t *Trail) note(s Subject, priority int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	if last, known := t.steps[s]; known && last.until.After(now) && last.priority > priority {
		return
	}
	t.steps[s] = step{now.Add(trailFor), min(priority, 0)}
	t.sweep(now)
}

// priority returns the priority of an event of a subject that says nothing of its own: 0, or less
// where it may be a consequence of the backlog.
func (t *Trail) priority(s Subject) int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known := t.steps[s]
	if !known || last.priority >= 0 || !last.until.After(t.clock.Now()) {
		return 0
	}
	return max(last.priority, derivedPriority)
}

// IsBacklog reports whether what was done last about a subject was done as backlog, or because of it.
func (t *Trail) IsBacklog(s Subject) bool { return t.priority(s) < 0 }

// sweep drops what is over, once there is twice as much as was left by the last time.
func (t *Trail) sweep(now time.Time) {
	const least = 1024
	if len(t.steps) < max(least, t.sweepAt) {
		return
	}
	for s, last := range t.steps {
		if !last.until.After(now) {
			delete(t.steps, s)
		}
	}
	t.sweepAt = 2 * len(t.steps)
}
