// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// ahead is how many objects of a group wait before those of others that came later. It keeps all
// workers of a controller busy where nobody else has anything to do.
const ahead = 8

// Turns returns a queue in which an object waits for at most ahead objects of each other group
// that have its priority, however many of them came before it: the others of a group go behind
// all of that priority until one of the group was handed out. What failed goes behind what was
// not tried. Within a group, the order stays. Of returns the group of an object, such as its
// namespace.
func Turns[R comparable](inner priorityqueue.PriorityQueue[R], of func(R) string) priorityqueue.PriorityQueue[R] {
	return &turns[R]{PriorityQueue: inner, of: of, places: map[R]*place[R]{}, groups: map[string]*group[R]{}}
}

// turns wraps a priority queue, which takes the greater of two priorities of an object, and puts
// it behind those that have that already.
type turns[R comparable] struct {
	priorityqueue.PriorityQueue[R]
	of func(R) string

	mu sync.Mutex
	// places are those of the objects that wait, but for those that wait for a time that their
	// controller has chosen.
	places map[R]*place[R]
	groups map[string]*group[R]
}

// place is where an object waits.
type place[R comparable] struct {
	object   R
	priority int
	// in is the group that it counts in; nil is none, for what failed.
	in *group[R]
	// late is one behind its priority.
	late bool
}

// group are the objects of one group that wait.
type group[R comparable] struct {
	name string
	// ahead counts those that are not late.
	ahead int
	// late are the others in the order in which they came, with some that were handed out.
	late []*place[R]
}

// Add adds an object on an event.
func (q *turns[R]) Add(object R) { q.AddWithOpts(priorityqueue.AddOpts{}, object) }

// AddAfter adds an object that is ready after a while.
func (q *turns[R]) AddAfter(object R, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: after}, object)
}

// AddRateLimited adds an object that failed.
func (q *turns[R]) AddRateLimited(object R) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, object)
}

// AddWithOpts adds objects.
func (q *turns[R]) AddWithOpts(o priorityqueue.AddOpts, objects ...R) {
	for _, object := range objects {
		one := o
		priority := q.priority(o, object, q.of(object))
		one.Priority = &priority
		q.PriorityQueue.AddWithOpts(one, object)
	}
}

// priority records where an object of a group waits, and returns its priority in the inner queue.
func (q *turns[R]) priority(o priorityqueue.AddOpts, object R, of string) int {
	priority := 0
	if o.Priority != nil {
		priority = *o.Priority
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.places[object]
	switch {
	case p != nil && p.in != nil:
		p.priority = max(p.priority, priority)
		return p.inner()
	case o.RateLimited:
		if p == nil {
			p = &place[R]{object: object, priority: priority, late: true}
			q.places[object] = p
		}
		p.priority = max(p.priority, priority)
		return p.inner()
	case o.After > 0:
		return priority
	}
	if p != nil {
		priority = max(p.priority, priority)
	}
	return q.wait(object, priority, of)
}

// wait records that an object waits for its turn, and returns its priority in the inner queue.
func (q *turns[R]) wait(object R, priority int, of string) int {
	g := q.groups[of]
	if g == nil {
		g = &group[R]{name: of}
		q.groups[of] = g
	}
	p := &place[R]{object: object, priority: priority, in: g, late: g.ahead >= ahead}
	q.places[object] = p
	if p.late {
		g.late = append(g.late, p)
	} else {
		g.ahead++
	}
	return p.inner()
}

// inner returns the priority in the inner queue.
func (p *place[R]) inner() int {
	if p.late {
		return p.priority - 1
	}
	return p.priority
}

// GetWithPriority returns the next object, with the priority at which it was added.
func (q *turns[R]) GetWithPriority() (R, int, bool) {
	object, priority, shutdown := q.PriorityQueue.GetWithPriority()
	if shutdown {
		return object, priority, shutdown
	}
	own, next := q.handed(object)
	if next != nil {
		q.PriorityQueue.AddWithOpts(priorityqueue.AddOpts{Priority: &next.priority}, next.object)
	}
	if own != nil {
		priority = own.priority
	}
	return object, priority, false
}

// Get is GetWithPriority without the priority.
func (q *turns[R]) Get() (R, bool) {
	object, _, shutdown := q.GetWithPriority()
	return object, shutdown
}

// handed removes the place of an object that is handed out, and returns it, with a copy of that
// of the object of its group whose turn it is.
func (q *turns[R]) handed(object R) (own, next *place[R]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	own = q.places[object]
	if own == nil {
		return nil, nil
	}
	delete(q.places, object)
	g := own.in
	if g == nil {
		return own, nil
	}
	if own.late {
		own.in = nil // it is still among the late of the group
	} else {
		g.ahead--
		next = g.promote()
	}
	if g.ahead == 0 {
		g.late = nil
		delete(q.groups, g.name)
	}
	return own, next
}

// promote has the first of those that are late wait with its own priority, and returns a copy of
// its place; nil means that none is late.
func (g *group[R]) promote() *place[R] {
	for len(g.late) > 0 {
		p := g.late[0]
		g.late[0] = nil
		g.late = g.late[1:]
		if p.in == nil {
			continue // it was handed out
		}
		p.late = false
		g.ahead++
		next := *p
		return &next
	}
	return nil
}
