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

// ErrNoRule is returned where no source has a script for this kind and operation.
var ErrNoRule = errors.New("no script answers this operation for this kind")

// Options configure an Interpreter. The zero value is usable.
type Options struct {
	// Limits bound every run; zero fields take script.DefaultLimits. Source does not
	// count here: a compiler has its own Limits.
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

// Interpreter answers operations from the rules of its sources. Reads take no
// lock and see one consistent set of rules; a change of a source swaps the set.
// It is safe for many goroutines.
type Interpreter struct {
	options  Options
	mu       sync.Mutex
	layers   layers
	snapshot atomic.Pointer[ruleIndex]
}

// NewInterpreter returns an interpreter without sources.
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

// Set adds a source to a layer, or replaces the one of the same name. Runs under
// way end with the rules they began with. The cost is that of the source and of
// those that share a kind with it, however many others there are.
//
// Rules for an operation that does not exist are an error, and change nothing.
func (i *Interpreter) Set(layer Layer, source RuleSet) error {
	if err := source.validate(); err != nil {
		return err
	}
	i.change(layer, source.Name, &source)
	return nil
}

// Remove takes a source out of a layer; a source that is not there is fine.
func (i *Interpreter) Remove(layer Layer, name string) {
	i.change(layer, name, nil)
}

// change swaps the snapshot; only the kinds of the old and the new source are
// built again.
func (i *Interpreter) change(layer Layer, name string, source *RuleSet) {
	i.mu.Lock()
	defer i.mu.Unlock()
	kinds := i.snapshot.Load().kinds
	for kind := range i.layers[layer].replace(name, source) {
		kinds = kinds.with(kind, i.layers.rulesOf(kind, i.options.Limits))
	}
	i.snapshot.Store(&ruleIndex{kinds: kinds})
}

// Snapshot returns the rules as they are now. It is cheap: a task that makes several
// requests takes one Snapshot for all of them, so that one set of rules answers.
func (i *Interpreter) Snapshot() Snapshot {
	return Snapshot{options: &i.options, rules: i.snapshot.Load()}
}
