// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// Hold returns a constructor of queues that keep their backlog until a channel is closed: what a
// start lists waits until what it needs is there. What an event enqueues does not wait. The channel
// is asked for when the queue is made; nil, or a queue without priorities, keeps nothing.
func Hold[R comparable](of Constructor[R], until func() <-chan struct{}) Constructor[R] {
	return func(name string, limiter workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R] {
		made := of(name, limiter)
		q, ok := made.(priorityqueue.PriorityQueue[R])
		ready := until()
		if !ok || ready == nil {
			return made
		}
		h := &holding[R]{PriorityQueue: q, kept: map[R]priorityqueue.AddOpts{}, ended: make(chan struct{})}
		go h.release(ready)
		return h
	}
}

// holding is a queue that keeps its backlog for a while.
type holding[R comparable] struct {
	priorityqueue.PriorityQueue[R]
	end   sync.Once
	ended chan struct{}

	mu sync.Mutex
	// kept is the backlog, and order its objects in the order in which they came, with some that are
	// not kept any more; kept is nil once it was released.
	kept  map[R]priorityqueue.AddOpts
	order []R
}

// Add adds an object on an event.
func (q *holding[R]) Add(object R) { q.AddWithOpts(priorityqueue.AddOpts{}, object) }

// AddWithOpts adds objects, or keeps those of the backlog.
func (q *holding[R]) AddWithOpts(o priorityqueue.AddOpts, objects ...R) {
	if !q.keep(o, objects) {
		q.PriorityQueue.AddWithOpts(o, objects...)
	}
}

// keep keeps objects of the backlog. An object with an event of its own is not kept any more.
func (q *holding[R]) keep(o priorityqueue.AddOpts, objects []R) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.kept == nil {
		return false
	}
	if o.Priority == nil || *o.Priority >= 0 {
		for _, object := range objects {
			delete(q.kept, object)
		}
		return false
	}
	for _, object := range objects {
		before, known := q.kept[object]
		if !known {
			q.order = append(q.order, object)
		}
		if !known || *before.Priority < *o.Priority {
			q.kept[object] = o
		}
	}
	return true
}

// release adds what is kept, once ready is closed.
func (q *holding[R]) release(ready <-chan struct{}) {
	select {
	case <-ready:
	case <-q.ended:
	}
	q.mu.Lock()
	kept, order := q.kept, q.order
	q.kept, q.order = nil, nil
	q.mu.Unlock()
	for _, object := range order {
		if o, waits := kept[object]; waits {
			delete(kept, object)
			q.PriorityQueue.AddWithOpts(o, object)
		}
	}
}

// ShutDown ends the queue.
func (q *holding[R]) ShutDown() {
	q.end.Do(func() { close(q.ended) })
	q.PriorityQueue.ShutDown()
}

// ShutDownWithDrain ends the queue when what was handed out is done.
func (q *holding[R]) ShutDownWithDrain() {
	q.end.Do(func() { close(q.ended) })
	q.PriorityQueue.ShutDownWithDrain()
}
