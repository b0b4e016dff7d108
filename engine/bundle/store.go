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
	// Rules get the sources of the active bundles, in the layer engine.Installed.
	Rules Rules
	// Replace, if set, is called in place of Rules. It has the engine answer by a bundle
	// instead of another, which may have another name; of the two one may be nil, for
	// none. Its error refuses the bundle, and leaves the other one in place.
	Replace func(before, after *Bundle) error
	// Clock returns the times of the status; the real clock by default.
	Clock clock.PassiveClock
	// Parameters returns the values of a bundle's parameters, by the name of the bundle.
	// Nil chooses none.
	Parameters func(bundle string) map[string]string
	// Check runs what a bundle brings to check itself, such as its cases; its error
	// refuses the bundle. Nil checks nothing.
	Check func(b *Bundle, files fs.FS) error
	// OnStatus is called with each status that changed, once the engine has the rules; one
	// that was removed has no Stage, no Wanted and no Err. A nil OnStatus is not called.
	OnStatus func(Status)
}

// Store keeps the rules of an engine equal to the bundles of a source. Each revision of a
// bundle passes all stages, or the one before stays active. Of two bundles that answer
// the same, the one that was active first stays, and the other waits until that gives
// way; two that want to exchange what they answer are refused both. Of several that
// could come the first by folder does. It is safe for many goroutines.
type Store struct {
	options  Options
	applying sync.Mutex
	entries  map[string]*entry
	// candidates are the entries that have a trial, by folder.
	candidates map[string]*entry
	registry   registry
	board      statusBoard
}

// entry is what the store knows of one bundle.
type entry struct {
	status Status
	// active is nil where no revision is.
	active *Bundle
	// candidate is a revision on its way; nil where there is none. One that waits was
	// refused only because of other bundles, and is tried again when these change.
	candidate *candidate
	// gone means that the source has it no more.
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

// Apply takes what a source found: the bundles that it read, and the folders of those
// that it has no more. When it returns, the engine answers by them. Content of a
// revision that was tried before costs nothing. The cost is that of the bundles it is
// given and of those that wait, however many others there are.
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

// touched lists the folders whose status Apply can change, sorted: those it was given,
// and those with a trial.
func (s *Store) touched(fetched []Content, gone []string) []string {
	dirs := slices.AppendSeq(slices.Clone(gone), maps.Keys(s.candidates))
	for _, c := range fetched {
		dirs = append(dirs, c.Dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// enqueue notes a content, for advance to try.
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

// release has the bundles that are gone own nothing, so that others can come.
func (s *Store) release(touched []string) {
	for _, dir := range touched {
		if e := s.entries[dir]; e != nil && e.gone {
			delete(s.candidates, dir)
			s.registry.release(e)
		}
	}
}

// advance tries all that is on its way, until nothing moves any more: a bundle that
// becomes active can give way to one that waits.
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

// remove takes the bundles that are gone out of the engine, after those that came.
func (s *Store) remove(touched []string) {
	for _, dir := range touched {
		if e := s.entries[dir]; e != nil && e.gone {
			delete(s.entries, dir)
			s.removed(e.active)
		}
	}
}

// removed takes the rules of a bundle that is gone out of the engine; none are there if
// no revision was active, or if another folder has the name by now.
func (s *Store) removed(b *Bundle) {
	if b != nil && s.registry.names[b.Name] == nil {
		_ = s.replace(b, nil) // nothing is put in that the engine could refuse
	}
}

// replace has the engine answer by a bundle instead of another, of which either may be
// nil. The error is that the engine refuses it; then the other one stays.
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
