// SPDX-License-Identifier: Apache-2.0

package requeue_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/dragoman-io/dragoman/controllers/internal/progress"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// TestQueuesAreSafeForManyGoroutines puts all queues of a controller one into the other, as
// the manager does, and adds, hands out and releases at once.
func TestQueuesAreSafeForManyGoroutines(t *testing.T) {
	released := make(chan struct{})
	trail, spread := requeue.NewTrail(clock.RealClock{}), &requeue.Spread[string]{Clock: clock.RealClock{}}
	about := func(object string) requeue.Subject { return requeue.AboutWork(types.NamespacedName{Name: object}) }
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Microsecond, time.Millisecond)
	build := requeue.Constructor[string](func(name string, l workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
		inner := priorityqueue.New(name, func(o *priorityqueue.Opts[string]) { o.RateLimiter = l })
		return requeue.NewQueue(inner, l, clock.RealClock{})
	})
	build = requeue.Follow(requeue.Hold(build, func() <-chan struct{} { return released }), trail, about)
	made := requeue.Observe(build("test", limiter), requeue.Observation{Name: "test", Tracker: &progress.Tracker{Clock: clock.RealClock{}}})
	queue := made.(priorityqueue.PriorityQueue[string])

	var workers, adders sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for {
				object, priority, shutdown := queue.GetWithPriority()
				if shutdown {
					return
				}
				trail.Pass(about(object), about("passed"))
				if len(object)%2 == 0 {
					queue.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, object)
				} else {
					queue.Forget(object)
				}
				queue.Done(object)
			}
		})
	}
	for g := range 3 {
		adders.Go(func() {
			for round := range 100 {
				object := fmt.Sprint((g + 1) * round)
				switch round % 4 {
				case 0:
					queue.Add(object)
				case 1:
					queue.AddWithOpts(priorityqueue.AddOpts{Priority: new(handler.LowPriority)}, object)
				case 2:
					spread.Add(queue, []string{object})
				default:
					trail.Urgent(about(object))
					requeue.Related(queue, object)
				}
				if g == 0 && round == 50 {
					close(released)
				}
			}
		})
	}
	adders.Wait()
	queue.ShutDown()
	workers.Wait()
}
