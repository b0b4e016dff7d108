// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"
)

func TestTrackerIsSafeForManyGoroutines(t *testing.T) {
	tracker := &Tracker{Clock: clock.RealClock{}}
	var wait sync.WaitGroup
	for g := range 8 {
		name := fmt.Sprint(g % 3)
		wait.Go(func() {
			tracker.Expect(name)
			for round := range 100 {
				tracker.Started(name)
				tracker.Begin(name, round)
				_, _ = tracker.Stuck(time.Hour), tracker.Ready()
				tracker.End(name, round)
			}
		})
	}
	wait.Wait()
}
