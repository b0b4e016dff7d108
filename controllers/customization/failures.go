// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"sync"

	"github.com/dragoman-io/dragoman/engine"
)

// Failures keeps the first failed run of the scripts that answer, for each
// customization. It is safe for many goroutines; the zero value is ready.
type Failures struct {
	mu   sync.Mutex
	all  map[string]*failures
	tell func(name string)
}

// failures are those of one source.
type failures struct {
	// rules are the rules that answer; runs of others, which end after they were
	// replaced, do not count.
	rules map[*engine.Rule]bool
	first error
}

// Observe is the engine's observer: it notes the failures of customizations.
func (f *Failures) Observe(run engine.Run) {
	if run.Err == nil || run.Rule.Customization == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.all[run.Rule.Customization]
	if one == nil || one.first != nil || !one.rules[run.Rule] {
		return
	}
	one.first = run.Err
	if f.tell != nil {
		f.tell(run.Rule.Customization)
	}
}

func (f *Failures) listen(tell func(name string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell = tell
}

// begin reports whether the rules of a source answer from now on, and forgets the failures
// of those before.
func (f *Failures) begin(source engine.RuleSet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[string]*failures{}
	}
	one := &failures{rules: map[*engine.Rule]bool{}}
	for _, rules := range source.Kinds {
		for _, rule := range rules {
			one.rules[rule] = true
		}
	}
	f.all[source.Name] = one
}

// of returns the first failure of a customization, or nil.
func (f *Failures) of(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.all[name]; one != nil {
		return one.first
	}
	return nil
}

func (f *Failures) forget(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, name)
}
