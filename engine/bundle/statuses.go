// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"maps"
	"slices"
	"sync"
)

// statusBoard are the statuses as the last Apply left them, by folder.
type statusBoard struct {
	sync.RWMutex
	statuses map[string]Status
}

// Statuses lists the bundles, sorted by folder.
func (s *Store) Statuses() []Status {
	s.board.RLock()
	defer s.board.RUnlock()
	all := make([]Status, 0, len(s.board.statuses))
	for _, dir := range slices.Sorted(maps.Keys(s.board.statuses)) {
		all = append(all, s.board.statuses[dir])
	}
	return all
}

// publish calls OnStatus for the statuses that changed, those of removed bundles last.
func (s *Store) publish(touched []string) {
	changed := s.record(touched)
	if s.options.OnStatus == nil {
		return
	}
	for _, status := range changed {
		s.options.OnStatus(status)
	}
}

// record stores the statuses for Statuses, and returns those that changed.
func (s *Store) record(touched []string) []Status {
	s.board.Lock()
	defer s.board.Unlock()
	now := s.options.Clock.Now()
	var changed, removed []Status
	slices.Sort(touched)
	for _, dir := range slices.Compact(touched) {
		before, known := s.board.statuses[dir]
		e := s.entries[dir]
		switch {
		case e == nil && known:
			delete(s.board.statuses, dir)
			removed = append(removed, Status{Dir: dir, Origin: before.Origin, Since: now})
			continue
		case e == nil:
			continue
		case !same(before, e.status):
			e.status.Since = now
			changed = append(changed, e.status)
		}
		s.board.statuses[dir] = e.status
	}
	return append(changed, removed...)
}

// same reports whether two statuses are equal except for their times and origins.
func same(a, b Status) bool {
	return a.Stage == b.Stage && a.Wanted == b.Wanted && a.Active == b.Active && a.Name == b.Name && text(a.Err) == text(b.Err)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
