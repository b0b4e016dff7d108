// SPDX-License-Identifier: Apache-2.0

// Package partition has a work queue whose objects belong to partitions. Of each partition
// only so many objects are in progress at once, so that one whose objects take long delays
// no other. It knows neither what the objects nor what the partitions are.
package partition

import (
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// Options are those of a queue; all but Priorities and Metrics must be set.
type Options[R comparable] struct {
	// Limiter decides how long an object waits that is added rate-limited.
	Limiter workqueue.TypedRateLimiter[R]
	// Of returns the partition of an object. It is asked when the object becomes ready, and by
	// Move; it must not call the queue.
	Of func(R) string
	// Limit is how many objects of a partition are in progress at most.
	Limit int
	// Priorities makes objects of a higher priority go first within their partition;
	// without it all are equal.
	Priorities bool
	// Metrics observe the queue; nil observes nothing.
	Metrics *Metrics
}

// Queue is a work queue for a controller, with priorities. An object is in it once: of two
// times the earlier counts, and of two priorities the higher. One that is added while it is
// in progress is handed out again after that. Partitions take turns, and within one, those
// of the highest priority go first, but each agingEvery-th time those of the lowest. It is
// safe for many goroutines.
type Queue[R comparable] struct {
	Options[R]

	mu    sync.Mutex
	ready sync.Cond
	items map[R]*item[R]
	// partitions are those with objects that are ready or in progress.
	partitions map[string]*partition[R]
	// working are the objects in progress.
	working map[*item[R]]struct{}
	// turns counts the objects handed out.
	turns   int
	delayed delays[R]
	timer   *time.Timer
	closed  bool
}

var _ priorityqueue.PriorityQueue[int] = &Queue[int]{}

// New returns an empty queue.
func New[R comparable](o Options[R]) *Queue[R] {
	q := &Queue[R]{Options: o, items: map[R]*item[R]{}, partitions: map[string]*partition[R]{}, working: map[*item[R]]struct{}{}}
	q.ready.L = &q.mu
	if q.Metrics != nil {
		q.observe()
	}
	return q
}

// Add adds an object that is ready.
func (q *Queue[R]) Add(object R) { q.AddWithOpts(priorityqueue.AddOpts{}, object) }

// AddAfter adds an object that is ready after a while.
func (q *Queue[R]) AddAfter(object R, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: after}, object)
}

// AddRateLimited adds an object that is ready when the limiter says so.
func (q *Queue[R]) AddRateLimited(object R) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, object)
}

// Forget ends the rate limiting of an object.
func (q *Queue[R]) Forget(object R) { q.Limiter.Forget(object) }

// NumRequeues returns how often an object was added rate-limited.
func (q *Queue[R]) NumRequeues(object R) int { return q.Limiter.NumRequeues(object) }

// AddWithOpts adds objects.
func (q *Queue[R]) AddWithOpts(o priorityqueue.AddOpts, objects ...R) {
	priority := 0
	if q.Priorities && o.Priority != nil {
		priority = *o.Priority
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	for _, object := range objects {
		after := o.After
		if o.RateLimited {
			after = q.Limiter.When(object)
		}
		q.add(object, priority, after)
	}
	q.schedule()
}

// add adds one object, or changes one that is there.
func (q *Queue[R]) add(object R, priority int, after time.Duration) {
	i := q.items[object]
	if i == nil {
		i = &item[R]{object: object, priority: priority, place: -1}
		q.items[object] = i
		q.enter(i, after)
		return
	}
	if !i.waiting() {
		// It is in progress, and not added since.
		i.priority = priority
		q.enter(i, after)
		return
	}
	before := i.priority
	i.priority = max(i.priority, priority)
	switch {
	case i.element != nil && priority > before:
		q.partitions[i.in].remove(i)
		q.push(i)
		q.Metrics.raised(before, priority)
	case i.place >= 0 && time.Now().Add(after).Before(i.due):
		q.delayed.remove(i)
		q.enter(i, after)
	}
}

// enter makes an object wait for its time, or for its turn. One in progress waits for its
// end first.
func (q *Queue[R]) enter(i *item[R], after time.Duration) {
	if after > 0 {
		i.due = time.Now().Add(after)
		q.delayed.push(i)
		q.Metrics.delayed()
		return
	}
	if i.inProgress {
		i.again = true
		return
	}
	q.arrive(i)
}

// arrive makes an object ready that was not.
func (q *Queue[R]) arrive(i *item[R]) {
	i.since = time.Now()
	q.push(i)
	q.Metrics.ready(i.priority)
}

// push makes an object ready, in the partition that it belongs to now.
func (q *Queue[R]) push(i *item[R]) {
	i.in = q.Of(i.object)
	q.partition(i.in).push(i)
	q.ready.Signal()
}

// Move has objects count in the partition that Of returns for them now, also those that are in
// progress.
func (q *Queue[R]) Move(objects ...R) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, object := range objects {
		i := q.items[object]
		if i == nil || i.element == nil && !i.inProgress || i.in == q.Of(object) {
			continue
		}
		before := i.in
		if i.element != nil {
			q.partitions[before].remove(i)
			q.push(i)
		} else {
			i.in = q.Of(object)
			q.partitions[before].inProgress--
			q.partition(i.in).inProgress++
			q.ready.Signal() // there is room in the partition of before
		}
		q.drop(before)
	}
}

