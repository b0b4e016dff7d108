// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"time"

	"k8s.io/utils/clock"
)

// debouncer is a number of changes that come together.
type debouncer struct {
	clock clock.WithTicker
	// quiet and most are those of Options.
	quiet, maxDelay time.Duration

	// dirs are the folders that changed; all says that any may have.
	dirs  map[string]bool
	all   bool
	first time.Time
	timer clock.Timer
}

// add notes a change of a folder, or of all for "", and winds the alarm.
func (b *debouncer) add(dir string) {
	now := b.clock.Now()
	if b.timer == nil {
		b.first, b.dirs = now, map[string]bool{}
	}
	if dir == "" {
		b.all = true
	} else {
		b.dirs[dir] = true
	}
	if b.timer != nil && !b.timer.Stop() {
		return // it rings already
	}
	b.timer = b.clock.NewTimer(remaining(now.Sub(b.first), b.quiet, b.maxDelay))
}

// C returns a channel that tells when the burst counts as one; nil where there is
// nothing to tell.
func (b *debouncer) C() <-chan time.Time {
	if b.timer == nil {
		return nil
	}
	return b.timer.C()
}

// reset forgets the changes.
func (b *debouncer) reset() {
	if b.timer != nil {
		b.timer.Stop()
	}
	b.dirs, b.all, b.timer = nil, false, nil
}

// remaining is how long a burst still waits after a change: for a quiet time, and in all
// not longer than most. since is the time since its first change.
func remaining(since, quiet, most time.Duration) time.Duration {
	return max(0, min(quiet, most-since))
}
