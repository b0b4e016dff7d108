// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/engine"
)

// outcome is the result of the last generation of a customization that was compiled.
type outcome struct {
	// generation is that generation; 0 if none was compiled.
	generation int64
	// err is why it is not active; nil if it is.
	err error
	// active is the generation whose scripts are active, and hash identifies these; 0
	// and "" if there are none.
	active int64
	hash   string
	// source are the active scripts, or the rules that are pending.
	source engine.RuleSet
	// share is which of the operations it answers.
	share share
	// pending reports whether the operations answer that they are not compiled yet.
	pending bool
}

// entry is what this process knows of one customization object. After a restart there is
// none, whatever the status is.
type entry struct {
	uid types.UID

	mu sync.Mutex
	// submitted is the generation that is compiled next, or was compiled last, and since
	// is when it was submitted.
	submitted int64
	since     time.Time
	// removed reports that the customization is gone: what is compiled then is dropped.
	removed bool
	outcome outcome
}

// outcomeOf returns the outcome as it is now, and for how long a generation has waited for
// its own; 0 if the outcome is that of the generation.
func (e *entry) outcomeOf(generation int64, now time.Time) (outcome, time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.outcome.generation == generation {
		return e.outcome, 0
	}
	return e.outcome, max(now.Sub(e.since), 1)
}

// entries are the entries of all customizations, by name. They are safe for many
// goroutines; the zero value is ready.
type entries struct {
	mu  sync.Mutex
	all map[string]*entry
}

// get returns an entry, or nil.
func (s *entries) get(name string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[name]
}

// names lists the names of all.
func (s *entries) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.all))
}

// create adds the entry of a customization of which there is none.
func (s *entries) create(name string, uid types.UID) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*entry{}
	}
	e := &entry{uid: uid}
	s.all[name] = e
	return e
}

// take removes an entry, and returns it, or nil.
func (s *entries) take(name string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[name]
	delete(s.all, name)
	return e
}
