// SPDX-License-Identifier: Apache-2.0

package leave

import (
	"math"
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	p, at := NewPace(10, start.Add(Interval(10))), start
	if p.Wait(at) != 100*time.Millisecond {
		t.Errorf("the first waits %v after a start, want an interval", p.Wait(at))
	}
	var evicted int
	for ; at.Before(start.Add(time.Minute)); at = at.Add(time.Millisecond) {
		if p.Wait(at) == 0 {
			p.Spend(1, at)
			evicted++
		}
	}
	if evicted != 599 {
		t.Errorf("%d evictions in a minute, want 10 a second but for the first interval", evicted)
	}
	if p.Spend(5, at); p.Wait(at) != 500*time.Millisecond {
		t.Errorf("after 5 at once the next waits %v, want 5 intervals", p.Wait(at))
	}
	at = at.Add(time.Hour)
	if p.Spend(1, at); p.Wait(at) != 100*time.Millisecond {
		t.Error("an idle hour saves nothing up")
	}
	if !NewPace(0, start).Stopped() || p.Stopped() {
		t.Error("0 stops, and nothing else does")
	}
}

func TestInterval(t *testing.T) {
	const longest = time.Duration(math.MaxInt64)
	for _, tc := range []struct {
		reason     string
		rate       float64
		want, five time.Duration
	}{
		{"none at all", 0, 0, 0},
		{"one in two seconds", 0.5, 2 * time.Second, 10 * time.Second},
		{"the least that the flag takes", 1e-6, 1e6 * time.Second, 5e6 * time.Second},
		{"five intervals are more than a time.Duration holds", 2e-10, 5e9 * time.Second, longest},
		{"one is", 1e-10, longest, longest},
		{"the least number", math.SmallestNonzeroFloat64, longest, longest},
	} {
		if got := Interval(tc.rate); got != tc.want {
			t.Errorf("%s: the interval is %v, want %v", tc.reason, got, tc.want)
		}
		p := NewPace(tc.rate, start)
		if p.Stopped() != (tc.rate == 0) {
			t.Errorf("%s: stopped is %t", tc.reason, p.Stopped())
		}
		if p.Spend(5, start); p.Wait(start) != tc.five {
			t.Errorf("%s: after 5 the next waits %v, want %v", tc.reason, p.Wait(start), tc.five)
		}
		if p.Spend(0, start); p.Wait(start) != 0 {
			t.Errorf("%s: after none the next waits %v", tc.reason, p.Wait(start))
		}
	}
}
