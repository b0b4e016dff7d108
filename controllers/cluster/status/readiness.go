// SPDX-License-Identifier: Apache-2.0

package status

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readiness keeps a cluster from flapping: a change must last for a time before it
// counts. It holds the time of the first contrary observation, for each cluster.
type readiness struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// debounced reports whether the condition may be written: at once if there was none or
// nothing changed, otherwise when the change has lasted long enough.
func (r *readiness) debounced(cluster string, old *metav1.Condition, seen metav1.ConditionStatus, now time.Time, o Options) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old == nil || (old.Status == metav1.ConditionTrue) == (seen == metav1.ConditionTrue) {
		delete(r.since, cluster)
		return true
	}
	if r.since == nil {
		r.since = map[string]time.Time{}
	}
	first, ok := r.since[cluster]
	if !ok {
		r.since[cluster] = now
		first = now
	}
	threshold := o.FailureThreshold
	if seen == metav1.ConditionTrue {
		threshold = o.SuccessThreshold
	}
	if now.Sub(first) < threshold {
		return false
	}
	delete(r.since, cluster)
	return true
}

// next returns when to look again: after the period, or when a change that was seen counts
// for recovery if it lasts.
func (r *readiness) next(cluster string, now time.Time, o Options) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, changing := r.since[cluster]
	if !changing {
		return o.Period
	}
	left := since.Add(min(o.FailureThreshold, o.SuccessThreshold)).Sub(now)
	if left <= 0 {
		return o.Period
	}
	return min(o.Period, left)
}

func (r *readiness) forget(cluster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.since, cluster)
}
