// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/engine/internal/fair"
	"github.com/dragoman-io/dragoman/engine/internal/watchdog"
	"github.com/dragoman-io/dragoman/engine/script"
)

// guard is the last line behind the limits of runs: it bounds how long a run takes by the
// clock, and how much memory all of them may take at once.
type guard struct {
	// watchdog is nil without a deadline, and memory without a bound of memory.
	watchdog  *watchdog.Watchdog
	deadline  time.Duration
	memory    *fair.Semaphore
	most      int64
	clock     clock.PassiveClock
	abandoned func(AbandonedRun) (ended func())

	mu         sync.Mutex
	quarantine *watchdog.Quarantine
	// suspects is the number of pairs in the quarantine; as long as there is none, a
	// run takes no lock for it.
	suspects atomic.Int64
}

// AbandonedRun is a run that was abandoned at its deadline, as Abandoned receives it.
type AbandonedRun struct {
	Operation Op
	Kind      schema.GroupVersionKind
	Rule      *Rule
	// Entry is the function that was called.
	Entry string
	// Namespace and Name are those of the object.
	Namespace, Name string
	// Err is what the caller got. Its Trace are the calls of the engine that were under
	// way, innermost first.
	Err *script.Error
}

// gasTime is how long a run has for each unit of its gas, if that is longer than the
// deadline. No unit takes more than half of it.
const gasTime = time.Microsecond

// mostUnended is how many abandoned runs may be under way for each processor before rules
// with a violation are refused.
const mostUnended = 4

// newGuard returns the guard for options, nil where they have no bounds.
func newGuard(o Options) *guard {
	if o.Deadline <= 0 && o.Memory <= 0 {
		return nil
	}
	g := &guard{
		deadline: o.Deadline, most: o.Memory, clock: o.Clock, abandoned: o.Abandoned,
		quarantine: watchdog.NewQuarantine(mostUnended * runtime.GOMAXPROCS(0)),
	}
	if o.Deadline > 0 {
		g.watchdog = watchdog.New(o.Deadline)
	}
	if o.Memory > 0 {
		g.memory = fair.New(o.Memory)
	}
	return g
}

// run runs a task, which runs a rule on an object. It returns an error if the task was
// refused, did not end or panicked, and nothing of the task may be used then.
func (g *guard) run(t watchdog.Task, op *Operation, rule *activeRule, object *unstructured.Unstructured, limits script.Limits) error {
	if g.suspects.Load() > 0 {
		if err := g.refuse(rule, object); err != nil {
			return err
		}
	}
	reserved := g.reserve(limits.Memory, object)
	defer g.release(reserved)
	if g.watchdog == nil {
		t.Do()
		return nil
	}
	bound := max(g.deadline, time.Duration(limits.Gas)*gasTime)
	outcome := g.watchdog.Run(t, bound)
	switch {
	case outcome.Abandoned != nil:
		return g.abandon(outcome.Abandoned, bound, op, rule, object)
	case outcome.Panic != nil:
		err := rule.failure(script.Internal, "the engine failed: %v", outcome.Panic)
		err.Trace = outcome.Stack
		return err
	}
	return nil
}

// reserve waits until so many bytes are free, and returns how many of them it took. A run
// that may take more than there is waits until it is alone. Of those that wait, namespaces and
// their kinds take turns: with many objects one has no more of them.
func (g *guard) reserve(bytes int64, object *unstructured.Unstructured) int64 {
	if g.memory == nil {
		return 0
	}
	bytes = min(bytes, g.most)
	if !g.memory.TryAcquire(bytes) {
		g.memory.Acquire(bytes, fair.Group{Tenant: object.GetNamespace(), Kind: object.GetKind()})
	}
	return bytes
}

// release returns what reserve took. Of an abandoned run that is as soon as it is
// abandoned, for it could keep out all others for good.
func (g *guard) release(bytes int64) {
	if g.memory != nil {
		g.memory.Release(bytes)
	}
}
