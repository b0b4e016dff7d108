// SPDX-License-Identifier: Apache-2.0

package requeue_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// queue records when each object is to be reconciled, since start. Like those of the
// controllers it goes by the earliest of several times.
type queue struct {
	clock *clocktesting.FakePassiveClock
	turns map[string]time.Duration
}

func (q *queue) AddAfter(object string, wait time.Duration) {
	at := q.clock.Now().Sub(start) + wait
	if old, waits := q.turns[object]; !waits || at < old {
		q.turns[object] = at
	}
}

func newQueue() (*queue, *requeue.Spread[string]) {
	clock := clocktesting.NewFakePassiveClock(start)
	return &queue{clock, map[string]time.Duration{}}, &requeue.Spread[string]{Clock: clock}
}

// step moves the clock to a time since start, and has all be looked at whose turn has
// come.
func (q *queue) step(to time.Duration) {
	q.clock.SetTime(start.Add(to))
	for object, at := range q.turns {
		if at <= to {
			delete(q.turns, object)
		}
	}
}

func named(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%05d", i))
	}
	return names
}

func TestSpreadKeepsTheRate(t *testing.T) {
	q, s := newQueue()
	s.Add(q, named(10_000))
	perSecond := map[time.Duration]int{}
	for _, at := range q.turns {
		perSecond[at.Truncate(time.Second)]++
	}
	for second, n := range perSecond {
		if n > requeue.Rate {
			t.Errorf("%d objects in the second after %s, want at most %d", n, second, requeue.Rate)
		}
	}
	if first, last := q.turns["00000"], q.turns["09999"]; first != 0 || last > 100*time.Second {
		t.Errorf("the first of 10,000 waits %s and the last %s, want 0 and at most 100 s", first, last)
	}
}

func TestSpreadOfManyChanges(t *testing.T) {
	q, s := newQueue()
	all := named(4)
	s.Add(q, all)
	s.Add(q, all)
	want := map[string]time.Duration{"00000": 0, "00001": 10 * time.Millisecond, "00002": 20 * time.Millisecond, "00003": 30 * time.Millisecond}
	if diff := cmp.Diff(want, q.turns); diff != "" {
		t.Errorf("whoever waits keeps its turn (-want +got):\n%s", diff)
	}
	q.step(15 * time.Millisecond)
	s.Add(q, all)
	want = map[string]time.Duration{"00000": 40 * time.Millisecond, "00001": 50 * time.Millisecond, "00002": 20 * time.Millisecond, "00003": 30 * time.Millisecond}
	if diff := cmp.Diff(want, q.turns); diff != "" {
		t.Errorf("who had its turn comes after those that wait (-want +got):\n%s", diff)
	}
	q.step(time.Minute)
	s.Add(q, slices.Clone(all[:1]))
	if diff := cmp.Diff(map[string]time.Duration{"00000": time.Minute}, q.turns); diff != "" {
		t.Errorf("after a rest nobody waits (-want +got):\n%s", diff)
	}
}

// An event takes an object out of the queue before its turn: it was looked at, but not
// by the scripts that come next.
func TestSpreadAddsWhoWasWokenMeanwhile(t *testing.T) {
	q, s := newQueue()
	s.Add(q, named(3))
	delete(q.turns, "00002")
	s.Add(q, []string{"00002"})
	if at, waits := q.turns["00002"]; !waits || at != 20*time.Millisecond {
		t.Errorf("its turn is %s, in the queue: %t; want 20 ms, true", at, waits)
	}
}
