// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"

	"github.com/dragoman-io/dragoman/engine/author/source"
)

// work is what is to be checked, and what was published.
type work struct {
	// tree has the files, with the texts of the open documents in their place. Each change makes another one.
	tree *source.Tree
	// queue are the units to be checked, each once, in the order in which they changed.
	queue []unit
	// changes counts those of each unit, so that a check of an older text is noticed.
	changes map[unit]int
	// owners are the units whose findings a file has at the editor.
	owners map[string]unit
	// wake has an item where the queue may not be empty.
	wake    chan struct{}
	stopped bool
}

func newWork(files fs.FS) work {
	return work{tree: source.New(files), changes: map[unit]int{}, owners: map[string]unit{}, wake: make(chan struct{}, 1)}
}

// snapshot is what a check is about. It is immutable.
type snapshot struct {
	files *source.Tree
	// documents are the open ones of the unit, by path.
	documents map[string]*document
}

// schedule has a unit checked. A check of it that runs is superseded: its findings are not
// published. The mutex is held.
func (s *Server) schedule(u unit) {
	if u == (unit{}) {
		return
	}
	s.work.changes[u]++
	if !slices.Contains(s.work.queue, u) {
		s.work.queue = append(s.work.queue, u)
	}
	s.wake()
}

func (s *Server) wake() {
	select {
	case s.work.wake <- struct{}{}:
	default: // it is awake
	}
}

// stop ends the worker after the check that runs.
func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.work.stopped = true
	s.wake()
}

// checkUnits checks units, one at a time, until the server stops.
func (s *Server) checkUnits() {
	for range s.work.wake {
		for {
			u, at, change, more := s.next()
			if !more {
				break
			}
			s.finish(u, at, change)
		}
		if s.isStopped() {
			return
		}
	}
}

func (s *Server) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.work.stopped
}

// next takes the next unit from the queue, as it is now.
func (s *Server) next() (u unit, at snapshot, change int, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work.stopped || len(s.work.queue) == 0 {
		return unit{}, snapshot{}, 0, false
	}
	u, s.work.queue = s.work.queue[0], s.work.queue[1:]
	at = snapshot{files: s.work.tree, documents: map[string]*document{}}
	for name, d := range s.documents {
		if d.unit == u {
			at.documents[name] = d
		}
	}
	return u, at, s.work.changes[u], true
}

// finish checks a unit, and publishes what is found unless the unit changed since. One without
// open documents has no findings.
func (s *Server) finish(u unit, at snapshot, change int) {
	var found []finding
	if len(at.documents) > 0 {
		found = s.inspected(u, at)
	}
	files := marked(u, at, found)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work.changes[u] != change || s.work.stopped {
		return
	}
	s.publish(u, at, files)
	if len(at.documents) == 0 {
		delete(s.work.changes, u)
	}
}

// inspected checks a unit. What stops the check is a finding too.
func (s *Server) inspected(u unit, at snapshot) (found []finding) {
	defer func() {
		if r := recover(); r != nil {
			s.log(fmt.Sprintf("the check of %s stopped by a defect of dragoman: %v\n%s", u.main(), r, debug.Stack()))
			found = []finding{failed(fmt.Errorf("the check stopped by a defect of dragoman: %v", r))}
		}
	}()
	found, err := s.inspect(u, at)
	if err != nil {
		s.log(fmt.Sprintf("check %s: %v", u.main(), err))
		return append(found, failed(err))
	}
	return found
}
