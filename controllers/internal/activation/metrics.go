// SPDX-License-Identifier: Apache-2.0

package activation

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// metrics counts the runs of the active rules, and the activations of their sources. It
// has a series for an operation of a kind as long as a source answers it, so that there
// are no more series than rules. It is safe for many goroutines; nil counts nothing.
type metrics struct {
	evaluations, errors, pending, sources *prometheus.CounterVec
	gas, seconds                          *prometheus.HistogramVec
	active                                *prometheus.GaugeVec
	// abandoned counts the runs that did not end by their deadline, and unended is how
	// many of them have not ended yet.
	abandoned *prometheus.CounterVec
	unended   prometheus.Gauge

	// programMemory and waiting are asked when the metrics are served; see watch.
	programMemory atomic.Pointer[func() (used, bound int64)]
	waiting       atomic.Pointer[func() int]

	// meters are the counters of each active rule: meters by *engine.Rule.
	meters sync.Map

	mu sync.Mutex
	// revisions are the active sources, and answered is how many of them answer what a
	// series counts.
	revisions map[sourceKey]revision
	answered  map[series]int
}

type sourceKey struct {
	layer engine.Layer
	name  string
}

type revision struct {
	source engine.RuleSet
	hash   string
}

// series are the labels of what is counted for each operation of a kind.
type series struct{ operation, kind, layer string }

func (s series) labels() prometheus.Labels {
	return prometheus.Labels{"operation": s.operation, "kind": s.kind, "layer": s.layer}
}

// meter holds what is counted of the runs of a rule for one kind.
type meter struct {
	series
	of          schema.GroupKind
	evaluations prometheus.Counter
	gas         prometheus.Observer
	seconds     prometheus.Observer
}

// meters are those of the kinds that one rule answers for, mostly one.
type meters []meter

// newMetrics returns metrics that r serves. It returns an error if r has a metric of the
// same name.
func newMetrics(r prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "dragoman", Subsystem: "interpreter", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "dragoman", Subsystem: "interpreter", Name: name, Help: help, Buckets: buckets},
			[]string{"operation", "layer"})
	}
	m := &metrics{
		evaluations: counter("evaluations_total", "Runs of scripts.", "operation", "kind", "layer"),
		errors:      counter("errors_total", "Runs of scripts that failed, by the code of the failure.", "operation", "kind", "layer", "code"),
		pending:     counter("pending_total", "Answers that a customization is not compiled yet.", "operation", "kind", "layer"),
		sources:     counter("sources_total", "Customizations and bundles that were activated, refused or removed.", "layer", "result"),
		// 25 to 409,600; the default limit is 200,000.
		gas: histogram("run_gas", "Gas that a run of a script used.", prometheus.ExponentialBuckets(25, 4, 8)),
		// 1 µs to 262 ms; a run that ends at the default limits takes some tens of ms.
		seconds: histogram("run_duration_seconds", "Time that a run of a script took, its answer read.", prometheus.ExponentialBuckets(1e-6, 4, 10)),
		active: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "dragoman", Subsystem: "interpreter", Name: "active_revision", Help: "1 for each source that answers, with the hash of its content.",
		}, []string{"layer", "name", "revision"}),
		abandoned: counter("abandoned_runs_total", "Runs of scripts that did not end by their deadline.", "operation"),
		unended: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: "dragoman", Subsystem: "interpreter", Name: "abandoned_runs", Help: "Runs of scripts that did not end by their deadline and have not ended yet.",
		}),
		revisions: map[sourceKey]revision{}, answered: map[series]int{},
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "dragoman", Subsystem: "interpreter", Name: name, Help: help}, value)
	}
	for _, c := range []prometheus.Collector{
		m.evaluations, m.errors, m.pending, m.sources, m.gas, m.seconds, m.active, m.abandoned, m.unended,
		gauge("program_bytes", "Memory that the active programs keep, at most.", m.programBytes),
		gauge("program_bytes_limit", "Bound of program_bytes.", m.programBytesLimit),
		gauge("waiting_sources", "Customizations that wait to be compiled.", m.waitingSources),
	} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("register the metrics of the interpreter: %w", err)
		}
	}
	return m, nil
}

// observe counts the runs of the active rules. Runs of others, which end after they
// were replaced, do not count. It allocates nothing for a run without an error.
func (m *metrics) observe(run engine.Run) {
	if m == nil {
		return
	}
	found, ok := m.meters.Load(run.Rule)
	if !ok {
		return
	}
	kind, all := run.Kind.GroupKind(), found.(meters)
	for i := range all {
		if all[i].of == kind {
			m.record(&all[i], run)
			return
		}
	}
}

func (m *metrics) record(to *meter, run engine.Run) {
	if run.Err != nil && CodeOf(run.Err) == script.Pending {
		m.pending.WithLabelValues(to.operation, to.kind, to.layer).Inc()
		return
	}
	to.evaluations.Inc()
	to.gas.Observe(float64(run.Usage.Gas))
	to.seconds.Observe(run.Duration.Seconds())
	if run.Err != nil {
		m.errors.WithLabelValues(to.operation, to.kind, to.layer, string(CodeOf(run.Err))).Inc()
	}
}

// abandon counts a run that did not end by its deadline. The function that it returns is
// called when it ends after all.
func (m *metrics) abandon(operation engine.Op) (ended func()) {
	if m == nil {
		return func() {}
	}
	m.abandoned.WithLabelValues(string(operation)).Inc()
	m.unended.Inc()
	return m.unended.Dec
}

// CodeOf returns the code of a script's failure; Invalid for any other error.
func CodeOf(err error) script.Code {
	var failure *script.Error
	if errors.As(err, &failure) {
		return failure.Code
	}
	return "Invalid"
}
