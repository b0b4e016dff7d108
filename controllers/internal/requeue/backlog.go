// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

// relatedPriority is behind the objects that changed and before the backlog.
const relatedPriority = handler.LowPriority / 2

// Backlog adds objects to the queue of a controller behind those that an event enqueued:
// objects that a start, a new connection or a change of scripts has reconciled again. A
// queue without priorities takes them as any other. After is how long they wait at least.
func Backlog[R comparable](queue Queue[R], after time.Duration, objects ...R) {
	add(queue, handler.LowPriority, after, objects)
}

// Related adds objects behind those that changed and before the backlog: the many objects
// that a user's change of another object has reconciled, such as the templates of a
// policy.
func Related[R comparable](queue Queue[R], objects ...R) {
	add(queue, relatedPriority, 0, objects)
}

func add[R comparable](queue Queue[R], priority int, after time.Duration, objects []R) {
	if q, ok := queue.(priorityqueue.PriorityQueue[R]); ok {
		q.AddWithOpts(priorityqueue.AddOpts{After: after, Priority: &priority}, objects...)
		return
	}
	for _, o := range objects {
		queue.AddAfter(o, after)
	}
}
