// SPDX-License-Identifier: Apache-2.0

package main

import "time"

// aftermath is for how long the control plane counts as disturbed after a fault: servers are
// up again and a manager leads, but connections are tried again only now and then.
const aftermath = 10 * time.Second

// outage is the time in which a fault may delay what happens.
type outage struct {
	what  string
	began time.Time
	// ended is when the fault was over, and recovered when a manager renewed its lease after
	// that; zero is not yet.
	ended, recovered time.Time
}

// disrupt records that a fault begins, and returns a function that records its end.
func (l *ledger) disrupt(what string) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &outage{what: what, began: time.Now()}
	l.outages = append(l.outages, o)
	l.note("fault begins: " + what)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		o.ended = time.Now()
		l.note("fault ends: " + what)
	}
}

// led records that a manager took or renewed its lease.
func (l *ledger) led(at moment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.outages {
		if o.recovered.IsZero() && !o.ended.IsZero() && at.time.After(o.ended) {
			o.recovered = at.time
		}
	}
}

// disturbed reports whether a fault may have delayed what happened between two times.
func (l *ledger) disturbed(from, to time.Time) bool {
	for _, o := range l.outages {
		if o.began.Before(to) && (o.recovered.IsZero() || o.recovered.Add(aftermath).After(from)) {
			return true
		}
	}
	return false
}
