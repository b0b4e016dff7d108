// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Notifier enqueues what waited for a quota in the queue of a controller. The zero value enqueues
// nothing. It is safe for many goroutines.
type Notifier[R comparable] struct {
	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[R]
}

// Listen has the notifier enqueue in a queue. It is a source.TypedFunc.
func (n *Notifier[R]) Listen(_ context.Context, q workqueue.TypedRateLimitingInterface[R]) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue = q
	return nil
}

// Notify enqueues something by add, if there is a queue.
func (n *Notifier[R]) Notify(add func(workqueue.TypedRateLimitingInterface[R])) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.queue != nil {
		add(n.queue)
	}
}

// RefusedSince returns since when a condition says that a quota refuses; zero if it does not. Nil
// is a condition that there is none.
func RefusedSince(c *metav1.Condition) time.Time {
	if c == nil || c.Status != metav1.ConditionFalse || c.Reason != workv1alpha2.BindingReasonQuotaExceeded {
		return time.Time{}
	}
	return c.LastTransitionTime.Time
}
