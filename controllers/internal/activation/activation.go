// SPDX-License-Identifier: Apache-2.0

// Package activation adds rule sets to the engine and removes them, in the one order in
// which nothing is missed: failures and metrics know the rules before the engine has
// them, and the listeners of changes are notified afterwards. In go the rule sets of
// customizations and bundles; the package does not know where they come from.
package activation

import (
	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// Rules is the engine as an Activator uses it.
type Rules interface {
	Set(layer engine.Layer, source engine.RuleSet) error
	Remove(layer engine.Layer, name string)
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
}

// New returns an activator for an engine whose runs the observer records. Nil changes
// have no listeners.
func New(rules Rules, observer *Observer, changes *rulechange.Changes) *Activator {
	return &Activator{rules: rules, observer: observer, changes: changes}
}

// Replace activates a rule set in place of another one, which may have another name, and
// of which the zero value is none. The revision identifies the content of the new one.
// Both answer for a moment, so that no request finds neither. It returns an error, and
// the other one stays active, if the engine refuses the new one, which it does for
// unknown operations.
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
	return nil
}

// Remove deactivates a rule set; one that is not active is fine.
func (a *Activator) Remove(layer engine.Layer, before engine.RuleSet) {
	a.drop(layer, before.Name)
	a.changes.Replaced(before, engine.RuleSet{})
}

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
