// SPDX-License-Identifier: Apache-2.0

// Package fairqueue runs the tasks of many sources, a few at a time, such that no source
// delays the others by more than its share: what a source took counts against it, and is
// forgotten within minutes. It knows neither what the sources are nor what their tasks do.
package fairqueue

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Queue runs tasks in goroutines of its own, of which there are none while no task waits.
// A source has one task at most that waits: a new one takes its place. Two tasks of one
// source never run at once. It is safe for many goroutines.
type Queue struct {
	clock   clock.PassiveClock
	workers int

	mu       sync.Mutex
	running  int
	schedule schedule[func()]
}

// New returns a queue that runs so many tasks at once.
func New(clk clock.PassiveClock, workers int) *Queue { return &Queue{clock: clk, workers: workers} }

// Submit adds a task of a source, in place of the one that waits. expected is about how
// long it will run: of two sources that took the same, the one with the shorter task goes
// first. The task must not panic.
func (q *Queue) Submit(source string, expected time.Duration, task func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.schedule.push(q.clock.Now(), source, expected, task)
	if q.running < q.workers {
		q.running++
		go q.work()
	}
}

// Drop removes the task of a source that waits. One that runs is not stopped.
func (q *Queue) Drop(source string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.schedule.drop(source)
}

// Waiting returns how many sources have a task that waits to run, other than one that
// waits for another of its source.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.schedule.waiting.Len()
}

// work runs tasks until none is left.
func (q *Queue) work() {
	for {
		source, task, ok := q.take()
		if !ok {
			return
		}
		begin := q.clock.Now()
		task()
		q.done(source, q.clock.Since(begin))
	}
}

// take returns the next task. Without one the worker has ended.
func (q *Queue) take() (source string, task func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if source, task, ok = q.schedule.next(q.clock.Now()); !ok {
		q.running--
	}
	return source, task, ok
}

func (q *Queue) done(source string, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.schedule.done(q.clock.Now(), source, took)
}
