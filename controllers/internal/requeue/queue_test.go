// SPDX-License-Identifier: Apache-2.0

package requeue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/dragoman-io/dragoman/controllers/internal/progress"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// started returns a queue and its clock.
func started(t *testing.T) (priorityqueue.PriorityQueue[string], *clocktesting.FakePassiveClock) {
	t.Helper()
	clock := clocktesting.NewFakePassiveClock(start)
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, time.Hour)
	inner := priorityqueue.New("test", func(o *priorityqueue.Opts[string]) { o.RateLimiter = limiter })
	q := requeue.NewQueue(inner, limiter, clock)
	t.Cleanup(q.ShutDown)
	return q, clock
}

// take hands out the next n objects and calls each for every one.
func take(q workqueue.TypedRateLimitingInterface[string], n int, each func()) []string {
	var taken []string
	for range n {
		object, _ := q.Get()
		q.Done(object)
		taken = append(taken, object)
		each()
	}
	return taken
}

func TestQueueHandsOutEventsBeforeTheBacklog(t *testing.T) {
	q, _ := started(t)
	requeue.Backlog(q, 0, named(1000)...)
	q.Add("new")
	if got, _ := q.Get(); got != "new" {
		t.Errorf("got %s, want new: a restart with 1,000 objects does not delay one that is new", got)
	}
}

// While events never end, the backlog gets its share, the oldest first.
func TestQueueNeverLetsTheBacklogStarve(t *testing.T) {
	q, _ := started(t)
	requeue.Backlog(q, 0, named(1000)...)
	events := 0
	event := func() {
		q.Add(fmt.Sprintf("event %d", events))
		events++
	}
	for range 10 {
		event() // more than what is handed out at once
	}
	var backlog []string
	for _, object := range take(q, 100, event) {
		if !strings.HasPrefix(object, "event ") {
			backlog = append(backlog, object)
		}
	}
	if len(backlog) < 15 || len(backlog) > 25 {
		t.Errorf("%d of 100 are of the backlog, want about a fifth", len(backlog))
	}
	if diff := cmp.Diff(named(1000)[:len(backlog)], backlog); diff != "" {
		t.Errorf("the oldest come first (-want +got):\n%s", diff)
	}
}

func TestQueueKeepsTheTurnsOfTheBacklog(t *testing.T) {
	q, clock := started(t)
	requeue.Backlog(q, time.Hour, "later")
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: new(handler.LowPriority)}, "failed")
	event := func() { q.Add("event") }
	event()
	for _, object := range take(q, 20, event) {
		if object != "event" {
			t.Errorf("got %s, whose turn has not come", object)
		}
	}
	clock.SetTime(start.Add(2 * time.Hour))
	if taken := strings.Join(take(q, 20, event), " "); !strings.Contains(taken, "later") || !strings.Contains(taken, "failed") {
		t.Errorf("got %s; want both whose turn has come", taken)
	}
}

func TestQueueCountsAnObjectOnce(t *testing.T) {
	q, _ := started(t)
	for range 3 {
		requeue.Backlog(q, 0, "a", "b")
		q.Add("a")
		if diff := cmp.Diff([]string{"a", "b"}, take(q, 2, func() {})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if n := q.Len(); n != 0 {
		t.Errorf("%d objects are left, want none", n)
	}
}

func TestObserve(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	tracker := &progress.Tracker{Clock: clock}
	by := requeue.Observation{Name: "test", Tracker: tracker}
	priorities, _ := started(t)
	plain := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer plain.ShutDown()
	for _, q := range []workqueue.TypedRateLimitingInterface[string]{
		requeue.Observe[string](priorities, by), requeue.Observe(plain, by),
	} {
		tracker.Expect("test")
		if tracker.Ready() == nil {
			t.Error("ready before a worker asked for an object")
		}
		requeue.Backlog(q, 0, "slow")
		if p, ok := q.(priorityqueue.PriorityQueue[string]); ok {
			if object, priority, _ := p.GetWithPriority(); object != "slow" || priority >= 0 {
				t.Errorf("got %s of priority %d, want slow of that of the backlog", object, priority)
			}
		} else if object, _ := q.Get(); object != "slow" {
			t.Errorf("got %s, want slow", object)
		}
		if err := tracker.Ready(); err != nil {
			t.Error(err)
		}
		clock.SetTime(clock.Now().Add(time.Minute))
		if err := tracker.Stuck(time.Second); err == nil || !strings.Contains(err.Error(), "has reconciled slow for 1m0s") {
			t.Errorf("got %v, want an error about the object that is reconciled for a minute", err)
		}
		q.Done("slow")
		if err := tracker.Stuck(time.Second); err != nil {
			t.Error(err)
		}
	}
}
