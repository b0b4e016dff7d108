// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/engine/script"
)

// ErrNoRule is returned where no rule set has a rule for this kind and operation.
var ErrNoRule = errors.New("no script answers this operation for this kind")

// Options configure an Interpreter. The zero value is usable.
type Options struct {
	// Limits bound every run; zero fields take script.DefaultLimits. Limits.Source is
	// not looked at: it bounds compilations, see Compiler.Limits.
	Limits script.Limits
	// Clock is what scripts see as now, and what times runs for Observe; the real
	// clock by default.
	Clock clock.PassiveClock
	// Observe is called after every run, by many goroutines at once, and must be
	// quick; nil is not called.
	Observe func(Run)
	// Print receives what scripts print, one line a call. Nil drops it.
	Print func(line string)
}

// Run is one evaluation of one rule, as Observe receives it.
type Run struct {
	Operation Op
	Kind      schema.GroupVersionKind
	Rule      *Rule
	Usage     script.Usage
	Duration  time.Duration
	Err       error
}

// Interpreter holds rule sets in layers. Reads take no lock and see one consistent set of
// rules; a change of a rule set swaps that set. It is safe for many goroutines.
type Interpreter struct {
	options  Options
	mu       sync.Mutex
	layers   layers
	snapshot atomic.Pointer[ruleIndex]
}

// NewInterpreter returns an interpreter without rules.
func NewInterpreter(options Options) *Interpreter {
	options.Limits = options.Limits.Or(script.DefaultLimits())
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	i := &Interpreter{options: options}
	for rank := range i.layers {
		i.layers[rank] = newLayer()
	}
	i.snapshot.Store(&ruleIndex{})
	return i
}

// Set adds a rule set to a layer, or replaces the one of the same name. Runs under way
// end with the rules they began with. The cost is that of the rule set and of those that
// share a kind with it, however many others there are.
//
// Rules for an operation that does not exist, and rules without a program, are an error
// and change nothing.
func (i *Interpreter) Set(layer Layer, set RuleSet) error {
	if err := set.validate(); err != nil {
		return err
	}
	i.change(layer, set.Name, &set)
	return nil
}

// Remove takes a rule set out of a layer. It does nothing where there is none of the name.
func (i *Interpreter) Remove(layer Layer, name string) {
	i.change(layer, name, nil)
}

// change swaps the snapshot; only the kinds of the old and the new rule set are built
// again.
func (i *Interpreter) change(layer Layer, name string, set *RuleSet) {
	i.mu.Lock()
	defer i.mu.Unlock()
	kinds := i.snapshot.Load().kinds
	for kind := range i.layers[layer].replace(name, set) {
		kinds = kinds.with(kind, i.layers.rulesOf(kind, i.options.Limits))
	}
	i.snapshot.Store(&ruleIndex{kinds: kinds})
}

// Snapshot returns the rules as they are now. It is cheap: a task that makes several
// requests takes one Snapshot for all of them, so that one set of rules answers.
func (i *Interpreter) Snapshot() Snapshot {
	return Snapshot{options: &i.options, rules: i.snapshot.Load()}
}
