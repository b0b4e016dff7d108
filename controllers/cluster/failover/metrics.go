// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/controllers/decide/leave"
)

// metrics are about evictions from clusters with taints.
type metrics struct {
	evicted, reverted         prometheus.Counter
	waiting, unhealthy, total prometheus.Gauge
	// stopped is 1 for the reason for which nothing is evicted.
	stopped *prometheus.GaugeVec
}

func newMetrics() *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "dragoman", Subsystem: "cluster_failover", Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.GaugeOpts {
		return prometheus.GaugeOpts{Namespace: "dragoman", Subsystem: "cluster_failover", Name: name, Help: help}
	}
	return &metrics{
		evicted:   counter("evictions_total", "Copies that were evicted from a cluster because of a taint."),
		reverted:  counter("reverted_total", "Evictions that were taken back, since the taint was gone in time."),
		waiting:   prometheus.NewGauge(gauge("waiting_bindings", "Bindings that must leave a cluster now and wait for their turn.")),
		unhealthy: prometheus.NewGauge(gauge("unhealthy_clusters", "Clusters that look unhealthy.")),
		total:     prometheus.NewGauge(gauge("clusters", "Clusters that have been probed and do not leave.")),
		stopped:   prometheus.NewGaugeVec(gauge("stopped", "1 while nothing is evicted, by the reason."), []string{"reason"}),
	}
}

// register has a registry serve the metrics; nil serves none.
func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	var failed []error
	for _, c := range []prometheus.Collector{m.evicted, m.reverted, m.waiting, m.unhealthy, m.total, m.stopped} {
		failed = append(failed, r.Register(c))
	}
	return errors.Join(failed...)
}

// observe sets the gauges.
func (m *metrics) observe(o leave.Outlook, waiting int, stopped *metav1.Condition) {
	m.waiting.Set(float64(waiting))
	m.unhealthy.Set(float64(o.Unhealthy))
	m.total.Set(float64(o.All))
	m.stopped.Reset()
	if stopped != nil {
		m.stopped.WithLabelValues(stopped.Reason).Set(1)
	}
}
