// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-io/dragoman/controllers/decide/quota"
)

// metrics are those of a ledger. Their labels are controllers and outcomes, and no namespaces.
type metrics struct {
	decisions *prometheus.CounterVec
	seconds   prometheus.Histogram
	waiting   prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "dragoman", Subsystem: "quota", Name: "decisions_total",
			Help: "Changes of bindings that were decided by a FederatedResourceQuota, by outcome: admitted, exceeded, or behind others that wait.",
		}, []string{"controller", "outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "dragoman", Subsystem: "quota", Name: "decision_duration_seconds", Help: "Time that such a decision took, with what it waited for others.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 8), // 0.1 ms to 1.6 s
		}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: "dragoman", Subsystem: "quota", Name: "waiting_bindings", Help: "Changes of bindings that wait for room in a FederatedResourceQuota.",
		}),
	}
	if r == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.decisions, m.seconds, m.waiting} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("register the metrics of quotas: %w", err)
		}
	}
	return m, nil
}

// decided counts a decision; consumers are controllers, of which there are few.
func (m *metrics) decided(consumer string, err error, took time.Duration) {
	outcome := "admitted"
	var exceeded *quota.ExceededError
	if errors.As(err, &exceeded) {
		if outcome = "exceeded"; exceeded.Ahead > 0 {
			outcome = "behind"
		}
	}
	m.decisions.WithLabelValues(consumer, outcome).Inc()
	m.seconds.Observe(took.Seconds())
}

// waits sets how many requests wait.
func (m *metrics) waits(spaces map[string]*space) {
	n := 0
	for _, s := range spaces {
		n += len(s.waiting)
	}
	m.waiting.Set(float64(n))
}
