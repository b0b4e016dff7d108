// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/dragoman-io/dragoman/controllers/internal/partition"
)

var low = priorityqueue.AddOpts{Priority: new(handler.LowPriority)}

// newQueue returns a queue of objects such as one/a, whose partition is one.
func newQueue(limit int) *partition.Queue[string] {
	return partition.New(partition.Options[string]{
		Limit: limit, Priorities: true,
		Limiter: workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Minute),
		Of: func(object string) string {
			name, _, _ := strings.Cut(object, "/")
			return name
		},
	})
}

// get takes so many objects, which must be ready.
func get(t *testing.T, q *partition.Queue[string], n int) []string {
	t.Helper()
	var got []string
	for range n {
		if q.Len() == 0 {
			t.Fatalf("only %v are ready, want %d objects", got, n)
		}
		object, _ := q.Get()
		got = append(got, object)
	}
	return got
}

// step lets the time of a bubble pass.
func step(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func want(t *testing.T, reason string, got []string, objects ...string) {
	t.Helper()
	if diff := cmp.Diff(objects, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", reason, diff)
	}
}

func TestPartitionsTakeTurnsWithinTheirLimit(t *testing.T) {
	q := newQueue(2)
	for i := range 4 {
		q.Add(fmt.Sprintf("slow/%d", i))
	}
	q.Add("other/a")
	got := get(t, q, 3)
	if len(got) != 3 || q.Len() != 2 {
		t.Fatalf("got %v, and %d left", got, q.Len())
	}
	next := make(chan string)
	go func() {
		object, _ := q.Get()
		next <- object
	}()
	q.Add("third/a")
	if object := <-next; object != "third/a" {
		t.Errorf("got %s: the slow partition has two in progress already", object)
	}
	go func() {
		object, _ := q.Get()
		next <- object
	}()
	q.Done("slow/0")
	if object := <-next; object != "slow/2" {
		t.Errorf("got %s, want the next of the slow partition, of which one is done", object)
	}
}

func TestObjectIsInProgressOnce(t *testing.T) {
	q := newQueue(5)
	q.Add("one/a")
	q.Add("one/a")
	want(t, "added twice", get(t, q, 1), "one/a")
	q.Add("one/a")
	if q.Len() != 0 {
		t.Error("an object in progress is ready")
	}
	q.Done("one/a")
	want(t, "added while in progress", get(t, q, 1), "one/a")
	q.Done("one/a")
	if q.Len() != 0 {
		t.Error("an object that is done is ready")
	}
}

func TestPrioritiesWithinAPartition(t *testing.T) {
	q := newQueue(100)
	q.AddWithOpts(low, "one/a", "one/b", "one/c")
	q.Add("one/live")
	q.Add("one/c")
	q.AddWithOpts(low, "one/live")
	want(t, "a live event goes before the backlog, and takes its object along", get(t, q, 4), "one/live", "one/c", "one/a", "one/b")
}

func TestBacklogEndsUnderSteadyLoad(t *testing.T) {
	q := newQueue(1)
	q.AddWithOpts(low, "one/backlog")
	for i := range 20 {
		q.Add("one/live")
		object := get(t, q, 1)[0]
		q.Done(object)
		if object == "one/backlog" {
			return
		}
		if i == 19 {
			t.Error("20 live events went before the backlog")
		}
	}
}

func TestObjectsWaitForTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(5)
		q.AddAfter("one/a", time.Minute)
		q.AddAfter("one/b", 2*time.Minute)
		q.AddAfter("one/b", time.Second)
		q.AddAfter("one/c", time.Second)
		q.Add("one/c")
		want(t, "now goes before later", get(t, q, 1), "one/c")
		step(time.Second)
		want(t, "of two times the earlier", get(t, q, 1), "one/b")
		q.AddAfter("one/b", time.Second)
		q.Done("one/b")
		step(time.Second)
		want(t, "added for later while in progress", get(t, q, 1), "one/b")
		q.AddAfter("one/b", time.Second)
		step(time.Second)
		if q.Len() != 0 {
			t.Error("an object in progress is ready since its time came")
		}
		q.Done("one/b")
		want(t, "its time came while it was in progress", get(t, q, 1), "one/b")
		step(time.Hour)
		want(t, "the last", get(t, q, 1), "one/a")
	})
}

func TestRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(5)
		for _, wait := range []time.Duration{time.Second, 2 * time.Second} {
			q.AddRateLimited("one/a")
			step(wait - 1)
			if q.Len() != 0 {
				t.Errorf("ready before %s", wait)
			}
			step(1)
			q.Done(get(t, q, 1)[0])
		}
		if n := q.NumRequeues("one/a"); n != 2 {
			t.Errorf("%d requeues, want 2", n)
		}
		q.Forget("one/a")
		if n := q.NumRequeues("one/a"); n != 0 {
			t.Errorf("%d requeues after Forget", n)
		}
	})
}

func TestShutDown(t *testing.T) {
	q := newQueue(5)
	ended := make(chan bool)
	go func() {
		_, shutdown := q.Get()
		ended <- shutdown
	}()
	q.ShutDown()
	if !<-ended || !q.ShuttingDown() {
		t.Error("Get does not report the end")
	}
	q.Add("one/a")
	if q.Len() != 0 {
		t.Error("an object was added after the end")
	}
}

func TestManyWorkersLoseNothing(t *testing.T) {
	q := newQueue(3)
	const objects, adds = 50, 2000
	var (
		mu      sync.Mutex
		running = map[string]int{}
		latest  = map[string]int{}
		done    = map[string]int{}
		workers sync.WaitGroup
	)
	work := func() {
		defer workers.Done()
		for {
			object, shutdown := q.Get()
			if shutdown {
				return
			}
			name, _, _ := strings.Cut(object, "/")
			mu.Lock()
			running[name]++
			if running[name] > 3 {
				t.Errorf("%d of %s at once", running[name], name)
			}
			seen := latest[object]
			mu.Unlock()
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
			mu.Lock()
			done[object] = seen
			running[name]--
			mu.Unlock()
			q.Done(object)
		}
	}
	workers.Add(20)
	for range 20 {
		go work()
	}
	for i := range adds {
		object := fmt.Sprintf("p%d/%d", i%4, rand.IntN(objects))
		mu.Lock()
		latest[object] = i + 1
		mu.Unlock()
		switch i % 3 {
		case 0:
			q.Add(object)
		case 1:
			q.AddWithOpts(low, object)
		case 2:
			q.AddAfter(object, time.Millisecond)
		}
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		mu.Lock()
		diff := cmp.Diff(latest, done)
		mu.Unlock()
		if diff == "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not all was handed out after its last add (-added +done):\n%s", diff)
		}
		time.Sleep(time.Millisecond)
	}
	q.ShutDown()
	workers.Wait()
}

// TestMove has objects change their partition while they are ready and while they are in progress.
func TestMove(t *testing.T) {
	slow := map[string]bool{}
	q := partition.New(partition.Options[string]{
		Limiter: workqueue.DefaultTypedControllerRateLimiter[string](), Limit: 1,
		Of: func(object string) string {
			if slow[object] {
				return "slow"
			}
			return "all"
		},
	})
	defer q.ShutDown()
	take := func(want string) {
		t.Helper()
		if got, _ := q.Get(); got != want {
			t.Fatalf("%q was handed out, want %q", got, want)
		}
	}
	for _, object := range []string{"a", "b", "c", "d"} {
		q.Add(object)
	}
	take("a") // and nothing else, until it counts elsewhere
	slow["a"], slow["b"] = true, true
	q.Move("a", "b", "unknown")
	take("c") // b waits for a
	q.Add("a")
	q.Done("a")
	take("b")
	q.Done("b")
	take("a")
	delete(slow, "a")
	q.Move("a") // both are in progress, more than may begin
	q.Done("c")
	q.Done("a")
	take("d")
	q.Done("d")
	if q.Len() != 0 {
		t.Errorf("%d objects are left", q.Len())
	}
}
