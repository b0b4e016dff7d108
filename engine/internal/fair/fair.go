// SPDX-License-Identifier: Apache-2.0

// Package fair bounds what many may have at once, with turns among those who wait: whoever
// asks for much waits behind itself, and not before others.
package fair

import "sync"

// Group is for whom something is asked: those of one tenant share its turns, and within
// them those of one kind.
type Group struct{ Tenant, Kind string }

// Semaphore hands out a number of units. It is safe for many goroutines.
type Semaphore struct {
	mu      sync.Mutex
	free    int64
	waiting int
	tenants turns[*turns[*[]*waiter]]
}

// waiter is one call of Acquire; ready is closed once it has its units.
type waiter struct {
	units int64
	ready chan struct{}
}

// New returns a semaphore of so many units.
func New(units int64) *Semaphore { return &Semaphore{free: units} }

// TryAcquire takes so many units if they are free and nobody waits.
func (s *Semaphore) TryAcquire(units int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(units)
}

// take takes units that are free; the lock is held.
func (s *Semaphore) take(units int64) bool {
	if s.waiting > 0 || s.free < units {
		return false
	}
	s.free -= units
	return true
}

// Acquire waits until so many units are free, and takes them. They must be no more than there
// are. Of those that wait, tenants take turns, the kinds of one tenant take turns, and of one
// kind whoever came first is first.
func (s *Semaphore) Acquire(units int64, of Group) {
	s.mu.Lock()
	if s.take(units) {
		s.mu.Unlock()
		return
	}
	w := &waiter{units, make(chan struct{})}
	kinds, exist := s.tenants.of(of.Tenant)
	if !exist {
		*kinds = &turns[*[]*waiter]{}
	}
	queue, exist := (*kinds).of(of.Kind)
	if !exist {
		*queue = &[]*waiter{}
	}
	**queue = append(**queue, w)
	s.waiting++
	s.mu.Unlock()
	<-w.ready
}

// Release returns units.
func (s *Semaphore) Release(units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free += units
	for s.waiting > 0 {
		kinds := s.tenants.first()
		queue := (*kinds).first()
		w := (**queue)[0]
		if w.units > s.free {
			return // none overtakes it, or it would wait for good
		}
		s.free -= w.units
		s.waiting--
		close(w.ready)
		**queue = (**queue)[1:]
		(*kinds).next(len(**queue) == 0)
		s.tenants.next((*kinds).empty())
	}
}

// turns are things that take turns, by name.
type turns[T any] struct {
	// order are the names of those that have something, the next first.
	order []string
	all   map[string]*T
}

// of returns the thing of a name, a new one at the end where there is none.
func (t *turns[T]) of(name string) (thing *T, exists bool) {
	if thing, exists = t.all[name]; exists {
		return thing, true
	}
	if t.all == nil {
		t.all = map[string]*T{}
	}
	thing = new(T)
	t.all[name] = thing
	t.order = append(t.order, name)
	return thing, false
}

// first returns the thing whose turn it is.
func (t *turns[T]) first() *T { return t.all[t.order[0]] }

// next ends a turn: the thing comes again after all others, or not if it has nothing more.
func (t *turns[T]) next(done bool) {
	name := t.order[0]
	t.order = t.order[1:]
	if done {
		delete(t.all, name)
		return
	}
	t.order = append(t.order, name)
}

func (t *turns[T]) empty() bool { return len(t.order) == 0 }
