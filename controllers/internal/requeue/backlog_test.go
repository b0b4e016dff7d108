// SPDX-License-Identifier: Apache-2.0

package requeue_test

import (
	"testing"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

func TestBacklog(t *testing.T) {
	q := priorityqueue.New[string]("test")
	defer q.ShutDown()
	requeue.Backlog(q, 0, "old")
	requeue.Related(q, "related")
	q.Add("new")
	for _, want := range []string{"new", "related", "old"} {
		if got, _ := q.Get(); got != want {
			t.Errorf("got %s, want %s: what an event enqueued comes first", got, want)
		}
	}
}

func TestBacklogWithoutPriorities(t *testing.T) {
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer q.ShutDown()
	requeue.Backlog(q, 0, "old")
	if got, _ := q.Get(); got != "old" {
		t.Errorf("got %s, want old", got)
	}
}
