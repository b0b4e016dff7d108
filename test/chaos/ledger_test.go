// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// story plays writes to the store, one revision and one second after the other.
type story struct {
	*ledger
	revision int64
	now      time.Time
}

func newStory() *story {
	return &story{ledger: newLedger(func(string) {}), now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
}

func (s *story) next() moment {
	s.revision++
	s.now = s.now.Add(time.Second)
	return moment{s.revision, s.now}
}

const app = "app"

// targets has the binding have targets.
func (s *story) to(targets ...string) { s.bound(s.next(), app, targets) }

// copyIn has a version of a copy be written; the id of a copy is its state and its member.
func (s *story) copyIn(member, mode, state, job string, ok bool) {
	s.saw(s.next(), member, app, sight{uid: types.UID(member + state), state: state, mode: mode, ok: ok, job: job})
}

func (s *story) goneFrom(member string) { s.gone(s.next(), member, app) }

func (s *story) stored(by source, member, job string, well bool) {
	s.next()
	s.reported(by, app, member, report{job: job, well: well})
}

// first has an application be well in member1 with job-1, as the binding reports.
func (s *story) first(mode string) {
	s.to("member1")
	s.copyIn("member1", mode, "", "", false)
	s.copyIn("member1", mode, "", "job-1", true)
	s.stored(byBinding, "member1", "job-1", true)
}

// moveDirectly moves it to member2 with a state.
func (s *story) moveDirectly(state string) {
	s.to("member2")
	s.goneFrom("member1")
	s.copyIn("member2", directly, state, "", false)
}

func TestLedger(t *testing.T) {
	for name, test := range map[string]struct {
		play func(s *story)
		want []string // sorts
	}{
		"a failover Directly": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-1", false)
			s.moveDirectly("job-1")
		}, nil},
		"the state is lost": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-1", false)
			s.moveDirectly("")
		}, []string{lostState}},
		"a newer state that only the status of the Work had": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-2", true)
			s.stored(byWork, "member1", "job-2", true)
			s.copyIn("member1", directly, "", "", false)
			s.moveDirectly("job-1")
		}, []string{lostState}},
		"a newer state that nobody has stored": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-2", true)
			s.copyIn("member1", directly, "", "", false)
			s.moveDirectly("job-1")
		}, nil},
		"a newer state that nobody has stored, carried all the same": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-2", true)
			s.copyIn("member1", directly, "", "", false)
			s.moveDirectly("job-2")
		}, nil},
		"a newer state that was there for long without a fault": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-2", true)
			s.now = s.now.Add(collection)
			s.copyIn("member1", directly, "", "", false)
			s.moveDirectly("job-1")
		}, []string{lostState}},
		"a newer state that was there for long, but during a fault": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-2", true)
			s.outages = append(s.outages, &outage{began: s.now})
			s.now = s.now.Add(collection)
			s.copyIn("member1", directly, "", "", false)
			s.moveDirectly("job-1")
		}, nil},
		"what is stored after the binding left does not count": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-2", true)
			s.copyIn("member1", directly, "", "job-2", false)
			s.to("member2")
			s.stored(byWork, "member1", "job-2", false)
			s.goneFrom("member1")
			s.copyIn("member2", directly, "job-1", "", false)
		}, nil},
		"a copy that was never stored as healthy has the state that it was made with": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-1", false)
			s.moveDirectly("job-1")
			s.copyIn("member2", directly, "job-1", "job-2", true)
			s.copyIn("member2", directly, "job-1", "job-2", false)
			s.stored(byBinding, "member2", "job-2", false)
			s.to("member3")
			s.goneFrom("member2")
			s.copyIn("member3", directly, "job-1", "", false)
		}, nil},
		"a copy that was stored as healthy has its own": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-1", false)
			s.moveDirectly("job-1")
			s.copyIn("member2", directly, "job-1", "job-2", true)
			s.stored(byBinding, "member2", "job-2", true)
			s.copyIn("member2", directly, "job-1", "job-2", false)
			s.to("member3")
			s.goneFrom("member2")
			s.copyIn("member3", directly, "job-1", "", false)
		}, []string{lostState}},
		"two copies Directly": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-1", false)
			s.to("member2")
			s.copyIn("member2", directly, "job-1", "", false)
			s.goneFrom("member1")
		}, []string{doubleCopy}},
		"a failover Gracefully": {func(s *story) {
			s.first(gradually)
			s.copyIn("member1", gradually, "", "job-1", false)
			s.to("member2")
			s.copyIn("member2", gradually, "", "job-2", true)
			s.goneFrom("member1")
		}, nil},
		"two targets Gracefully": {func(s *story) {
			s.first(gradually)
			s.copyIn("member1", gradually, "", "job-1", false)
			s.to("member1", "member2")
			s.copyIn("member2", gradually, "", "", false)
		}, []string{doubleCopy}},
		"the old copy goes before the new one is well": {func(s *story) {
			s.first(gradually)
			s.copyIn("member1", gradually, "", "job-1", false)
			s.to("member2")
			s.copyIn("member2", gradually, "", "", false)
			s.goneFrom("member1")
		}, []string{lostCopy}},
		"the last copy goes without another cluster": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-1", false)
			s.to()
			s.goneFrom("member1")
		}, []string{lostCopy}},
		"a copy goes that was to stay": {func(s *story) {
			s.first(directly)
			s.goneFrom("member1")
		}, []string{lostCopy}},
		"a copy is replaced where it is": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "job-1", "", false)
		}, []string{lostCopy}},
		"a copy that is well is moved": {func(s *story) {
			s.first(directly)
			s.now = s.now.Add(settling)
			s.moveDirectly("job-1")
		}, []string{causeless}},
		"a move that is taken back": {func(s *story) {
			s.first(directly)
			s.copyIn("member1", directly, "", "job-1", false)
			s.to()
			s.copyIn("member1", directly, "", "job-1", true)
			s.to("member1")
			s.goneFrom("member1")
		}, []string{lostCopy}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory()
			test.play(s)
			got := slices.Sorted(maps.Keys(s.problems))
			if !slices.Equal(got, test.want) {
				t.Errorf("problems %v, want those of %q", s.problems, test.want)
			}
		})
	}
}

