// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"
	"maps"
	"slices"
	"sync"

	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/engine"
)

// Rules is the part of an interpreter that a store writes to.
type Rules interface {
	Set(layer engine.Layer, source engine.RuleSet) error
	Remove(layer engine.Layer, name string)
}

// Options configure a Store. Loader, and Rules or Replace, are required.
type Options struct {
	Loader Loader
	// Rules receives the rule sets of the active bundles, in the layer engine.Installed.
	Rules Rules
	// Replace, if set, is called in place of Rules. It replaces a bundle in the engine by
	// another one, which may have another name; one of the two may be nil, for none. If
	// it returns an error, the bundle is refused and the other one stays in place.
	Replace func(before, after *Bundle) error
	// Clock returns the times of the status; the real clock by default.
	Clock clock.PassiveClock
	// Parameters returns the values of a bundle's parameters, by the name of the bundle.
	// If nil, all take their defaults.
	Parameters func(bundle string) map[string]string
	// Check runs the bundle's own checks, such as its cases; if it returns an error, the
	// bundle is refused. Nil checks nothing.
	Check func(b *Bundle, files fs.FS) error
	// OnStatus is called with each status that changed, once the engine has the rules;
	// the status of a removed bundle has no Stage, no Wanted and no Err. A nil OnStatus
	// is not called.
	OnStatus func(Status)
}

// Store keeps the engine's rules equal to the bundles of a source. A revision of a bundle
// passes all stages, or the one before stays active. Of two bundles that answer the same,
// the one that was active first stays, and the other waits until that one is removed or
// changes; two that want to exchange what they answer are both refused. Of several that
// wait, the first by folder becomes active. It is safe for many goroutines.
type Store struct {
	options  Options
	applying sync.Mutex
	entries  map[string]*entry
	// candidates are the entries that have a candidate, by folder.
	candidates map[string]*entry
	registry   registry
	board      statusBoard
}

// entry is the state of one bundle.
type entry struct {
	status Status
	// active is nil if no revision is active.
	active *Bundle
	// candidate is the revision that is being activated, nil for none. One that was
	// refused only because of other bundles waits, and is tried again when these change.
	candidate *candidate
	// gone means that the source no longer has it.
	gone bool
}

// NewStore returns a store without bundles.
func NewStore(o Options) *Store {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return &Store{
		options: o,
		entries: map[string]*entry{}, candidates: map[string]*entry{}, registry: newRegistry(),
		board: statusBoard{statuses: map[string]Status{}},
	}
}

// Apply takes the bundles that a source read, and the folders of those that it no longer
// has. When it returns, the engine answers by them. A revision that was tried before
// costs nothing. The cost depends on the bundles that are passed and on those that wait,
// not on all others.
func (s *Store) Apply(fetched []Content, gone []string) {
	s.applying.Lock()
	defer s.applying.Unlock()
	for _, dir := range gone {
		if e := s.entries[dir]; e != nil {
			e.gone = true
		}
	}
	for _, c := range fetched {
		s.enqueue(c)
	}
	touched := s.touched(fetched, gone)
	s.release(touched)
	s.advance()
	s.remove(touched)
	s.publish(touched)
}

// touched lists the folders whose status Apply can change, sorted: those that were
// passed, and those with a candidate.
func (s *Store) touched(fetched []Content, gone []string) []string {
	dirs := slices.AppendSeq(slices.Clone(gone), maps.Keys(s.candidates))
	for _, c := range fetched {
		dirs = append(dirs, c.Dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// enqueue stores a content for advance to try.
func (s *Store) enqueue(c Content) {
	e := s.entries[c.Dir]
	if e == nil {
		e = &entry{status: Status{Dir: c.Dir}}
		s.entries[c.Dir] = e
	}
	e.gone = false
	e.status.Origin = c.Origin
	what := decide(e.status, c)
	if what == keep {
		return
	}
	e.candidate = nil
	delete(s.candidates, c.Dir)
	e.status.Wanted, e.status.Stage, e.status.Err = c.Revision, "", c.Err
	switch what {
	case restore:
		e.status.Stage = Active
	case attempt:
		e.status.Stage = Fetched
		e.candidate = &candidate{content: c}
		s.candidates[c.Dir] = e
	}
}

// release frees what removed bundles own, so that others can become active.
func (s *Store) release(touched []string) {
	for _, dir := range touched {
		if e := s.entries[dir]; e != nil && e.gone {
			delete(s.candidates, dir)
			s.registry.release(e)
		}
	}
}

// advance tries all candidates until none becomes active any more: a new revision of one
// bundle can free what another waits for.
func (s *Store) advance() {
	for moved := true; moved; {
		moved = false
		for _, dir := range slices.Sorted(maps.Keys(s.candidates)) {
			e := s.candidates[dir]
			if s.try(e) {
				moved = true
			}
			if e.candidate == nil {
				delete(s.candidates, dir)
			}
		}
	}
}

// remove removes bundles from the engine, after the new ones are active.
func (s *Store) remove(touched []string) {
	for _, dir := range touched {
		if e := s.entries[dir]; e != nil && e.gone {
			delete(s.entries, dir)
			s.removed(e.active)
		}
	}
}

// removed removes the rules of a bundle from the engine; there are none if no revision
// was active, or if another folder has taken the name.
func (s *Store) removed(b *Bundle) {
	if b != nil && s.registry.names[b.Name] == nil {
		_ = s.replace(b, nil) // without a new rule set the engine refuses nothing
	}
}

// replace replaces a bundle in the engine by another; either may be nil. If it returns an
// error, the engine refused the new one, and the old one stays.
func (s *Store) replace(before, after *Bundle) error {
	if s.options.Replace != nil {
		return s.options.Replace(before, after)
	}
	return replaceIn(s.options.Rules, before, after)
}

// replaceIn puts the rules of a bundle into the engine, in place of those of another.
func replaceIn(rules Rules, before, after *Bundle) error {
	if after != nil {
		if err := rules.Set(engine.Installed, after.Source); err != nil {
			return err
		}
	}
	if before != nil && (after == nil || after.Name != before.Name) {
		rules.Remove(engine.Installed, before.Name)
	}
	return nil
}
