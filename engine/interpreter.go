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
	// Print receives what scripts print, one line a call, and where the call of print stands; tables
	// are shown as Lua writes them, and cut where they are long. Nil drops it, which a control plane does.
	Print func(at script.Position, line string)

	// Deadline bounds each run by the clock, as the last line behind Limits: no run
	// comes near 2 seconds but by a defect of the engine. A run that takes longer is
	// abandoned with an error of code script.Deadline, and after repeated ones the rule
	// is quarantined for the namespace of the object. Where Limits.Gas is large, a
	// run has a microsecond for each unit. What an abandoned run reads, it may read for
	// good, so callers must not change an object after an error. Each run goes through
	// another goroutine, which takes about 0.6 µs of CPU. 0 is no bound.
	Deadline time.Duration
	// Abandoned is called for each run that is abandoned at its deadline, by many
	// goroutines at once. The function that it returns is called if that run ends after
	// all. Nil is not called.
	Abandoned func(AbandonedRun) (ended func())
	// Memory bounds the runs that are under way at once: those whose Limits.Memory do
	// not fit into so many bytes together wait for the ones before. 0 is no bound.
	Memory int64
	// ProgramMemory bounds what the programs of all rule sets keep in memory, in bytes; 0
	// means DefaultProgramMemory. A program counts once, however many rules it has.
	ProgramMemory int64
}

// settings are the options of an interpreter, made complete.
type settings struct {
	Options
	// guard is nil unless there is a Deadline or a bound of Memory.
	guard *guard
}

// Run is one evaluation of one rule, as Observe receives it.
type Run struct {
	Operation Op
	// Kind is the kind that the rule is for: that of the object, or AnyKind.
	Kind     schema.GroupVersionKind
	Rule     *Rule
	Usage    script.Usage
	Duration time.Duration
	Err      error
}

// Interpreter holds rule sets in layers. Reads take no lock and see one consistent set of
// rules; a change of a rule set swaps that set. It is safe for many goroutines.
type Interpreter struct {
	settings settings
	mu       sync.Mutex
	layers   layers
	memory   programMemory
	snapshot atomic.Pointer[ruleIndex]
}

// NewInterpreter returns an interpreter without rules.
func NewInterpreter(options Options) *Interpreter {
	options.Limits = options.Limits.Or(script.DefaultLimits())
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	if options.ProgramMemory == 0 {
		options.ProgramMemory = DefaultProgramMemory
	}
	i := &Interpreter{settings: settings{options, newGuard(options)}, memory: programMemory{bound: options.ProgramMemory, uses: map[any]int{}}}
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
// Rules for an operation that does not exist, rules without a program, and rules for AnyKind in
// another layer than Embedded are an error, and so are programs that do not fit into Options.ProgramMemory, an *OverBudgetError. An error
// changes nothing. A rule set that takes less than the one before always fits.
func (i *Interpreter) Set(layer Layer, set RuleSet) error {
	if err := set.validate(layer); err != nil {
		return err
	}
	return i.change(layer, set.Name, &set)
}

// Remove takes a rule set out of a layer. It does nothing where there is none of the name.
func (i *Interpreter) Remove(layer Layer, name string) {
	_ = i.change(layer, name, nil) // what is removed always fits
}

// Fits returns the *OverBudgetError with which Set would refuse a rule set of this name
// whose programs take so many bytes, or nil. So one that cannot fit need not be compiled.
func (i *Interpreter) Fits(layer Layer, name string, size int64) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.memory.fits(i.layers[layer].set(name), name, size)
}

// ProgramMemory returns how many bytes the programs of all rule sets keep in memory, at
// most, and Options.ProgramMemory. Programs that only a Snapshot or a run under way still
// has are not counted.
func (i *Interpreter) ProgramMemory() (used, bound int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.memory.used, i.memory.bound
}

// change swaps the snapshot; only the kinds of the old and the new rule set are built
// again, or all where these have rules for AnyKind. The error is an *OverBudgetError.
func (i *Interpreter) change(layer Layer, name string, set *RuleSet) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.memory.replace(i.layers[layer].set(name), set); err != nil {
		return err
	}
	next := *i.snapshot.Load()
	next.rebuild(&i.layers, i.layers[layer].replace(name, set), i.settings.Limits)
	i.snapshot.Store(&next)
	return nil
}

// Snapshot returns the rules as they are now. It is cheap: a task that makes several
// requests takes one Snapshot for all of them, so that one set of rules answers.
func (i *Interpreter) Snapshot() Snapshot {
	return Snapshot{settings: &i.settings, rules: i.snapshot.Load()}
}
