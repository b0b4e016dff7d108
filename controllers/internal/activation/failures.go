// SPDX-License-Identifier: Apache-2.0

package activation

import (
	"sync"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// failures holds the first failed run of the active rules of each customization. It is
// safe for many goroutines; the zero value is ready.
type failures struct {
	mu     sync.Mutex
	all    map[string]*failure
	notify func(name string)
}

// failure is the first failure of one customization.
type failure struct {
	// rules are the active rules; runs of others, which end after they were replaced,
	// do not count.
	rules map[*engine.Rule]bool
	first error
}

// observe records the failures of customizations. One that is not compiled yet has none.
func (f *failures) observe(run engine.Run) {
	if run.Err == nil || run.Rule.Customization == "" || CodeOf(run.Err) == script.Pending {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.all[run.Rule.Customization]
	if one == nil || one.first != nil || !one.rules[run.Rule] {
		return
	}
	one.first = run.Err
	if f.notify != nil {
		f.notify(run.Rule.Customization)
	}
}

func (f *failures) listen(notify func(name string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notify = notify
}

// begin records failures of the rules of a source from now on, and drops those of the
// rules before. The function that it returns undoes that.
func (f *failures) begin(source engine.RuleSet) (undo func()) {
	one := &failure{rules: map[*engine.Rule]bool{}}
	for _, rules := range source.Kinds {
		for _, rule := range rules {
			one.rules[rule] = true
		}
	}
	last := f.set(source.Name, one)
	return func() { f.set(source.Name, last) }
}

// set sets the record of a customization, and returns the one before; nil is none.
func (f *failures) set(name string, next *failure) *failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[string]*failure{}
	}
	last := f.all[name]
	if next == nil {
		delete(f.all, name)
		return last
	}
	f.all[name] = next
	return last
}

// of returns the first failure of a customization, or nil.
func (f *failures) of(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.all[name]; one != nil {
		return one.first
	}
	return nil
}

func (f *failures) forget(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, name)
}
