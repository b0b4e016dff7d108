// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/dragoman-io/dragoman/controllers/internal/progress"
)

// Observation is by whom the workers of a controller are observed.
type Observation struct {
	// Name is the name of the controller.
	Name    string
	Tracker *progress.Tracker
}

// Observe returns the queue of a controller with its workers observed.
func Observe[R comparable](q workqueue.TypedRateLimitingInterface[R], by Observation) workqueue.TypedRateLimitingInterface[R] {
	by.Tracker.Expect(by.Name)
	plain := &observed[R]{TypedRateLimitingInterface: q, by: by}
	if priorities, ok := q.(priorityqueue.PriorityQueue[R]); ok {
		return &observedPriorities[R]{observed: plain, priorities: priorities}
	}
	return plain
}

// observed tells a tracker what is handed out.
type observed[R comparable] struct {
	workqueue.TypedRateLimitingInterface[R]
	by   Observation
	once sync.Once
}

// Get returns the next object.
func (q *observed[R]) Get() (R, bool) {
	q.asked()
	object, shutdown := q.TypedRateLimitingInterface.Get()
	q.handed(object, shutdown)
	return object, shutdown
}

// Done is called when an object was reconciled.
func (q *observed[R]) Done(object R) {
	q.by.Tracker.End(q.by.Name, object)
	q.TypedRateLimitingInterface.Done(object)
}

func (q *observed[R]) asked() { q.once.Do(func() { q.by.Tracker.Started(q.by.Name) }) }

func (q *observed[R]) handed(object R, shutdown bool) {
	if !shutdown {
		q.by.Tracker.Begin(q.by.Name, object)
	}
}

// observedPriorities is observed for a queue with priorities.
type observedPriorities[R comparable] struct {
	*observed[R]
	priorities priorityqueue.PriorityQueue[R]
}

// AddWithOpts adds objects.
func (q *observedPriorities[R]) AddWithOpts(o priorityqueue.AddOpts, objects ...R) {
	q.priorities.AddWithOpts(o, objects...)
}

// GetWithPriority returns the next object.
func (q *observedPriorities[R]) GetWithPriority() (R, int, bool) {
	q.asked()
	object, priority, shutdown := q.priorities.GetWithPriority()
	q.handed(object, shutdown)
	return object, priority, shutdown
}
