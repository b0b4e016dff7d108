// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"time"

	"k8s.io/utils/clock"
)

// debouncer collects changes until none has come for a while.
type debouncer struct {
	clock clock.WithTicker
	// quiet and maxDelay are Debounce and MaxDelay of Options.
	quiet, maxDelay time.Duration

	// dirs are the folders that changed; all means that any may have.
	dirs  map[string]bool
	all   bool
	first time.Time
	timer clock.Timer
}

// add records a change of a folder, or of all for "", and restarts the timer.
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
		return // it has fired already
	}
	b.timer = b.clock.NewTimer(remaining(now.Sub(b.first), b.quiet, b.maxDelay))
}

// C returns a channel that fires when the collected changes are due; nil where there are
// none.
func (b *debouncer) C() <-chan time.Time {
	if b.timer == nil {
		return nil
	}
	return b.timer.C()
}

// reset drops the changes.
func (b *debouncer) reset() {
	if b.timer != nil {
		b.timer.Stop()
	}
	b.dirs, b.all, b.timer = nil, false, nil
}

// remaining returns how long to wait after a change: the quiet time, but in all no longer
// than maxDelay. since is the time since the first change.
func remaining(since, quiet, most time.Duration) time.Duration {
	return max(0, min(quiet, most-since))
}
