// SPDX-License-Identifier: Apache-2.0

package watchdog

import (
	"fmt"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// story steps a quarantine of at most three abandoned tasks through time.
type story struct {
	*testing.T
	*Quarantine
	now time.Time
}

func newStory(t *testing.T) *story { return &story{t, NewQuarantine(3), noon} }

func of(rule, namespace string) Pair {
	return Pair{Rule: rule, Origin: "origin of " + rule, Namespace: namespace}
}

func (s *story) step(d time.Duration) { s.now = s.now.Add(d) }

// violates has a task of a pair abandoned and end right after.
func (s *story) violates(p Pair) {
	s.Violated(p, s.now)
	s.Ended(p)
}

// refuses asserts why a pair is refused now, and for how long if that is known.
func (s *story) refuses(p Pair, want Reason, left time.Duration) {
	s.Helper()
	why, until := s.Refuses(p, s.now)
	if why != want || !until.IsZero() && until.Sub(s.now) != left {
		s.Errorf("at %s %v is refused as %q for %v, want %q for %v", s.now.Format(time.TimeOnly), p, why, until.Sub(s.now), want, left)
	}
}

func TestQuarantineAfterThreeViolations(t *testing.T) {
	s, p := newStory(t), of("rule", "web")
	for range 2 {
		s.violates(p)
		s.refuses(p, "", 0)
		s.step(time.Minute)
	}
	s.violates(p)
	s.refuses(p, Quarantined, time.Minute)
	s.step(time.Minute - 1)
	s.refuses(p, Quarantined, 1)
	s.step(1)
	s.refuses(p, "", 0)
}

func TestViolationsExpire(t *testing.T) {
	s, p := newStory(t), of("rule", "web")
	for range 10 {
		s.violates(p)
		s.step(window/2 + 1)
		s.refuses(p, "", 0)
	}
}

func TestQuarantinesDouble(t *testing.T) {
	s, p := newStory(t), of("rule", "web")
	s.violates(p)
	s.violates(p)
	for _, minutes := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60} {
		s.violates(p)
		s.refuses(p, Quarantined, minutes*time.Minute)
		s.step(minutes*time.Minute + window)
		s.refuses(p, "", 0)
	}
	s.step(1) // after a calm window it takes three again
	s.violates(p)
	s.violates(p)
	s.refuses(p, "", 0)
	s.violates(p)
	s.refuses(p, Quarantined, time.Minute)
}

func TestQuarantineOfOthers(t *testing.T) {
	s, p := newStory(t), of("rule", "web")
	for range 3 {
		s.violates(p)
	}
	s.refuses(p, Quarantined, time.Minute)
	s.refuses(of("rule", "mail"), "", 0)
	s.refuses(of("other", "web"), "", 0)
	s.refuses(Pair{Rule: "rule", Origin: "origin of rule", Name: "web"}, "", 0)
	replaced := p
	replaced.Rule = "rule 2"
	s.refuses(replaced, "", 0)
}

func TestOneAbandonedTaskForAPair(t *testing.T) {
	s, p := newStory(t), of("rule", "web")
	s.Violated(p, s.now)
	s.step(24 * time.Hour)
	s.refuses(p, Unended, 0)
	s.refuses(of("rule", "mail"), "", 0)
	s.Ended(p)
	s.refuses(p, "", 0)
}

func TestSaturation(t *testing.T) {
	s := newStory(t)
	s.violates(of("once", "web"))
	for n := range 3 {
		s.refuses(of("shared", "mail"), "", 0)
		s.Violated(of("shared", fmt.Sprint(n)), s.now)
	}
	s.refuses(of("shared", "mail"), Saturated, 0)
	s.refuses(of("once", "mail"), Saturated, 0)
	s.refuses(of("innocent", "0"), "", 0)
	replaced := of("shared", "mail")
	replaced.Rule = "shared 2"
	s.refuses(replaced, Saturated, 0)
	s.Ended(of("shared", "1"))
	s.refuses(of("shared", "mail"), "", 0)
}

func TestPairsAreBounded(t *testing.T) {
	s, first, unended := newStory(t), of("rule", "first"), of("rule", "unended")
	s.Violated(unended, s.now)
	for range 3 {
		s.violates(first)
	}
	for n := range mostPairs - 2 {
		s.step(time.Millisecond)
		s.violates(of("rule", fmt.Sprint(n)))
	}
	s.refuses(first, Quarantined, time.Minute-(mostPairs-2)*time.Millisecond)
	for n := range 100 { // none of which takes the place of what is quarantined
		s.violates(of("more", fmt.Sprint(n)))
	}
	if s.Pairs() != mostPairs || len(s.origins) != 2 {
		t.Errorf("%d pairs of %d origins are remembered, want %d of 2", s.Pairs(), len(s.origins), mostPairs)
	}
	s.refuses(first, Quarantined, time.Minute-(mostPairs-2)*time.Millisecond)
	s.refuses(unended, Unended, 0)

	s.step(24 * time.Hour) // what is clean goes with the next violation
	s.violates(of("late", "web"))
	if s.Pairs() != 2 || s.origins["origin of rule"] != 1 {
		t.Errorf("%d pairs and %v are remembered, want 2", s.Pairs(), s.origins)
	}
}
