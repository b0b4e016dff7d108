// SPDX-License-Identifier: Apache-2.0

package requeue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/dragoman-io/dragoman/controllers/internal/partition"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// groupOf is the part of a name before the slash.
func groupOf(object string) string {
	group, _, _ := strings.Cut(object, "/")
	return group
}

// of returns n objects of a group.
func of(group string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s/%04d", group, i)
	}
	return all
}

// inners are the queues in which groups take turns.
func inners() map[string]func() priorityqueue.PriorityQueue[string] {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](0, 0)
	return map[string]func() priorityqueue.PriorityQueue[string]{
		"one queue": func() priorityqueue.PriorityQueue[string] {
			return priorityqueue.New("test", func(o *priorityqueue.Opts[string]) { o.RateLimiter = limiter })
		},
		"a part for each member": func() priorityqueue.PriorityQueue[string] {
			return partition.New(partition.Options[string]{Limiter: limiter, Limit: 5, Priorities: true, Of: func(string) string { return "member" }})
		},
	}
}

func eachInner(t *testing.T, f func(t *testing.T, q priorityqueue.PriorityQueue[string])) {
	t.Helper()
	for name, inner := range inners() {
		t.Run(name, func(t *testing.T) {
			q := requeue.Turns(inner(), groupOf)
			t.Cleanup(q.ShutDown)
			f(t, q)
		})
	}
}

func TestTurnsHandOutTheFirstOfAGroupBehindAFewOfAnother(t *testing.T) {
	eachInner(t, func(t *testing.T, q priorityqueue.PriorityQueue[string]) {
		for _, object := range of("flood", 1000) {
			q.Add(object)
		}
		q.Add("other/1")
		q.Add("other/2")
		taken := take(q, 1002, func() {})
		for _, object := range []string{"other/1", "other/2"} {
			// A few of those that are ahead, and in parts each eighth of the lowest priority.
			if at := slices.Index(taken, object); at < 0 || at > 12 {
				t.Errorf("%s was handed out after %d others, want after at most 12", object, at)
			}
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(taken)))
		if len(distinct) != 1002 {
			t.Errorf("%d of 1002 objects were handed out", len(distinct))
		}
	})
}

func TestTurnsKeepTheOrderWithinAGroup(t *testing.T) {
	q := requeue.Turns(inners()["one queue"](), groupOf)
	defer q.ShutDown()
	for i := range 100 {
		q.Add(of("a", 100)[i])
		q.Add(of("b", 100)[i])
	}
	got := map[string][]string{}
	for _, object := range take(q, 200, func() {}) {
		got[groupOf(object)] = append(got[groupOf(object)], object)
	}
	if diff := cmp.Diff(map[string][]string{"a": of("a", 100), "b": of("b", 100)}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// One that floods without an end gets on beside others that do, and no more than these.
func TestTurnsShareAmongGroupsThatNeverEnd(t *testing.T) {
	q := requeue.Turns(inners()["one queue"](), groupOf)
	defer q.ShutDown()
	next := map[string]int{}
	add := func(group string) {
		next[group]++
		q.Add(fmt.Sprintf("%s/%d", group, next[group]))
	}
	for range 500 {
		add("a")
		add("a")
		add("a")
		add("b")
	}
	counts := map[string]int{}
	for range 400 {
		object, _ := q.Get()
		q.Done(object)
		counts[groupOf(object)]++
		add("a")
	}
	if counts["a"] < 150 || counts["b"] < 150 {
		t.Errorf("of 400 turns %v, want about as many for each", counts)
	}
}

func TestTurnsHandOutWhatFailedBehindWhatWasNotTried(t *testing.T) {
	q := requeue.Turns(inners()["one queue"](), groupOf)
	defer q.ShutDown()
	failed := of("a", 3)
	for _, object := range failed {
		q.Add(object)
	}
	take(q, 3, func() {})
	for _, object := range failed {
		q.AddRateLimited(object) // at once
	}
	for _, object := range of("b", 3) {
		q.Add(object)
	}
	got := take(q, 6, func() {})
	if diff := cmp.Diff(append(of("b", 3), failed...), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTurnsReturnThePriorityOfTheCaller(t *testing.T) {
	eachInner(t, func(t *testing.T, q priorityqueue.PriorityQueue[string]) {
		requeue.Backlog(q, 0, of("a", 50)...)
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: new(handler.LowPriority)}, "b/failed")
		for range 51 {
			object, priority, _ := q.GetWithPriority()
			q.Done(object)
			if priority != handler.LowPriority {
				t.Fatalf("%s has the priority %d, want %d: it would fall with each retry", object, priority, handler.LowPriority)
			}
		}
	})
}

func TestTurnsHaveEventsBeforeTheBacklogOfOthers(t *testing.T) {
	q := requeue.NewQueue(requeue.Turns(inners()["one queue"](), groupOf), workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, time.Hour), clocktesting.NewFakePassiveClock(start))
	defer q.ShutDown()
	for i := range 200 {
		requeue.Backlog(q, 0, fmt.Sprintf("g%d/one", i))
	}
	for _, object := range of("flood", 100) {
		q.Add(object)
	}
	q.Add("a/new")
	if at := slices.Index(take(q, 301, func() {}), "a/new"); at < 0 || at > 12 {
		t.Errorf("a new object was handed out after %d others, want after at most 12", at)
	}
}

// Whatever comes in whatever order, each object that was added is handed out after that, and
// nothing is kept.
func TestTurnsLoseNothing(t *testing.T) {
	for seed := range uint64(50) {
		eachInner(t, func(t *testing.T, q priorityqueue.PriorityQueue[string]) {
			random := rand.New(rand.NewPCG(seed, 1))
			open, held := map[string]bool{}, []string{}
			get := func() {
				object, priority, _ := q.GetWithPriority()
				if !open[object] {
					t.Fatalf("seed %d: %s was handed out and not added", seed, object)
				}
				if priority != 0 && priority != handler.LowPriority {
					t.Fatalf("seed %d: %s has the priority %d, which nobody gave", seed, object, priority)
				}
				delete(open, object)
				held = append(held, object)
			}
			done := func() {
				i := random.IntN(len(held))
				q.Done(held[i])
				held = slices.Delete(held, i, i+1)
			}
			for range 300 {
				object := fmt.Sprintf("%d/%d", random.IntN(3), random.IntN(30))
				switch n := random.IntN(10); {
				case n < 5 && !slices.Contains(held, object):
					open[object] = true
					o := priorityqueue.AddOpts{RateLimited: n == 0}
					if n == 1 {
						o.Priority = new(handler.LowPriority)
					}
					q.AddWithOpts(o, object)
				case n < 8 && len(open) > 0 && len(held) < 3:
					get()
				case len(held) > 0:
					done()
				}
			}
			for len(open) > 0 || len(held) > 0 {
				if len(open) > 0 && len(held) < 3 {
					get()
				} else {
					done()
				}
			}
			if n := q.Len(); n != 0 {
				t.Errorf("seed %d: %d objects are left", seed, n)
			}
		})
	}
}

// BenchmarkTurns has a queue of 10,000 objects of one group worked off.
func BenchmarkTurns(b *testing.B) {
	objects := of("a", 10_000)
	for _, with := range []bool{false, true} {
		b.Run(fmt.Sprintf("turns=%v", with), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				q := inners()["one queue"]()
				if with {
					q = requeue.Turns(q, groupOf)
				}
				for _, object := range objects {
					q.Add(object)
				}
				for range objects {
					object, _ := q.Get()
					q.Done(object)
				}
				q.ShutDown()
			}
		})
	}
}
