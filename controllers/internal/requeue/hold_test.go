// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"slices"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

// heldQueue returns a queue whose backlog waits for a channel.
func heldQueue(ready <-chan struct{}) priorityqueue.PriorityQueue[string] {
	of := func(name string, limiter workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
		return priorityqueue.New(name, func(o *priorityqueue.Opts[string]) { o.RateLimiter = limiter })
	}
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	return Hold(of, func() <-chan struct{} { return ready })("held", limiter).(priorityqueue.PriorityQueue[string])
}

func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ready := make(chan struct{})
		q := heldQueue(ready)
		defer q.ShutDown()
		low, mid := handler.LowPriority, handler.LowPriority/2
		q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, "a", "b", "c", "d")
		q.AddWithOpts(priorityqueue.AddOpts{Priority: &mid}, "c", "related")
		q.Add("b")
		q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, "b")
		synctest.Wait()
		if n := q.Len(); n != 1 {
			t.Errorf("%d objects are in the queue before it is ready, want the one with an event", n)
		}
		if got, priority, _ := q.GetWithPriority(); got != "b" || priority != 0 {
			t.Errorf("got %s at %d, want b at 0", got, priority)
		}
		q.Done("b")
		close(ready)
		synctest.Wait()
		var order []string
		for range 5 {
			object, _, _ := q.GetWithPriority()
			order = append(order, object)
			q.Done(object)
		}
		if want := []string{"c", "related", "a", "b", "d"}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
		q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, "later")
		if got, _, _ := q.GetWithPriority(); got != "later" {
			t.Errorf("got %s", got)
		}
	})
}

func TestHoldEndsWithTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := heldQueue(make(chan struct{}))
		q.ShutDown()
		synctest.Wait() // or its goroutine would be left
	})
}

func TestHoldOfNothing(t *testing.T) {
	q := heldQueue(nil)
	defer q.ShutDown()
	low := handler.LowPriority
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, "a")
	if got, priority, _ := q.GetWithPriority(); got != "a" || priority != low {
		t.Errorf("got %s at %d", got, priority)
	}
}
