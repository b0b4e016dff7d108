// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"container/heap"
	"math"
	"time"
)

// halfLife is the time after which half of what a source took is forgotten.
const halfLife = time.Minute

// negligible is the cost, in seconds, below which an account is dropped.
const negligible = 1e-3

// schedule decides whose task is next. Each source has an account of the time that its
// tasks took, which decays. The source that has the least goes first, with what its
// waiting task is expected to take; among equal ones, the one that waits longest. A
// source has at most one task that waits and one that runs, and never runs two at once.
type schedule[T any] struct {
	// epoch is the time of the first task; what is later is counted from it.
	epoch    time.Time
	accounts map[string]*account[T]
	waiting  line[T]
	// arrivals counts the tasks, and sweepAt is the number of accounts at which those
	// that are negligible are dropped.
	arrivals, sweepAt int
}

// account is what one source took, and its task that waits.
type account[T any] struct {
	source string
	// spent is what its tasks took, and expected what the waiting one is charged, both in
	// seconds as of at.
	spent, expected float64
	at              time.Time
	// task waits if pending; it is in the line at place unless another one runs.
	task             T
	pending, running bool
	// key orders the line, and arrival the tasks of equal keys.
	key     float64
	arrival int
	place   int
}

// decay brings an account to a time.
func (a *account[T]) decay(now time.Time) {
	factor := math.Exp2(-now.Sub(a.at).Seconds() / halfLife.Seconds())
	a.spent, a.expected, a.at = a.spent*factor, a.expected*factor, now
}

// push adds the task of a source, in place of the one that waits. expected is about what
// it will take.
func (s *schedule[T]) push(now time.Time, source string, expected time.Duration, task T) {
	if s.accounts == nil {
		s.epoch, s.accounts = now, map[string]*account[T]{}
	}
	a := s.accounts[source]
	if a == nil {
		a = &account[T]{source: source, at: now}
		s.accounts[source] = a
	}
	a.decay(now)
	if !a.pending {
		s.arrivals++
		a.arrival = s.arrivals
	}
	// A task keeps the place of the one that it replaces, unless it is larger.
	a.task, a.expected = task, max(a.expected, expected.Seconds())
	if a.pending && !a.running {
		s.waiting.remove(a)
	}
	a.pending = true
	s.enter(now, a)
}

// enter puts an account into the line, unless a task of it runs.
func (s *schedule[T]) enter(now time.Time, a *account[T]) {
	if a.running {
		return
	}
	// All accounts decay alike, so the order of two never changes. The logarithm of what
	// they would be at the epoch is their order at any time.
	cost := max(a.spent+a.expected, 1e-6)
	a.key = math.Log2(cost) + now.Sub(s.epoch).Seconds()/halfLife.Seconds()
	heap.Push(&s.waiting, a)
}

// next takes the task that is next, which runs until done is called. It returns false if
// none waits.
func (s *schedule[T]) next(now time.Time) (source string, task T, ok bool) {
	if len(s.waiting) == 0 {
		return "", task, false
	}
	a := heap.Pop(&s.waiting).(*account[T])
	task = a.task
	a.decay(now)
	a.clear()
	a.running = true
	return a.source, task, true
}

// done ends the task of a source that runs, and adds what it took to its account.
func (s *schedule[T]) done(now time.Time, source string, took time.Duration) {
	a := s.accounts[source]
	a.decay(now)
	a.spent += took.Seconds()
	a.running = false
	if a.pending {
		s.enter(now, a)
	}
	s.sweep(now)
}

// drop removes the task of a source that waits, if there is one. What the source took
// stays known, so that one that is deleted and created again gains nothing.
func (s *schedule[T]) drop(source string) {
	a := s.accounts[source]
	if a == nil || !a.pending {
		return
	}
	if !a.running {
		s.waiting.remove(a)
	}
	a.clear()
}

// clear forgets the task that waited.
func (a *account[T]) clear() {
	var none T
	a.task, a.pending, a.expected = none, false, 0
}

// sweep drops the accounts that do not matter any more, now and then.
func (s *schedule[T]) sweep(now time.Time) {
	const least = 64
	if len(s.accounts) < max(least, s.sweepAt) {
		return
	}
	for source, a := range s.accounts {
		if a.decay(now); !a.pending && !a.running && a.spent < negligible {
			delete(s.accounts, source)
		}
	}
	s.sweepAt = 2 * len(s.accounts)
}

// line is a heap of the accounts whose task can run, by their keys.
type line[T any] []*account[T]

func (l line[T]) Len() int { return len(l) }

func (l line[T]) Less(i, j int) bool {
	if l[i].key != l[j].key {
		return l[i].key < l[j].key
	}
	return l[i].arrival < l[j].arrival
}

func (l line[T]) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].place, l[j].place = i, j
}

// Push is for package heap.
func (l *line[T]) Push(x any) {
	a := x.(*account[T])
	a.place = len(*l)
	*l = append(*l, a)
}

// Pop is for package heap.
func (l *line[T]) Pop() any {
	last := len(*l) - 1
	a := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return a
}

func (l *line[T]) remove(a *account[T]) { heap.Remove(l, a.place) }
