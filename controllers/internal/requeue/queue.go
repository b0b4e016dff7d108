// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

// backlogShare is how many objects of the backlog are reconciled for each one that waits
// for an event of its own, as a divisor: one in so many.
const backlogShare = 5

// NewQueue returns a queue that hands out what an event enqueued before the backlog, which
// has a lower priority, and that never lets the backlog starve: of what is handed out
// while objects of the backlog wait, at least one in backlogShare is the oldest of them.
// The limiter is that of the queue that it wraps.
func NewQueue[R comparable](inner priorityqueue.PriorityQueue[R], limiter workqueue.TypedRateLimiter[R], clk clock.PassiveClock) priorityqueue.PriorityQueue[R] {
	return &queue[R]{PriorityQueue: inner, limiter: limiter, clock: clk, waiting: map[R]time.Time{}, promoted: map[R]bool{}}
}

// queue wraps a priority queue. An object of the backlog whose turn has come is added once
// more with the priority of events: the queue takes the greater of two priorities, and
// puts the object behind those that have it already.
type queue[R comparable] struct {
	priorityqueue.PriorityQueue[R]
	limiter workqueue.TypedRateLimiter[R]
	clock   clock.PassiveClock

	mu sync.Mutex
	// waiting is when the objects of the backlog are due; order is the order in which
	// they were added, with some that do not wait any more.
	waiting map[R]time.Time
	order   []R
	// promoted are those whose turn has come, until they are handed out.
	promoted map[R]bool
	// passed counts what was handed out while the backlog waits.
	passed int
	// idle is the time before which none of the backlog is due.
	idle time.Time
}

// Add adds an object on an event of its own.
func (q *queue[R]) Add(object R) { q.AddWithOpts(priorityqueue.AddOpts{}, object) }

// AddWithOpts adds objects, those of a priority below 0 to the backlog.
func (q *queue[R]) AddWithOpts(o priorityqueue.AddOpts, objects ...R) {
	if o.Priority == nil || *o.Priority >= 0 {
		q.ownEvent(objects)
		q.PriorityQueue.AddWithOpts(o, objects...)
		return
	}
	for _, object := range objects {
		one := priorityqueue.AddOpts{After: q.after(o, object), Priority: o.Priority}
		q.wait(object, one.After)
		q.PriorityQueue.AddWithOpts(one, object)
	}
}

// ownEvent records that objects have an event of their own.
func (q *queue[R]) ownEvent(objects []R) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, object := range objects {
		delete(q.promoted, object)
	}
}

// after returns how long an object waits at least.
func (q *queue[R]) after(o priorityqueue.AddOpts, object R) time.Duration {
	if !o.RateLimited {
		return o.After
	}
	limited := q.limiter.When(object)
	if o.After > 0 {
		return min(o.After, limited)
	}
	return limited
}

// wait records that an object of the backlog waits; of two times the earlier counts.
func (q *queue[R]) wait(object R, after time.Duration) {
	due := q.clock.Now().Add(after)
	q.mu.Lock()
	defer q.mu.Unlock()
	before, waits := q.waiting[object]
	if !waits {
		q.order = append(q.order, object)
	}
	if !waits || due.Before(before) {
		q.waiting[object] = due
	}
	if due.Before(q.idle) {
		q.idle = due
	}
}

// GetWithPriority returns the next object. One of the backlog whose turn has come has the
// priority of the backlog all the same: so has it when it is retried.
func (q *queue[R]) GetWithPriority() (R, int, bool) {
	object, priority, shutdown := q.PriorityQueue.GetWithPriority()
	if shutdown {
		return object, priority, shutdown
	}
	if q.wasPromoted(object) {
		priority = min(priority, handler.LowPriority)
	}
	if next, ok := q.promote(object); ok {
		q.PriorityQueue.AddWithOpts(priorityqueue.AddOpts{}, next)
	}
	return object, priority, false
}

// wasPromoted reports whether an object that is handed out had its turn as one of the backlog.
func (q *queue[R]) wasPromoted(object R) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	was := q.promoted[object]
	delete(q.promoted, object)
	return was
}

// Get is GetWithPriority without the priority.
func (q *queue[R]) Get() (R, bool) {
	object, _, shutdown := q.GetWithPriority()
	return object, shutdown
}

// promote counts an object that is handed out, and returns that of the backlog whose turn
// it is, if there is one.
func (q *queue[R]) promote(handed R) (next R, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, waited := q.waiting[handed]; waited {
		delete(q.waiting, handed)
		q.passed = 0
		q.compact()
		return next, false
	}
	if len(q.waiting) == 0 {
		return next, false
	}
	if q.passed++; q.passed < backlogShare-1 {
		return next, false
	}
	return q.oldest()
}

// oldest removes the oldest object of the backlog that is due, and returns it.
func (q *queue[R]) oldest() (next R, ok bool) {
	now := q.clock.Now()
	if now.Before(q.idle) {
		return next, false
	}
	q.compact()
	var earliest time.Time
	for i, object := range q.order {
		due, waits := q.waiting[object]
		switch {
		case !waits:
		case !due.After(now):
			delete(q.waiting, object)
			q.order = slices.Delete(q.order, i, i+1)
			q.passed = 0
			q.promoted[object] = true
			return object, true
		case earliest.IsZero() || due.Before(earliest):
			earliest = due
		}
	}
	q.idle = earliest
	return next, false
}

// compact drops from order, at its front and if most of it is gone in all of it, what does
// not wait any more.
func (q *queue[R]) compact() {
	for len(q.order) > 0 {
		if _, waits := q.waiting[q.order[0]]; waits {
			break
		}
		q.order = q.order[1:]
	}
	if len(q.order) <= 2*len(q.waiting) {
		return
	}
	q.order = slices.DeleteFunc(q.order, func(object R) bool {
		_, waits := q.waiting[object]
		return !waits
	})
}
