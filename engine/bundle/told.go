// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"maps"
	"slices"
	"sync"
)

// told are the statuses as the last Apply left them, by folder.
type told struct {
	sync.RWMutex
	statuses map[string]Status
}

// Statuses lists the bundles, sorted by folder.
func (s *Store) Statuses() []Status {
	s.told.RLock()
	defer s.told.RUnlock()
	all := make([]Status, 0, len(s.told.statuses))
	for _, dir := range slices.Sorted(maps.Keys(s.told.statuses)) {
		all = append(all, s.told.statuses[dir])
	}
	return all
}

// publish tells of the statuses that are not as before, those of removed bundles last.
func (s *Store) publish(touched []string) {
	changed := s.note(touched)
	if s.options.Told == nil {
		return
	}
	for _, status := range changed {
		s.options.Told(status)
	}
}

// note keeps the statuses for all to see, and returns those that changed.
func (s *Store) note(touched []string) []Status {
	s.told.Lock()
	defer s.told.Unlock()
	now := s.options.Clock.Now()
	var changed, removed []Status
	for _, dir := range touched {
		before, known := s.told.statuses[dir]
		e := s.entries[dir]
		switch {
		case e == nil && known:
			delete(s.told.statuses, dir)
			removed = append(removed, Status{Dir: dir, Origin: before.Origin, Since: now})
			continue
		case e == nil:
			continue
		case !same(before, e.status):
			e.status.Since = now
			changed = append(changed, e.status)
		}
		s.told.statuses[dir] = e.status
	}
	return append(changed, removed...)
}

// same compares two statuses but for their times and origins.
func same(a, b Status) bool {
	return a.Stage == b.Stage && a.Wanted == b.Wanted && a.Active == b.Active && a.Name == b.Name && text(a.Err) == text(b.Err)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
