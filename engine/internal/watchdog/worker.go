// SPDX-License-Identifier: Apache-2.0

package watchdog

import (
	"math"
	"sync/atomic"

	"github.com/dragoman-io/dragoman/engine/script"
)

// worker is a goroutine that runs one task after the other, until one is abandoned.
type worker struct {
	dog      *Watchdog
	label    string
	tasks    chan job
	outcomes chan Outcome
	// ended is closed after a task that was abandoned.
	ended chan struct{}
	// task is the number of the task under way, 0 while there is none, abandoned after
	// one that did not end. Who changes it from a number sends the outcome.
	task atomic.Uint64
	// due is the time by which the task must end. It is set before task, so that it is
	// that of the same task if task has not changed meanwhile.
	due atomic.Int64
}

// abandoned is the number of a task that nobody waits for.
const abandoned = math.MaxUint64

// job is a task with its bound in nanoseconds.
type job struct {
	Task
	bound int64
}

func newWorker(d *Watchdog, number uint64) *worker {
	return &worker{
		dog: d, label: labelOf(number),
		tasks: make(chan job, 1), outcomes: make(chan Outcome, 1), ended: make(chan struct{}),
	}
}

// loop runs tasks until there are no more or one was abandoned.
func (w *worker) loop() {
	setLabel(w.label)
	number := uint64(0)
	for j := range w.tasks {
		number++
		// The time that counts may be an interval old.
		w.due.Store(w.dog.now.Load() + j.bound + int64(w.dog.interval))
		w.task.Store(number)
		outcome := do(j.Task)
		if !w.task.CompareAndSwap(number, 0) {
			close(w.ended)
			return
		}
		w.outcomes <- outcome
	}
}

// do runs a task. A panic becomes its outcome: on this goroutine nobody else recovers it.
func do(t Task) (outcome Outcome) {
	defer func() {
		if r := recover(); r != nil {
			outcome = Outcome{Panic: r, Stack: script.PanicStack()}
		}
	}()
	t.Do()
	return Outcome{}
}

// abandon leaves the task under way if it was due before now, and reports whether it
// did. The worker ends with the task.
func (w *worker) abandon(now int64) bool {
	number := w.task.Load()
	if number == 0 || now < w.due.Load() || !w.task.CompareAndSwap(number, abandoned) {
		return false
	}
	w.outcomes <- Outcome{Abandoned: &Abandoned{w}}
	return true
}
