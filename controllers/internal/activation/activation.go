// SPDX-License-Identifier: Apache-2.0

// Package activation adds rule sets to the engine and removes them, in the one order in
// which nothing is missed: failures and metrics know the rules before the engine has
// them, and the listeners of changes are notified afterwards. In go the rule sets of
// customizations and bundles; the package does not know where they come from.
package activation

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/controllers/internal/fairqueue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// Rules is the engine as an Activator uses it.
type Rules interface {
	Set(layer engine.Layer, source engine.RuleSet) error
	Remove(layer engine.Layer, name string)
	Fits(layer engine.Layer, name string, size int64) error
	ProgramMemory() (used, bound int64)
}

// Observer records the runs of an engine: the first failure of each customization, and
// metrics. It is safe for many goroutines; the zero value has no metrics.
type Observer struct {
	failures failures
	metrics  *metrics
}

// NewObserver returns an observer whose metrics r serves; a nil r serves none. It returns
// an error if r has a metric of the same name.
func NewObserver(r prometheus.Registerer) (*Observer, error) {
	if r == nil {
		return &Observer{}, nil
	}
	m, err := newMetrics(r)
	return &Observer{metrics: m}, err
}

// Observe records a run; it is what the engine calls.
func (o *Observer) Observe(run engine.Run) {
	o.failures.observe(run)
	o.metrics.observe(run)
}

// Abandoned returns what the engine calls for each run that it abandons at its deadline:
// the run is counted, and logged with the calls of the engine that were under way.
func (o *Observer) Abandoned(log logr.Logger) func(engine.AbandonedRun) (ended func()) {
	return func(run engine.AbandonedRun) (ended func()) {
		log.Error(run.Err, "abandoned a run that did not end", "operation", run.Operation, "kind", run.Kind.String(),
			"namespace", run.Namespace, "name", run.Name, "rule", run.Rule.Origin, "script", run.Err.File, "function", run.Entry, "stack", run.Err.Backtrace())
		return o.metrics.abandon(run.Operation)
	}
}

// begin records the runs of a rule set, in place of the one with its name. The function
// that it returns undoes that.
func (o *Observer) begin(layer engine.Layer, source engine.RuleSet, revision string) (undo func()) {
	undoMetrics, undoFailures := o.metrics.begin(layer, source, revision), func() {}
	if layer == engine.Customizations {
		undoFailures = o.failures.begin(source)
	}
	return func() {
		undoMetrics()
		undoFailures()
	}
}

// Activator activates rule sets. Of two calls for one rule set the second must come
// after the first has returned; calls for different ones may come at the same time.
type Activator struct {
	rules    Rules
	observer *Observer
	changes  *rulechange.Changes
	queue    *fairqueue.Queue
	// onRoom is called after each change of the engine.
	onRoom atomic.Pointer[func()]
	// seen are the UIDs of the customizations that were announced or submitted.
	seen sync.Map
}

// workers is how many rule sets are compiled at once. One bounds the memory that they
// need beside that of the active programs, and leaves a core to the controllers.
const workers = 1

// New returns an activator for an engine whose runs the observer records. Nil changes
// have no listeners.
func New(rules Rules, observer *Observer, changes *rulechange.Changes) *Activator {
	a := &Activator{rules: rules, observer: observer, changes: changes, queue: fairqueue.New(clock.RealClock{}, workers)}
	observer.metrics.watch(rules.ProgramMemory, a.queue.Waiting)
	return a
}

// Submit runs a task that compiles and activates a rule set, soon, in another goroutine
// and in place of the one of the same source that waits. Sources take turns by how long
// their tasks ran; expected is about what this one will take. It must not panic.
func (a *Activator) Submit(source string, expected time.Duration, task func()) {
	a.queue.Submit(source, expected, task)
}

// See records that rules of a customization answer, or that they are pending where nothing else
// is known. Forget ends that.
func (a *Activator) See(customization types.UID) { a.seen.Store(customization, nil) }

// Forget forgets a customization that is gone.
func (a *Activator) Forget(customization types.UID) { a.seen.Delete(customization) }

// HasSeen reports whether this process has come across a customization. Nil has seen all.
func (a *Activator) HasSeen(customization types.UID) bool {
	if a == nil {
		return true
	}
	_, seen := a.seen.Load(customization)
	return seen
}

// Drop removes the task of a source that waits, if there is one.
func (a *Activator) Drop(source string) { a.queue.Drop(source) }

// Announce activates a rule set that stands for one that is not compiled yet; see
// engine.Pending. Replace replaces it, Remove removes it. Nobody is notified: it is for
// the time before anybody asks.
func (a *Activator) Announce(layer engine.Layer, pending engine.RuleSet) error {
	undo := a.observer.begin(layer, pending, "")
	if err := a.rules.Set(layer, pending); err != nil {
		undo()
		return err
	}
	return nil
}

// Replace activates a rule set in place of another one, which may have another name, and
// of which the zero value is none. The revision identifies the content of the new one.
// Both answer for a moment, so that no request finds neither. It returns an error, and
// the other one stays active, if the engine refuses the new one: for an operation that
// does not exist, and with an *engine.OverBudgetError for programs that do not fit.
func (a *Activator) Replace(layer engine.Layer, before, after engine.RuleSet, revision string) error {
	undo := a.observer.begin(layer, after, revision)
	if err := a.rules.Set(layer, after); err != nil {
		undo()
		return err
	}
	a.observer.metrics.count(layer, resultActivated)
	if before.Name != "" && before.Name != after.Name {
		a.drop(layer, before.Name)
	}
	a.changes.Replaced(before, after)
	a.room()
	return nil
}

// Remove deactivates a rule set; one that is not active is fine.
func (a *Activator) Remove(layer engine.Layer, before engine.RuleSet) {
	a.drop(layer, before.Name)
	a.changes.Replaced(before, engine.RuleSet{})
	a.room()
}

// OnRoom sets the function that is called after each change of the engine, which may have
// made room for programs. It must not call Replace or Remove.
func (a *Activator) OnRoom(f func()) { a.onRoom.Store(&f) }

func (a *Activator) room() {
	if f := a.onRoom.Load(); f != nil {
		(*f)()
	}
}

// Fits returns the error with which Replace would refuse a rule set whose programs take
// so many bytes, an *engine.OverBudgetError, or nil.
func (a *Activator) Fits(layer engine.Layer, name string, size int64) error {
	return a.rules.Fits(layer, name, size)
}

// ProgramMemory returns what the active programs keep in memory and the bound, in bytes.
func (a *Activator) ProgramMemory() (used, bound int64) { return a.rules.ProgramMemory() }

// drop removes a rule set from the engine, and then from the observer.
func (a *Activator) drop(layer engine.Layer, name string) {
	a.rules.Remove(layer, name)
	a.observer.metrics.removed(layer, name)
	if layer == engine.Customizations {
		a.observer.failures.forget(name)
	}
}

// Refused counts a customization or bundle that is broken and was not activated.
func (a *Activator) Refused(layer engine.Layer) { a.observer.metrics.count(layer, resultRefused) }

// Failure returns the first failure of the active rules of a customization, or nil.
func (a *Activator) Failure(customization string) error {
	return a.observer.failures.of(customization)
}

// OnFailure sets the function that is called with the name of each customization whose
// rules fail for the first time. f must not block.
func (a *Activator) OnFailure(f func(customization string)) { a.observer.failures.listen(f) }
