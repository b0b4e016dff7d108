// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// Constructor makes the queue of a controller by its name and its limiter.
type Constructor[R comparable] = func(string, workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R]

// Lead returns a constructor of queues whose objects leave a trail, about their subjects. The
// events of these objects themselves are what they are. A queue without priorities stays as it is.
func Lead[R comparable](of Constructor[R], t *Trail, about func(R) Subject) Constructor[R] {
	return trailing(of, &trailed[R]{trail: t, about: about})
}

// Follow is Lead for a controller that wakes up on what others write: an event of an object, of
// which the trail knows that it may be a consequence of the backlog, goes behind what users changed.
func Follow[R comparable](of Constructor[R], t *Trail, about func(R) Subject) Constructor[R] {
	return trailing(of, &trailed[R]{trail: t, about: about, follows: true})
}

func trailing[R comparable](of Constructor[R], like *trailed[R]) Constructor[R] {
	return func(name string, limiter workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R] {
		made := of(name, limiter)
		q, ok := made.(priorityqueue.PriorityQueue[R])
		if !ok {
			return made
		}
		return &trailed[R]{PriorityQueue: q, trail: like.trail, about: like.about, follows: like.follows, held: map[R]int{}}
	}
}

// trailed is a queue whose objects leave a trail.
type trailed[R comparable] struct {
	priorityqueue.PriorityQueue[R]
	trail   *Trail
	about   func(R) Subject
	follows bool

	mu sync.Mutex
	// held are the priorities of the objects in the hands of workers.
	held map[R]int
}

// Add adds an object on an event.
func (q *trailed[R]) Add(object R) { q.AddWithOpts(priorityqueue.AddOpts{}, object) }

// AddWithOpts adds objects, each at the priority of what it is a consequence of if that is less.
func (q *trailed[R]) AddWithOpts(o priorityqueue.AddOpts, objects ...R) {
	if !q.follows || o.Priority != nil && *o.Priority < 0 {
		q.PriorityQueue.AddWithOpts(o, objects...)
		return
	}
	for _, object := range objects {
		one := o
		if p := q.trail.priority(q.about(object)); p < 0 {
			one.Priority = &p
		}
		q.PriorityQueue.AddWithOpts(one, object)
	}
}

// GetWithPriority returns the next object, about which something is done from now on.
func (q *trailed[R]) GetWithPriority() (R, int, bool) {
	object, priority, shutdown := q.PriorityQueue.GetWithPriority()
	if shutdown {
		return object, priority, shutdown
	}
	q.mu.Lock()
	q.held[object] = priority
	q.mu.Unlock()
	q.trail.note(q.about(object), priority)
	return object, priority, false
}

// Get is GetWithPriority without the priority.
func (q *trailed[R]) Get() (R, bool) {
	object, _, shutdown := q.GetWithPriority()
	return object, shutdown
}

// Done is called when an object was reconciled; what was written last may show only now.
func (q *trailed[R]) Done(object R) {
	q.mu.Lock()
	priority := q.held[object]
	delete(q.held, object)
	q.mu.Unlock()
	q.trail.note(q.about(object), priority)
	q.PriorityQueue.Done(object)
}
