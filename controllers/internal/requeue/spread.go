// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"maps"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Rate is the number of objects enqueued per second: half of the requests that a manager
// may make by default, if each object needs one.
const Rate = 100

// interval is the time between two objects.
const interval = time.Second / Rate

// Queue is where objects are added to be reconciled after a while. Of two times for
// one object the earlier counts.
type Queue[R comparable] interface {
	AddAfter(object R, wait time.Duration)
}

// Spread adds objects to the backlog of a queue at no more than Rate, however many there are and
// however often they are added: an object that waits keeps its turn, and all others
// come after those that wait. It is safe for many goroutines.
type Spread[R comparable] struct {
	// Clock must be set.
	Clock clock.PassiveClock

	mu sync.Mutex
	// turns are the times of those that wait, and of some whose time has come; last
	// is the latest of all.
	turns map[R]time.Time
	last  time.Time
}

// Add adds objects, in their order.
func (s *Spread[R]) Add(queue Queue[R], objects []R) { s.AddAfter(queue, 0, objects) }

// AddAfter adds objects, in their order, the first of them after a while.
func (s *Spread[R]) AddAfter(queue Queue[R], wait time.Duration, objects []R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Clock.Now()
	maps.DeleteFunc(s.turns, func(_ R, turn time.Time) bool { return !turn.After(now) })
	if s.turns == nil {
		s.turns = map[R]time.Time{}
	}
	for _, o := range objects {
		turn, waits := s.turns[o]
		if !waits {
			turn = later(now.Add(wait), s.last.Add(interval))
			s.turns[o], s.last = turn, turn
		}
		// One that waits is added too: if an event enqueued it since, the queue has
		// dropped its turn.
		Backlog(queue, turn.Sub(now), o)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
