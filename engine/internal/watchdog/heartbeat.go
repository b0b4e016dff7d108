// SPDX-License-Identifier: Apache-2.0

package watchdog

import (
	"runtime"
	"time"
)

// slice is how long a goroutine runs before the scheduler of Go lets the next one run.
const slice = 10 * time.Millisecond

// idleBeats is after how many beats without a task the goroutines of a watchdog end.
const idleBeats = 50

// heartbeat beats until the watchdog was not used for idleBeats.
func (d *Watchdog) heartbeat() {
	last, ended, beats := uint64(0), false, 0
	for begin := time.Now(); !ended; beats++ {
		time.Sleep(d.interval)
		// A goroutine that wakes up runs before those that wait. Behind these, it is as
		// late as a task that was preempted.
		runtime.Gosched()
		end := time.Now()
		d.beat(share(end.Sub(begin), end.Sub(begin)-d.interval))
		begin = end
		if beats%idleBeats == idleBeats-1 {
			last, ended = d.retire(last)
		}
	}
}

// share returns how much of the time between two beats counts, where the second beat came
// late. A goroutine runs for a slice and then waits as long as the beat did, so it had
// slice/(slice+late) of the time: all of it on an idle machine, a tenth among ten times as
// many busy goroutines as processors, and nearly nothing while the process was suspended.
func share(elapsed, late time.Duration) time.Duration {
	late = max(late, 0)
	return time.Duration(float64(elapsed) * float64(slice) / float64(slice+late))
}
