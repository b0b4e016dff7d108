// SPDX-License-Identifier: Apache-2.0

package leave

import (
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