// drop forgets a partition that has nothing.
func (q *Queue[R]) drop(name string) {
	if p := q.partitions[name]; p != nil && p.length == 0 && p.inProgress == 0 {
		delete(q.partitions, name)
	}
}

// schedule makes what is due ready, and sets the timer for what is due next.
func (q *Queue[R]) schedule() {
	now := time.Now()
	for len(q.delayed) > 0 && !q.delayed[0].due.After(now) {
		i := q.delayed[0]
		q.delayed.remove(i)
		q.enter(i, 0)
	}
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
	if len(q.delayed) > 0 && !q.closed {
		q.timer = time.AfterFunc(q.delayed[0].due.Sub(now), func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.schedule()
		})
	}
}

// Get waits for an object and hands it out; Done must be called for it. It returns true
// once the queue is shut down and empty.
func (q *Queue[R]) Get() (object R, shutdown bool) {
	object, _, shutdown = q.GetWithPriority()
	return object, shutdown
}

// GetWithPriority is Get with the priority of the object.
func (q *Queue[R]) GetWithPriority() (object R, priority int, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.closed {
			return object, 0, true
		}
		if p := q.next(); p != nil {
			i := p.take()
			q.turns++
			p.turn = q.turns
			i.inProgress, i.began = true, time.Now()
			q.working[i] = struct{}{}
			q.Metrics.requested(i.priority, i.since, i.began)
			return i.object, i.priority, false
		}
		q.ready.Wait()
	}
}

// next returns the partition whose turn it is: of those that have an object ready and are
// below their limit, the one that waits longest. Nil means none.
func (q *Queue[R]) next() *partition[R] {
	var first *partition[R]
	for _, p := range q.partitions {
		if p.length > 0 && p.inProgress < q.Limit && (first == nil || p.turn < first.turn) {
			first = p
		}
	}
	return first
}

// Done ends the progress of an object.
func (q *Queue[R]) Done(object R) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.items[object]
	if i == nil || !i.inProgress {
		return
	}
	i.inProgress = false
	delete(q.working, i)
	q.Metrics.ended(i.began, time.Now())
	before := q.partitions[i.in]
	before.inProgress--
	name := i.in
	switch {
	case i.again:
		i.again = false
		q.arrive(i)
	case i.place < 0:
		delete(q.items, object)
	}
	q.drop(name)
	if before.length > 0 {
		q.ready.Signal()
	}
}

// Len returns how many objects are ready.
func (q *Queue[R]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, p := range q.partitions {
		n += p.length
	}
	return n
}

// ShutDown ends the queue: nothing is handed out any more.
func (q *Queue[R]) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.schedule()
	q.ready.Broadcast()
}

// ShutDownWithDrain is ShutDown.
func (q *Queue[R]) ShutDownWithDrain() { q.ShutDown() }

// ShuttingDown reports whether the queue is shut down.
func (q *Queue[R]) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// partition returns the partition of a name.
func (q *Queue[R]) partition(name string) *partition[R] {
	p := q.partitions[name]
	if p == nil {
		p = &partition[R]{turn: q.turns}
		q.partitions[name] = p
	}
	return p
}
