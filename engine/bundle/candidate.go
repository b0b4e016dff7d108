// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"slices"
)

// candidate is a revision that is being activated.
type candidate struct {
	content Content
	parsed  *parsedBundle
}

// step takes a candidate to the next stage.
type step struct {
	to  Stage
	run func(*entry) error
}

// steps are the steps after Fetched, in order.
func (s *Store) steps() []step {
	return []step{{Verified, s.verify}, {Compiled, s.compile}, {Checked, s.check}, {SmokeTested, s.smoke}, {Active, s.activate}}
}

// try takes the candidate of a bundle through the stages, and reports whether it became
// active. If it did not, the bundle that was active stays.
func (s *Store) try(e *entry) bool {
	steps := s.steps()
	done := 1 + slices.IndexFunc(steps, func(st step) bool { return st.to == e.status.Stage })
	for _, step := range steps[done:] {
		if e.status.Err = step.run(e); e.status.Err != nil {
			if !errors.As(e.status.Err, new(conflictError)) {
				e.candidate = nil
			}
			return false
		}
		e.status.Stage = step.to
	}
	e.candidate = nil
	return true
}

func (s *Store) verify(e *entry) error {
	c := e.candidate.content
	revision, err := Revision(c.Files, c.Dir)
	if err != nil {
		return err
	}
	if revision != c.Revision {
		return fmt.Errorf("the files of %s are of revision %s, not %s", c.Dir, revision, c.Revision)
	}
	d, err := read(c.Files, c.Dir)
	if err != nil {
		return err
	}
	e.candidate.parsed = d
	var params map[string]string
	if s.options.Parameters != nil {
		params = s.options.Parameters(d.bundle.Name)
	}
	return d.choose(params)
}

func (s *Store) compile(e *entry) error { return e.candidate.parsed.compile(s.options.Loader) }

func (s *Store) check(e *entry) error {
	b := e.candidate.parsed.bundle
	if err := s.conflicts(e); err != nil {
		return err
	}
	if s.options.Check == nil {
		return nil
	}
	return s.options.Check(b, e.candidate.content.Files)
}

func (s *Store) smoke(e *entry) error { return e.candidate.parsed.smoke(s.options.Loader.Compiler) }

func (s *Store) activate(e *entry) error {
	before, after := e.active, e.candidate.parsed.bundle
	after.Revision = e.status.Wanted
	if err := s.replace(before, after); err != nil {
		return err
	}
	s.registry.release(e)
	e.active = after
	s.registry.reserve(e)
	e.status.Name, e.status.Active = after.Name, e.status.Wanted
	return nil
}

// conflictError is the error of a bundle that conflicts with active ones.
type conflictError struct{ error }

// Unwrap returns the errors for each of the others.
func (e conflictError) Unwrap() error { return e.error }

// conflicts returns an error for the active bundles that a candidate conflicts with, nil
// for none.
func (s *Store) conflicts(e *entry) error {
	var errs []error
	for _, other := range s.registry.of(e.candidate.parsed.bundle) {
		if other != e {
			errs = append(errs, overlap(other.active, e.candidate.parsed.bundle))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return conflictError{err}
	}
	return nil
}
