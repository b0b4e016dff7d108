// SPDX-License-Identifier: Apache-2.0

package leave

import (
	"math"
	"time"
)

// longest is the longest time that there is, 292 years: more would be less than none.
const longest = time.Duration(math.MaxInt64)

// Pace spreads evictions over time: one at once, and then one in each interval, in all of
// the control plane. It is not safe for several goroutines.
type Pace struct {
	interval time.Duration
	// free is when the next eviction may take place.
	free time.Time
}

// NewPace returns the pace of that many evictions a second, the first of which may take place at a
// time; 0 is none at all.
func NewPace(rate float64, first time.Time) *Pace {
	return &Pace{interval: Interval(rate), free: first}
}

// Interval returns the time between two evictions of that many a second; 0 for none at all.
func Interval(rate float64) time.Duration {
	if rate == 0 {
		return 0
	}
	if interval := float64(time.Second) / rate; interval < float64(longest) {
		return time.Duration(interval)
	}
	return longest
}

// Stopped reports whether the rate is 0.
func (p *Pace) Stopped() bool { return p.interval == 0 }

// Wait returns how long the next eviction has to wait.
func (p *Pace) Wait(now time.Time) time.Duration { return max(0, p.free.Sub(now)) }

// Spend counts evictions.
func (p *Pace) Spend(n int, now time.Time) {
	taken := longest
	if p.interval == 0 || time.Duration(n) <= longest/p.interval {
		taken = time.Duration(n) * p.interval
	}
	p.free = now.Add(taken)
}
