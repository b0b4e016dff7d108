// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// candidate is a revision that is being activated.
type candidate struct {
	content Content
	parsed  *parsedBundle
	// trial is nil before the stage that it belongs to.
	trial Trial
	// slices counts how often it was continued, and busy is the time that this took.
	slices int
	busy   time.Duration
	// waits means that only other bundles keep it from being active.
	waits bool
}

const (
	// slice is how long one bundle is tried while others wait for their turn.
	slice = 250 * time.Millisecond
	// maxBusy is how long a bundle may be tried in all. It is a guard: compilations, runs
	// and trials have bounds of their own, which are well below it.
	maxBusy = 10 * time.Second
	// maxApply is how long Begin and Resume take before they leave the rest to Resume.
	maxApply = 5 * time.Second
)

// step takes a candidate towards the next stage, and reports whether more steps lead there.
type step struct {
	to  Stage
	run func(*entry) (more bool, err error)
}

// take is run; a panic is an error of the bundle, which is refused by its name like one with any other error.
func (st step) take(e *entry) (more bool, err error) {
	defer script.Recover(&err, script.Position{File: e.candidate.content.Dir}, "the trial of the bundle")
	return st.run(e)
}

// steps are the steps after Fetched, in order.
func (s *Store) steps() []step {
	return []step{{Verified, s.verify}, {Compiled, s.compile}, {Checked, s.check}, {SmokeTested, s.smoke}, {Active, s.activate}}
}

// try takes the candidate of a bundle through the stages, and reports whether it became
// active. After a slice of time it returns, and continues when it is called again. If the
// candidate is refused, the bundle that was active stays.
func (s *Store) try(e *entry) bool {
	c, begin := e.candidate, s.options.Clock.Now()
	c.slices++
	c.waits = false
	defer func() { c.busy += s.options.Clock.Since(begin) }()
	steps := s.steps()
	done := 1 + slices.IndexFunc(steps, func(st step) bool { return st.to == e.status.Stage })
	for done < len(steps) {
		more, err := steps[done].take(e)
		elapsed := s.options.Clock.Since(begin)
		if err == nil && more && c.busy+elapsed > maxBusy {
			err = fmt.Errorf("%s: the trial of the bundle did not end within %s; it is tried again when the bundle changes; "+
				"let its scripts and cases compute less, or split it", c.content.Dir, maxBusy)
		}
		if err != nil {
			s.refuse(e, err)
			return false
		}
		if !more {
			e.status.Stage = steps[done].to
			done++
		}
		if done < len(steps) && elapsed > slice {
			return false
		}
	}
	e.candidate, e.status.Err = nil, nil
	return true
}

// refuse sets the error of a bundle, in a form that fits into a log. A candidate that only
// conflicts with other bundles stays, to be tried again.
func (s *Store) refuse(e *entry, err error) {
	e.candidate.waits = errors.As(err, new(conflictError))
	e.status.Err = yamldoc.Summary(err)
	if !e.candidate.waits {
		e.candidate = nil
	}
}

func (s *Store) verify(e *entry) (more bool, err error) {
	c := e.candidate.content
	revision, err := Revision(c.Files, c.Dir)
	if err != nil {
		return false, err
	}
	if revision != c.Revision {
		return false, fmt.Errorf("the files of %s are of revision %s, not %s", c.Dir, revision, c.Revision)
	}
	d, err := read(c.Files, c.Dir)
	if err != nil {
		return false, err
	}
	e.candidate.parsed = d
	params := c.Parameters
	if params == nil && s.options.Parameters != nil {
		params = s.options.Parameters(d.bundle.Name)
	}
	return false, d.choose(params)
}

func (s *Store) compile(e *entry) (more bool, err error) {
	return e.candidate.parsed.compileNext(s.options.Loader)
}

func (s *Store) check(e *entry) (more bool, err error) {
	c := e.candidate
	if c.trial == nil {
		if err := s.conflicts(e); err != nil || s.options.Trial == nil {
			return false, err
		}
		c.trial = s.options.Trial(c.parsed.bundle, c.content.Files)
	}
	return c.trial.Step()
}

func (s *Store) smoke(e *entry) (more bool, err error) {
	return e.candidate.parsed.smokeNext(s.options.Loader.Compiler)
}

func (s *Store) activate(e *entry) (more bool, err error) {
	// Another bundle may have become active while this one was tried.
	if err := s.conflicts(e); err != nil {
		return false, err
	}
	before, after := e.active, e.candidate.parsed.bundle
	after.Revision = e.status.Wanted
	if err := s.replace(before, after); err != nil {
		return false, err
	}
	s.registry.release(e)
	e.active = after
	s.registry.reserve(e)
	e.status.Name, e.status.Active, e.status.activeParameters = after.Name, e.status.Wanted, e.status.wantedParameters
	return false, nil
}

// conflictError is the error of a bundle that conflicts with active ones.
type conflictError struct{ error }

// Unwrap returns the errors for each of the others.
func (e conflictError) Unwrap() error { return e.error }

// conflicts returns an error for the active bundles that a candidate conflicts with, nil
// for none.
func (s *Store) conflicts(e *entry) error {
	var problems yamldoc.Problems
	for _, other := range s.registry.of(e.candidate.parsed.bundle) {
		if other != e {
			problems.Add(overlap(other.active, e.candidate.parsed.bundle))
		}
	}
	if err := problems.Err(); err != nil {
		return conflictError{err}
	}
	return nil
}
