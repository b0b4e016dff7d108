// SPDX-License-Identifier: Apache-2.0

package requeue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// about is the subject of a name.
func about(name string) requeue.Subject {
	return requeue.AboutBinding(types.NamespacedName{Name: name})
}

// stage returns the queue of a controller that follows a trail.
func stage(t *testing.T, trail *requeue.Trail, clock *clocktesting.FakePassiveClock) priorityqueue.PriorityQueue[string] {
	t.Helper()
	of := func(name string, limiter workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
		return requeue.NewQueue(priorityqueue.New(name, func(o *priorityqueue.Opts[string]) { o.RateLimiter = limiter }), limiter, clock)
	}
	q := requeue.Follow(of, trail, about)("test", workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, time.Hour)).(priorityqueue.PriorityQueue[string])
	t.Cleanup(q.ShutDown)
	return q
}

// work hands out one object of a queue, as a worker does.
func work(q priorityqueue.PriorityQueue[string]) (object string, priority int) {
	object, priority, _ = q.GetWithPriority()
	q.Done(object)
	return object, priority
}

func TestWhatTheBacklogCausesGoesBehindWhatUsersChange(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	trail := requeue.NewTrail(clock)
	first, second := stage(t, trail, clock), stage(t, trail, clock)
	requeue.Backlog(second, 0, "untouched")
	requeue.Backlog(first, 0, named(3)...)
	for range 3 {
		object, _ := work(first)
		second.Add(object) // the event of what the worker wrote
	}
	first.Add("new")
	object, _ := work(first)
	second.Add(object)
	var got []string
	for range 5 {
		object, _ := work(second)
		got = append(got, object)
	}
	want := append(append([]string{"new"}, named(3)...), "untouched")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("first what is new, then what was begun, then the rest of the backlog (-want +got):\n%s", diff)
	}
}

func TestTrail(t *testing.T) {
	const backlog = handler.LowPriority
	for _, tc := range []struct {
		reason string
		do     func(*requeue.Trail, *clocktesting.FakePassiveClock, priorityqueue.PriorityQueue[string])
		want   int
	}{
		{"an event of nothing that anybody did is what it is", func(*requeue.Trail, *clocktesting.FakePassiveClock, priorityqueue.PriorityQueue[string]) {}, 0},
		{"that of the backlog is not", func(_ *requeue.Trail, _ *clocktesting.FakePassiveClock, q priorityqueue.PriorityQueue[string]) {
			requeue.Backlog(q, 0, "x")
			work(q)
		}, -75},
		{"that of a changed policy has its place", func(_ *requeue.Trail, _ *clocktesting.FakePassiveClock, q priorityqueue.PriorityQueue[string]) {
			requeue.Related(q, "x")
			work(q)
		}, -50},
		{"after some seconds it can be no consequence", func(_ *requeue.Trail, clock *clocktesting.FakePassiveClock, q priorityqueue.PriorityQueue[string]) {
			requeue.Backlog(q, 0, "x")
			work(q)
			clock.SetTime(start.Add(5 * time.Second))
		}, 0},
		{"a reconcile may write at its end", func(_ *requeue.Trail, clock *clocktesting.FakePassiveClock, q priorityqueue.PriorityQueue[string]) {
			requeue.Backlog(q, 0, "x")
			object, _ := q.Get()
			clock.SetTime(start.Add(time.Minute))
			q.Done(object)
		}, -75},
		{"what must not wait does not, though it is in the backlog", func(trail *requeue.Trail, _ *clocktesting.FakePassiveClock, q priorityqueue.PriorityQueue[string]) {
			requeue.Backlog(q, 0, "x")
			object, _ := q.Get()
			trail.Urgent(about("x"))
			q.Done(object)
		}, 0},
		{"an event of its own counts, before or after", func(_ *requeue.Trail, _ *clocktesting.FakePassiveClock, q priorityqueue.PriorityQueue[string]) {
			q.Add("x")
			work(q)
			requeue.Backlog(q, 0, "x")
			work(q)
		}, 0},
		{"what is written for it inherits that", func(trail *requeue.Trail, _ *clocktesting.FakePassiveClock, q priorityqueue.PriorityQueue[string]) {
			requeue.Backlog(q, 0, "y")
			work(q)
			trail.Pass(about("y"), about("x"))
		}, -75},
	} {
		clock := clocktesting.NewFakePassiveClock(start)
		trail := requeue.NewTrail(clock)
		tc.do(trail, clock, stage(t, trail, clock))
		next := stage(t, trail, clock)
		next.Add("x")
		if _, got := work(next); got != tc.want {
			t.Errorf("%s: priority %d, want %d (backlog %d)", tc.reason, got, tc.want, backlog)
		}
	}
}

func TestTrailKeepsTheOrderOfPriorities(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	q := stage(t, requeue.NewTrail(clock), clock)
	q.AddWithOpts(priorityqueue.AddOpts{Priority: new(7)}, "urgent")
	q.AddWithOpts(priorityqueue.AddOpts{Priority: new(-3)}, "less")
	q.Add("usual")
	for _, want := range []struct {
		object   string
		priority int
	}{{"urgent", 7}, {"usual", 0}, {"less", -3}} {
		if object, priority := work(q); object != want.object || priority != want.priority {
			t.Errorf("got %s at %d, want %s at %d", object, priority, want.object, want.priority)
		}
	}
}

// What of the backlog has its turn while events never end is of the backlog all the same.
func TestTurnsOfTheBacklogAreOfTheBacklog(t *testing.T) {
	q, _ := started(t)
	requeue.Backlog(q, 0, named(10)...)
	for i := range 20 {
		q.Add(fmt.Sprintf("event %d", i))
	}
	turns := 0
	for i := range 30 {
		q.Add(fmt.Sprintf("later event %d", i))
		object, priority := work(q)
		isBacklog := object[0] == '0'
		if isBacklog {
			turns++
		}
		if want := map[bool]int{true: handler.LowPriority}[isBacklog]; priority != want {
			t.Errorf("%s was handed out at %d, want %d", object, priority, want)
		}
	}
	if turns == 0 {
		t.Error("the backlog had no turn")
	}
}

func TestTrailForgets(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	trail := requeue.NewTrail(clock)
	for i := range 100_000 {
		trail.Urgent(about(fmt.Sprint(i)))
		clock.SetTime(clock.Now().Add(10 * time.Millisecond))
	}
	if n := trail.Size(); n > 5000 {
		t.Errorf("%d subjects are remembered, of which 500 matter", n)
	}
	(*requeue.Trail)(nil).Urgent(about("x"))
	(*requeue.Trail)(nil).Pass(about("x"), about("y"))
}
