package engine

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/engine/script"
)

// ErrNoRule says that no source has a script for this kind and operation.
var ErrNoRule = errors.New("no script answers this operation for this kind")

// Layer is the rank of a source: of two sources that have a rule for the same
// kind and operation, the one with the lower layer answers.
type Layer int

const (
	// Customizations are ResourceInterpreterCustomization objects.
	Customizations Layer = iota
	// Installed are bundles loaded at run time.
	Installed
	// Embedded are the bundles of this program.
	Embedded

	layerCount
)

// Rule is one compiled script and what it needs to run.
type Rule struct {
	Program script.Program
	// Origin names the source in messages and metrics: bundle flink,
	// customization foo.
	Origin string
	// Customization names the ResourceInterpreterCustomization that the rule is of,
	// or is "".
	Customization string
	// Limits bound a run; zero fields take those of the interpreter.
	Limits script.Limits
	// Params are the parameters of the bundle.
	Params map[string]any
	// Expression says that the program is one CEL expression: its single result
	// holds the whole answer, a merge patch where the operation has Patch.
	Expression bool
	// Published says that the rule came in the published form, whose scripts expect
	// the lossy values of package compat, and where health is a boolean and nothing
	// else.
	Published bool
}

// Source is the rules of one customization or one bundle.
type Source struct {
	// Name orders the sources of one layer, and names this one for replacement.
	Name  string
	Kinds map[schema.GroupVersionKind]Rules
}

// Rules are the rules of one source for one kind, by operation name.
type Rules map[string]*Rule

// Options configure an Interpreter. The zero value is usable.
type Options struct {
	// Limits bound every run; zero fields take script.DefaultLimits.
	Limits script.Limits
	// Clock is what scripts see as now; the real clock by default.
	Clock clock.PassiveClock
	// Observe is told of every run; it must be quick and safe for many
	// goroutines. Nil tells nobody.
	Observe func(Run)
	// Print receives what scripts print, one line a call. Nil drops it.
	Print func(line string)
}

// Run is what Observe is told: one evaluation of one rule.
type Run struct {
	Operation string
	Kind      schema.GroupVersionKind
	Rule      *Rule
	Usage     script.Usage
	Err       error
}

// Interpreter answers operations from the rules of its sources. Reads take no
// lock and see one consistent set of rules; a change of a source swaps the set.
// It is safe for many goroutines.
type Interpreter struct {
	options  Options
	mu       sync.Mutex
	layers   [layerCount]map[string]Source
	snapshot atomic.Pointer[snapshot]
}

// NewInterpreter gives an interpreter without sources.
func NewInterpreter(options Options) *Interpreter {
	options.Limits = options.Limits.Or(script.DefaultLimits)
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	i := &Interpreter{options: options}
	for l := range i.layers {
		i.layers[l] = map[string]Source{}
	}
	i.snapshot.Store(&snapshot{})
	return i
}

// Set adds a source to a layer, or replaces the one of the same name. Runs under
// way end with the rules they began with.
func (i *Interpreter) Set(layer Layer, source Source) {
	i.change(layer, source.Name, &source)
}

// Remove takes a source out of a layer; a source that is not there is fine.
func (i *Interpreter) Remove(layer Layer, name string) {
	i.change(layer, name, nil)
}

// change swaps the snapshot; only the kinds of the old and the new source are
// built again.
func (i *Interpreter) change(layer Layer, name string, source *Source) {
	i.mu.Lock()
	defer i.mu.Unlock()
	touched := map[schema.GroupVersionKind]bool{}
	for kind := range i.layers[layer][name].Kinds {
		touched[kind] = true
	}
	if source == nil {
		delete(i.layers[layer], name)
	} else {
		i.layers[layer][name] = *source
		for kind := range source.Kinds {
			touched[kind] = true
		}
	}
	i.snapshot.Store(i.snapshot.Load().with(&i.layers, touched))
}

// Supports says that some source has a rule for this kind and operation.
func (i *Interpreter) Supports(kind schema.GroupVersionKind, operation string) bool {
	op := indexOf(operation)
	return op >= 0 && i.supports(kind, op)
}

func (i *Interpreter) supports(kind schema.GroupVersionKind, operation int) bool {
	return len(i.snapshot.Load().rules(kind, operation)) > 0
}

// Origin names the source that answers this kind and operation, or is "".
func (i *Interpreter) Origin(kind schema.GroupVersionKind, operation string) string {
	if op := indexOf(operation); op >= 0 {
		if rules := i.snapshot.Load().rules(kind, op); len(rules) > 0 {
			return rules[0].Origin
		}
	}
	return ""
}

// run asks the first source that has a rule. Its error is final: there is no
// falling through on error.
func run[In, Out any](i *Interpreter, op *Op[In, Out], kind schema.GroupVersionKind, in In) (Out, error) {
	rules := i.snapshot.Load().rules(kind, op.index)
	if len(rules) == 0 {
		var none Out
		return none, ErrNoRule
	}
	return evaluate(i, op, kind, rules[0], in)
}

// evaluate runs one rule.
func evaluate[In, Out any](i *Interpreter, op *Op[In, Out], kind schema.GroupVersionKind, rule *Rule, in In) (Out, error) {
	c := op.calls.get(op)
	c.rule, c.in = rule, in
	c.Params, c.Limits, c.Now = rule.Params, rule.Limits.Or(i.options.Limits), i.options.Clock.Now()
	c.Args, c.Print = op.bind(in, c.args[:0]), i.options.Print
	if rule.Published {
		op.bindPublished(in, c.Args)
	}
	usage, err := rule.Program.Run(&c.Call, c)
	out := c.out
	op.calls.put(c)
	if err != nil {
		var none Out
		out = none
		err = fmt.Errorf("%s by %s: %w", op.Name, rule.Origin, err)
	}
	if i.options.Observe != nil {
		i.options.Observe(Run{Operation: op.Name, Kind: kind, Rule: rule, Usage: usage, Err: err})
	}
	return out, err
}

// callPool keeps calls for reuse.
type callPool[In, Out any] struct{ pool sync.Pool }

func (p *callPool[In, Out]) get(op *Op[In, Out]) *call[In, Out] {
	c, ok := p.pool.Get().(*call[In, Out])
	if !ok {
		c = &call[In, Out]{op: op}
		c.Entry, c.Names = op.Entry, op.Params
	}
	return c
}

func (p *callPool[In, Out]) put(c *call[In, Out]) {
	var (
		in  In
		out Out
	)
	c.in, c.out, c.rule, c.Args, c.Params, c.Print, c.Now = in, out, nil, nil, nil, nil, time.Time{}
	clear(c.args[:])
	p.pool.Put(c)
}