// A failover counts as disturbed if a fault was in it or shortly before, until a manager
// renews its lease and a while after.
func TestIsGone(t *testing.T) {
	s := newStory()
	s.first(directly)
	if s.isGone(app, "member1") {
		t.Error("a copy that is there is said to be gone")
	}
	s.moveDirectly("job-1")
	if !s.isGone(app, "member1") {
		t.Error("a copy that was removed is not said to be gone")
	}
	if s.isGone(app, "unknown") {
		t.Error("a copy that was never seen is said to be gone")
	}
}

func TestDisturbed(t *testing.T) {
	s := newStory()
	began := s.now
	s.outages = append(s.outages, &outage{began: began, ended: began.Add(time.Second)})
	s.led(moment{1, began}) // before its end
	if s.outages[0].recovered.IsZero() == false {
		t.Fatal("a lease that was renewed during the fault ended it")
	}
	s.led(moment{2, began.Add(20 * time.Second)})
	calm := began.Add(20*time.Second + aftermath)
	for _, test := range []struct {
		from, to time.Time
		want     bool
	}{
		{began.Add(-time.Minute), began, false},
		{began.Add(-time.Second), began.Add(time.Second), true},
		{began.Add(15 * time.Second), began.Add(16 * time.Second), true},
		{calm.Add(-time.Second), calm.Add(time.Minute), true},
		{calm, calm.Add(time.Minute), false},
	} {
		if got := s.disturbed(test.from, test.to); got != test.want {
			t.Errorf("from %s to %s: %t, want %t", test.from.Sub(began), test.to.Sub(began), got, test.want)
		}
	}
}

// Failovers that a fault may have delayed are reported apart.
func TestSummary(t *testing.T) {
	s := newStory()
	s.first(directly)
	s.copyIn("member1", directly, "", "job-1", false)
	s.moveDirectly("job-1")
	s.copyIn("member2", directly, "job-1", "job-2", true)
	s.stored(byBinding, "member2", "job-2", true)
	s.outages = append(s.outages, &outage{what: "etcd SIGKILL", began: s.now})
	s.copyIn("member2", directly, "job-1", "job-2", false)
	s.now = s.now.Add(time.Minute)
	s.to("member3")
	s.goneFrom("member2")
	s.copyIn("member3", directly, "job-2", "", false)
	r := s.summarize()
	for what, of := range map[string]struct{ got, want []time.Duration }{
		"calm, after the toleration":      {r.afterToleration.calm[directly], []time.Duration{time.Second}},
		"disturbed, after the toleration": {r.afterToleration.disturbed[directly], []time.Duration{time.Minute + time.Second}},
		"calm, after the old copy":        {r.afterOld.calm[directly], []time.Duration{time.Second}},
		"disturbed, after the old copy":   {r.afterOld.disturbed[directly], []time.Duration{time.Second}},
	} {
		if !slices.Equal(of.got, of.want) {
			t.Errorf("%s: %v, want %v", what, of.got, of.want)
		}
	}
	text := &strings.Builder{}
	r.print(text, circumstances{seed: 7})
	for _, part := range []string{"seed 7", "etcd SIGKILL", "p50 1s, p99 1s (1)", lostState} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the table lacks %q:\n%s", part, text)
		}
	}
}
