// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"fmt"
	"math"
	"time"
)

// pace spreads evictions over time: one at once, and then one in each interval, in all of
// the control plane. It is not safe for several goroutines.
type pace struct {
	interval time.Duration
	// free is when the next eviction may take place.
	free time.Time
}

// newPace returns the pace of that many evictions a second; 0 is none at all. As nobody
// knows what was evicted before now, the first one waits for an interval too: a program
// that restarts again and again evicts no faster.
func newPace(rate float64, now time.Time) *pace {
	if rate == 0 {
		return &pace{}
	}
	interval := time.Duration(float64(time.Second) / rate)
	return &pace{interval: interval, free: now.Add(interval)}
}

// stopped reports whether the rate is 0.
func (p *pace) stopped() bool { return p.interval == 0 }

// wait returns how long the next eviction has to wait.
func (p *pace) wait(now time.Time) time.Duration { return max(0, p.free.Sub(now)) }

// spend counts evictions.
func (p *pace) spend(n int, now time.Time) {
	p.free = now.Add(time.Duration(n) * p.interval)
}

// DefaultRate is how many evictions there are in a second by default.
const DefaultRate = 0.5

// validateRate returns an error for a rate that is none.
func validateRate(rate float64) error {
	if rate < 0 || rate > 1e6 || math.IsNaN(rate) {
		return fmt.Errorf("--resource-eviction-rate is %v; use evictions a second, such as %v, or 0 for none", rate, DefaultRate)
	}
	return nil
}
