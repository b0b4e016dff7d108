// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"
)

// bench is a queue with a clock, whose tasks report when they begin, and last as long as
// they are told.
type bench struct {
	*Queue
	clock *testclock.FakePassiveClock
	begun chan string
}

func newBench(workers int) *bench {
	clk := testclock.NewFakePassiveClock(time.Unix(0, 0))
	return &bench{New(clk, workers), clk, make(chan string)}
}

// submit adds a task that takes so long.
func (b *bench) submit(source string, took time.Duration) {
	b.Submit(source, time.Millisecond, func() {
		b.begun <- source
		b.clock.SetTime(b.clock.Now().Add(took))
	})
}

func TestQueueRunsWhatASourceThatTookLessSubmits(t *testing.T) {
	b := newBench(1)
	b.submit("busy", time.Second)
	b.submit("busy", time.Second)
	b.submit("other", 0)
	got := []string{<-b.begun}
	b.submit("busy", 0)
	got = append(got, <-b.begun, <-b.begun)
	if diff := cmp.Diff([]string{"busy", "other", "busy"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestQueueRunsAFewAtOnce(t *testing.T) {
	q := New(testclock.NewFakePassiveClock(time.Unix(0, 0)), 2)
	var running, most atomic.Int32
	var all sync.WaitGroup
	for i := range 100 {
		all.Add(1)
		q.Submit(fmt.Sprint(i), 0, func() {
			defer all.Done()
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			running.Add(-1)
		})
	}
	all.Wait()
	if n := most.Load(); n > 2 {
		t.Errorf("%d tasks ran at once; want at most 2", n)
	}
}

func TestQueueNeverRunsTwoTasksOfOneSource(t *testing.T) {
	q := New(testclock.NewFakePassiveClock(time.Unix(0, 0)), 4)
	var running, last atomic.Int32
	finished := make(chan struct{})
	for i := range int32(1000) {
		q.Submit("a", 0, func() {
			if running.Add(1) > 1 {
				t.Error("two tasks of one source ran at once")
			}
			if last.Swap(i) > i {
				t.Error("an older task ran after a newer one")
			}
			running.Add(-1)
			if i == 999 {
				close(finished)
			}
		})
	}
	<-finished
}

func TestQueueDropsWhatWaits(t *testing.T) {
	b := newBench(1)
	b.submit("first", 0)
	b.submit("dropped", 0)
	b.submit("last", 0)
	b.Drop("dropped")
	if got := []string{<-b.begun, <-b.begun}; got[0] != "first" || got[1] != "last" {
		t.Errorf("got %v; want first, last", got)
	}
	b.submit("again", 0)
	if got := <-b.begun; got != "again" {
		t.Errorf("got %s; want again: a worker begins when there is work again", got)
	}
}
