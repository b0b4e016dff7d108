// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/dragoman-io/dragoman/controllers/internal/metric"
)

// The results of an attempt.
const (
	attemptScheduled     = "scheduled"
	attemptUnschedulable = "unschedulable"
	attemptFailed        = "error"
)

// newAttempts returns the histogram of attempts to place a binding, which a registry serves; the controllers
// of both kinds of binding share it.
func newAttempts(r prometheus.Registerer) (*prometheus.HistogramVec, error) {
	attempts, err := metric.Shared(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "dragoman", Subsystem: "scheduling", Name: "attempt_duration_seconds",
		Help: "Time from the start of an attempt to place a binding to its targets being written, by its result: scheduled, unschedulable or error.",
		// 0.1 ms to 26 s; a decision takes less than a millisecond, and the write some.
		Buckets: prometheus.ExponentialBuckets(0.0001, 4, 10),
	}, []string{"result"}))
	if err != nil {
		return nil, fmt.Errorf("register the metrics of scheduling: %w", err)
	}
	return attempts, nil
}

// attempted records an attempt that began at a time: problem is why there is no place, failed why it was not
// decided or not written.
func (c *Controller[B]) attempted(began time.Time, problem, failed error) {
	if c.attempts == nil || apierrors.IsConflict(failed) { // a conflict is tried again at once
		return
	}
	result := attemptScheduled
	switch {
	case failed != nil:
		result = attemptFailed
	case problem != nil:
		result = attemptUnschedulable
	}
	c.attempts.WithLabelValues(result).Observe(c.Clock.Since(began).Seconds())
}
