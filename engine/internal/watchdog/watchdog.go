// SPDX-License-Identifier: Apache-2.0

package watchdog

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Task is what a Watchdog runs. It is the worker's until Do returns, also after it was
// abandoned: nothing that Do reads may be changed or used again before.
type Task interface{ Do() }

// Watchdog runs tasks, each for a bounded time. It is safe for many goroutines. Its own
// goroutines end when it is not used for a while, so that it need not be closed.
type Watchdog struct {
	interval time.Duration
	// now is the time that counts, in nanoseconds; only beat advances it.
	now atomic.Int64

	mu sync.Mutex
	// workers are all that were not abandoned; idle are those without a task, the one
	// that had one last at the end.
	workers, idle []*worker
	// served is how many tasks began.
	served uint64
	// created is how many workers there ever were, and beating reports whether there is
	// a heartbeat.
	created uint64
	beating bool
}

// New returns a watchdog for tasks that take about deadline at most. It finds a task that
// does not end between one and three twentieths of deadline late.
func New(deadline time.Duration) *Watchdog {
	return &Watchdog{interval: max(deadline/20, slice)}
}

// Outcome is how a task ended. The zero value is a task that returned.
type Outcome struct {
	// Abandoned is set if the task did not end within its bound. The caller must not
	// touch anything of the task then.
	Abandoned *Abandoned
	// Panic is what the task panicked with, and Stack is where.
	Panic any
	Stack []script.Frame
}

// Abandoned is a task that did not end within its bound.
type Abandoned struct{ worker *worker }

// Stack returns the calls under way in the task, innermost first; nil if it ended
// meanwhile.
func (a *Abandoned) Stack() []script.Frame { return stackOf(a.worker.label) }

// Ended returns a channel that is closed when the task ends after all.
func (a *Abandoned) Ended() <-chan struct{} { return a.worker.ended }

// Run runs a task, and returns when it ends or when it took longer than bound. Time in
// which the process was starved does not count; see share.
func (d *Watchdog) Run(t Task, bound time.Duration) Outcome {
	w := d.take()
	w.tasks <- job{t, int64(bound)}
	outcome := <-w.outcomes
	if outcome.Abandoned == nil {
		d.put(w)
	}
	return outcome
}

// take returns a worker without a task.
func (d *Watchdog) take() *worker {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.served++
	if n := len(d.idle); n > 0 {
		w := d.idle[n-1]
		d.idle = d.idle[:n-1]
		return w
	}
	d.created++
	w := newWorker(d, d.created)
	d.workers = append(d.workers, w)
	go w.loop()
	if !d.beating {
		d.beating = true
		go d.heartbeat()
	}
	return w
}

// put takes a worker back.
func (d *Watchdog) put(w *worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = append(d.idle, w)
}

// beat advances the time that counts, and abandons the tasks that took longer than their
// bound.
func (d *Watchdog) beat(by time.Duration) {
	now := d.now.Add(int64(by))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.workers = slices.DeleteFunc(d.workers, func(w *worker) bool { return w.abandon(now) })
}

// retire ends the workers and the heartbeat unless there is a task or one began since
// served was last. It returns the new value of served.
func (d *Watchdog) retire(last uint64) (served uint64, ended bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.served != last || len(d.idle) < len(d.workers) {
		return d.served, false
	}
	for _, w := range d.idle {
		close(w.tasks)
	}
	d.workers, d.idle, d.beating = nil, nil, false
	return d.served, true
}
