// SPDX-License-Identifier: Apache-2.0

package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// readiness keeps a cluster from flapping: a change must last for a time before it
// counts. It holds the time of the first contrary observation, for each cluster.
type readiness struct {
	since memory.Of[string, time.Time]
}

// debounced reports whether the condition may be written: at once if there was none or
// nothing changed, otherwise when the change has lasted long enough.
func (r *readiness) debounced(cluster string, old *metav1.Condition, seen metav1.ConditionStatus, now time.Time, o Options) (counts bool) {
	r.since.Update(cluster, func(first time.Time, changing bool) (time.Time, bool) {
		if old == nil || (old.Status == metav1.ConditionTrue) == (seen == metav1.ConditionTrue) {
			counts = true
			return first, false
		}
		if !changing {
			first = now
		}
		threshold := o.FailureThreshold
		if seen == metav1.ConditionTrue {
			threshold = o.SuccessThreshold
		}
		counts = now.Sub(first) >= threshold
		return first, !counts
	})
	return counts
}

// next returns when to look again: after the period, or when a change that was seen counts
// for recovery if it lasts.
func (r *readiness) next(cluster string, now time.Time, o Options) time.Duration {
	since, changing := r.since.Get(cluster)
	if !changing {
		return o.Period
	}
	left := since.Add(min(o.FailureThreshold, o.SuccessThreshold)).Sub(now)
	if left <= 0 {
		return o.Period
	}
	return min(o.Period, left)
}

func (r *readiness) forget(cluster string) { r.since.Forget(cluster) }
