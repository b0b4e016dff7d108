// SPDX-License-Identifier: Apache-2.0

package partition

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/dragoman-io/dragoman/controllers/internal/metric"
)

// Metrics are the series workqueue_* of one queue, by the names and labels that controller-runtime
// gives those of its own queues; its provider cannot be asked for them. Nil observes nothing.
type Metrics struct {
	depth                      *prometheus.GaugeVec
	name                       string
	adds, retries              prometheus.Counter
	latency, duration          prometheus.Observer
	unfinished, longestRunning prometheus.Gauge
}

// NewMetrics returns the series of the queue of a controller, served by a registry; nil where that
// is nil. Vectors that the registry has already are used as they are.
func NewMetrics(name string, r prometheus.Registerer) (*Metrics, error) {
	if r == nil {
		return nil, nil
	}
	labels := []string{"name", "controller"}
	// The texts must be those of controller-runtime: a name has one help text in a registry.
	depth, err := metric.Shared(r, prometheus.NewGaugeVec(gauge(metrics.DepthKey, "Current depth of workqueue by workqueue and priority"), append(labels, "priority")))
	adds, err1 := metric.Shared(r, prometheus.NewCounterVec(prometheus.CounterOpts(gauge(metrics.AddsKey, "Total number of adds handled by workqueue")), labels))
	latency, err2 := metric.Shared(r, prometheus.NewHistogramVec(histogram(metrics.QueueLatencyKey, "How long in seconds an item stays in workqueue before being requested"), labels))
	duration, err3 := metric.Shared(r, prometheus.NewHistogramVec(histogram(metrics.WorkDurationKey, "How long in seconds processing an item from workqueue takes."), labels))
	unfinished, err4 := metric.Shared(r, prometheus.NewGaugeVec(gauge(metrics.UnfinishedWorkKey, "How many seconds of work has been done that "+
		"is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck "+
		"threads by observing the rate at which this increases."), labels))
	longest, err5 := metric.Shared(r, prometheus.NewGaugeVec(gauge(metrics.LongestRunningProcessorKey, "How many seconds has the longest running processor for workqueue been running."), labels))
	retries, err6 := metric.Shared(r, prometheus.NewCounterVec(prometheus.CounterOpts(gauge(metrics.RetriesKey,
		"Total number of items added to the workqueue with a non-zero delay (rate-limited requeues, explicit RequeueAfter or AddAfter calls)")), labels))
	if err := errors.Join(err, err1, err2, err3, err4, err5, err6); err != nil {
		return nil, fmt.Errorf("register the metrics of the queue %s: %w", name, err)
	}
	return &Metrics{
		depth: depth, name: name, adds: adds.WithLabelValues(name, name), retries: retries.WithLabelValues(name, name),
		latency: latency.WithLabelValues(name, name), duration: duration.WithLabelValues(name, name),
		unfinished: unfinished.WithLabelValues(name, name), longestRunning: longest.WithLabelValues(name, name),
	}, nil
}

func gauge(name, help string) prometheus.GaugeOpts {
	return prometheus.GaugeOpts{Subsystem: metrics.WorkQueueSubsystem, Name: name, Help: help}
}

func histogram(name, help string) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(10e-9, 10, 12),
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}
}

// ready records that an object with a priority became ready; requested that it was handed out, which
// it waited for since that time.
func (m *Metrics) ready(priority int) {
	if m != nil {
		m.adds.Inc()
		m.at(priority).Inc()
	}
}

func (m *Metrics) requested(priority int, since, now time.Time) {
	if m != nil {
		m.at(priority).Dec()
		m.latency.Observe(now.Sub(since).Seconds())
	}
}

// raised records that an object that is ready has another priority.
func (m *Metrics) raised(from, to int) {
	if m != nil {
		m.at(from).Dec()
		m.at(to).Inc()
	}
}

// delayed records that an object waits for its time.
func (m *Metrics) delayed() {
	if m != nil {
		m.retries.Inc()
	}
}

// ended records that an object is not in progress any more, which it was since that time.
func (m *Metrics) ended(since, now time.Time) {
	if m != nil {
		m.duration.Observe(now.Sub(since).Seconds())
	}
}

func (m *Metrics) at(priority int) prometheus.Gauge {
	return m.depth.WithLabelValues(m.name, m.name, strconv.Itoa(priority))
}

// observeEvery is how often what is in progress is observed.
const observeEvery = time.Second

// observe sets what is in progress now, and does so again until the queue is shut down.
func (q *Queue[R]) observe() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	var total, longest time.Duration
	for i := range q.working {
		age := now.Sub(i.began)
		total, longest = total+age, max(longest, age)
	}
	q.Metrics.unfinished.Set(total.Seconds())
	q.Metrics.longestRunning.Set(longest.Seconds())
	if !q.closed {
		time.AfterFunc(observeEvery, q.observe)
	}
}

// Backlog is what of a partition is ready.
type Backlog struct {
	// Ready is how many objects are.
	Ready int
	// Oldest is since when the first of them is: of those that the next turn may be of. Zero where
	// none is ready.
	Oldest time.Time
}

// Backlogs returns the backlog of each partition that has an object ready or in progress.
func (q *Queue[R]) Backlogs() map[string]Backlog {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make(map[string]Backlog, len(q.partitions))
	for name, p := range q.partitions {
		b := Backlog{Ready: p.length}
		for _, l := range p.levels {
			if first := l.items.Front().Value.(*item[R]).since; b.Oldest.IsZero() || first.Before(b.Oldest) {
				b.Oldest = first
			}
		}
		all[name] = b
	}
	return all
}
