// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
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
	// Trial starts the trial of a bundle by its own cases; if the trial returns an error,
	// the bundle is refused. Nil tries nothing.
	Trial func(b *Bundle, files fs.FS) Trial
	// OnStatus is called with each status that changed, once the engine has the rules;
	// the status of a removed bundle has no Stage, no Wanted and no Err. A nil OnStatus
	// is not called.
	OnStatus func(Status)
}

// Trial tries a bundle before it becomes active, such as package cases does.
type Trial interface {
	// Step does a small part of the trial, and reports whether there is more to do. An
	// error ends the trial.
	Step() (more bool, err error)
}

// Store keeps the engine's rules equal to the bundles of a source. A revision of a bundle
// passes all stages, or the one before stays active. Of two bundles that answer the same,
// the one that was active first stays, and the other waits until that one is removed or
// changes; two that want to exchange what they answer are both refused. Of several that
// wait, the first by folder becomes active. Bundles take turns while they are tried, so
// that none waits long for another one. It is safe for many goroutines.
type Store struct {
	options  Options
	applying sync.Mutex
	entries  map[string]*entry
	// candidates are the entries that have a candidate, by folder.
	candidates map[string]*entry
	registry   registry
	// leaving are the folders of bundles that are gone and still in the engine.
	leaving []string
	board   statusBoard
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
// not on all others; that of one bundle is some seconds at most.
func (s *Store) Apply(fetched []Content, gone []string) {
	for more := s.Begin(fetched, gone); more; {
		more = s.Resume()
	}
}

// Begin is like Apply, but returns after about 5 s, and reports whether it left bundles
// that take longer to compile or to try. Resume continues with them.
func (s *Store) Begin(fetched []Content, gone []string) (more bool) {
	s.applying.Lock()
	defer s.applying.Unlock()
	s.publish(s.leave())
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
	s.leaving = slices.Clone(gone)
	return s.turn(touched)
}

// Resume continues with the bundles that Begin left, for about 5 s, and reports whether
// some are left still. They take turns of 0.25 s.
func (s *Store) Resume() (more bool) {
	s.applying.Lock()
	defer s.applying.Unlock()
	return s.turn(s.touched(nil, nil))
}

// turn has the candidates take their turns, and reports whether some are left. Bundles that are
// gone leave the engine when none is left, since one of these may take their place.
func (s *Store) turn(touched []string) (more bool) {
	s.advance()
	if more = s.unfinished(); !more {
		touched = append(touched, s.leave()...)
	}
	s.publish(touched)
	return more
}

// leave removes the bundles that are gone, and returns their folders.
func (s *Store) leave() []string {
	left := s.leaving
	s.leaving = nil
	s.remove(left)
	return left
}

// unfinished reports whether there are bundles to continue with.
func (s *Store) unfinished() bool {
	for _, e := range s.candidates {
		if !e.candidate.waits {
			return true
		}
	}
	return false
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
	e.status.Wanted, e.status.Stage, e.status.Err = c.Revision, "", yamldoc.Summary(c.Err)
	e.status.wantedParameters = c.parameters()
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

// advance tries all candidates in turn until each is active, refused or waiting, or until
// time is up. Those that wait are tried again where one became active: a new revision of a
// bundle can free what another waits for.
func (s *Store) advance() {
	begin := s.options.Clock.Now()
	up := func() bool { return s.options.Clock.Since(begin) > maxApply }
	for moved := true; moved || s.unfinished() && !up(); {
		moved = false
		for _, e := range s.queue() {
			if !e.candidate.waits && up() {
				continue
			}
			if s.try(e) {
				moved = true
			}
			if e.candidate == nil {
				delete(s.candidates, e.status.Dir)
			}
		}
	}
}

// queue lists the entries with a candidate: those first that had the fewest turns, then by
// folder. One that waits for others keeps its place by folder.
func (s *Store) queue() []*entry {
	turns := func(e *entry) int {
		if e.candidate.waits {
			return 0
		}
		return e.candidate.slices
	}
	return slices.SortedFunc(maps.Values(s.candidates), func(a, b *entry) int {
		return cmp.Or(cmp.Compare(turns(a), turns(b)), strings.Compare(a.status.Dir, b.status.Dir))
	})
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
