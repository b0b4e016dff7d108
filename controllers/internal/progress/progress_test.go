// SPDX-License-Identifier: Apache-2.0

package progress_test

import (
	"fmt"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/dragoman-io/dragoman/controllers/internal/progress"
)

func TestStuck(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	tracker := &progress.Tracker{Clock: clock}
	pass := func(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }
	tracker.Expect("work.execution")
	tracker.Begin("work.execution", "es/a")
	pass(time.Second)
	tracker.Begin("work.execution", "es/b")
	pass(time.Minute)
	if err := tracker.Stuck(2 * time.Minute); err != nil {
		t.Errorf("within the bound: %v", err)
	}
	want := "2 workers hang; one of controller work.execution has reconciled es/a for 1m1s"
	if err := tracker.Stuck(10 * time.Second); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	tracker.End("work.execution", "es/a")
	tracker.End("work.execution", "es/b")
	if err := tracker.Stuck(0); err != nil {
		t.Errorf("with nothing under way: %v", err)
	}
}

func TestReady(t *testing.T) {
	tracker := &progress.Tracker{Clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0))}
	for _, step := range []struct {
		do   func(string)
		name string
		want string
	}{
		{func(string) {}, "", "no controller has started yet"},
		{tracker.Expect, "b", "the caches of controllers are not synced yet: b"},
		{tracker.Expect, "a", "the caches of controllers are not synced yet: a, b"},
		{tracker.Started, "b", "the caches of controllers are not synced yet: a"},
		{tracker.Started, "a", "<nil>"},
	} {
		step.do(step.name)
		if got := fmt.Sprint(tracker.Ready()); got != step.want {
			t.Errorf("got %s, want %s", got, step.want)
		}
	}
}

func TestNothingIsRecordedWithoutATracker(*testing.T) {
	var tracker *progress.Tracker
	tracker.Expect("a")
	tracker.Started("a")
	tracker.Begin("a", 1)
	tracker.End("a", 1)
}
