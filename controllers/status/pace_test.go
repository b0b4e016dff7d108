// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	const ms = time.Millisecond
	var (
		now     = reports{settled: true, generation: 1, works: 1}
		coming  = reports{generation: 1, works: 2}
		more    = reports{generation: 1, works: 3}
		nothing = reports{generation: 1, works: 2, empty: true}
		behind  = reports{settled: true, behind: true, generation: 2, works: 1}
		follows = reports{behind: true, generation: 2, works: 2}
		there   = reports{settled: true, behind: true, generation: 2, works: 2}
		next    = reports{settled: true, behind: true, generation: 3, works: 2}
		unseen  = reports{behind: true, generation: 2, works: 2}
		broken  = reports{generation: 1, works: 2, urgent: true}
		made    = reports{settled: true, behind: true, made: true, generation: 2, works: 2}
		half    = reports{behind: true, made: true, generation: 2, works: 2}
		healthy = reports{settled: true, behind: true, urgent: true, generation: 2, works: 1}
	)
	type step struct {
		at    time.Duration
		r     reports
		wrote bool
		want  time.Duration
	}
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Rest":      {"a change after a rest is written at once", []step{{0, now, true, 0}, {time.Hour, now, true, 0}}},
		"Burst":     {"what follows is collected", []step{{0, now, true, 0}, {10 * ms, now, false, 240 * ms}, {20 * ms, now, false, 230 * ms}, {250 * ms, now, true, 0}, {260 * ms, now, false, 240 * ms}}},
		"New":       {"the reports of a new template are one write", []step{{0, coming, false, 5000 * ms}, {50 * ms, coming, false, 4950 * ms}, {60 * ms, now, true, 0}}},
		"Hung":      {"a member that never reports delays others once", []step{{0, coming, false, 5000 * ms}, {5000 * ms, coming, true, 0}, {5100 * ms, coming, false, 150 * ms}, {9000 * ms, coming, true, 0}}},
		"Slow":      {"under load the next step is waited for", []step{{0, coming, false, 5000 * ms}, {4000 * ms, more, false, 5000 * ms}, {8000 * ms, now, true, 0}}},
		"Endless":   {"but not without end", []step{{0, coming, false, 5000 * ms}, {4000 * ms, more, false, 5000 * ms}, {8000 * ms, coming, false, 5000 * ms}, {12000 * ms, more, false, 5000 * ms}, {16000 * ms, coming, false, 5000 * ms}, {20000 * ms, more, false, 5000 * ms}, {24000 * ms, coming, false, 5000 * ms}, {28000 * ms, more, false, 2000 * ms}, {30000 * ms, more, true, 0}}},
		"Empty":     {"that nothing was reported yet is nothing to say", []step{{0, nothing, false, 30000 * ms}, {10000 * ms, nothing, false, 20000 * ms}, {30000 * ms, nothing, true, 0}}},
		"Failed":    {"what failed is reported at once", []step{{0, coming, false, 5000 * ms}, {10 * ms, broken, true, 0}, {20 * ms, broken, false, 240 * ms}}},
		"Recovered": {"another health is reported at once, whatever else is on its way", []step{{0, behind, false, 5000 * ms}, {10 * ms, healthy, true, 0}}},
		"Changed":   {"a new generation is written with what comes of it", []step{{0, behind, false, 5000 * ms}, {20 * ms, follows, false, 5000 * ms}, {80 * ms, there, true, 0}}},
		"Next":      {"and so is the next", []step{{0, behind, false, 5000 * ms}, {20 * ms, follows, false, 5000 * ms}, {80 * ms, there, true, 0}, {9000 * ms, next, false, 5000 * ms}, {9020 * ms, next, false, 4980 * ms}}},
		"Edited":    {"a new generation is waited for although a member never reports", []step{{0, coming, false, 5000 * ms}, {5000 * ms, coming, true, 0}, {9000 * ms, unseen, false, 5000 * ms}}},
		"Seen":      {"and also if it was seen only later", []step{{0, follows, false, 5000 * ms}, {80 * ms, there, true, 0}}},
		"Late":      {"and was there at the first look, as in a burst or after a restart", []step{{0, made, true, 0}}},
		"Half":      {"reports that are on their way are waited for", []step{{0, half, false, 5000 * ms}, {40 * ms, made, true, 0}}},
		"Nothing":   {"nothing may come of it", []step{{0, behind, false, 5000 * ms}, {5000 * ms, behind, true, 0}, {5010 * ms, now, false, 240 * ms}}},
		"Quiet":     {"what came in between does not count", []step{{0, coming, false, 5000 * ms}, {50 * ms, now, false, 0}, {6000 * ms, coming, false, 5000 * ms}}},
		"Forgiven":  {"an old failure does not make for a write at once", []step{{0, coming, false, 5000 * ms}, {9000 * ms, now, true, 0}, {20_000 * ms, coming, false, 5000 * ms}}},
	}
	start := time.Unix(1000, 0)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var p pace
			for i, s := range tc.steps {
				at := start.Add(s.at)
				if got := p.wait("b", s.r, at); got != s.want {
					t.Errorf("%s: step %d waits %s, want %s", tc.reason, i, got, s.want)
				}
				if s.wrote {
					p.wrote("b", at)
				}
			}
		})
	}
}

func TestPaceForgets(t *testing.T) {
	var p pace
	start := time.Unix(1000, 0)
	p.wait("settled", reports{settled: true}, start)
	p.wrote("settled", start)
	p.wait("waiting", reports{}, start)
	p.wait("deleted", reports{}, start)
	p.forget("deleted")
	p.wait("other", reports{settled: true}, start.Add(time.Minute))
	if len(p.times) != 2 { // waiting and other
		t.Errorf("it holds %v, want no binding that is settled or deleted", p.times)
	}
}

// TestPaceOfKeeping: what is written in between, and what is swept, does not shorten it.
func TestPaceOfKeeping(t *testing.T) {
	var p pace
	start := time.Unix(1000, 0)
	if got := p.keepAfter("b", start); got != 0 {
		t.Errorf("the first is kept at once, got %s", got)
	}
	p.kept("b", start)
	p.wait("b", reports{settled: true}, start)
	p.wrote("b", start)
	p.wait("b", reports{generation: 1}, start.Add(time.Second))
	p.wait("other", reports{}, start.Add(9*time.Second))
	if got := p.keepAfter("b", start.Add(9*time.Second)); got != time.Second {
		t.Errorf("the next waits until 10 s have passed, got %s", got)
	}
	if got := p.keepAfter("b", start.Add(10*time.Second)); got != 0 {
		t.Errorf("and not longer, got %s", got)
	}
}
