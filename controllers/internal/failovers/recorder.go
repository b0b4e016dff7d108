// SPDX-License-Identifier: Apache-2.0

// Package failovers observes the failovers of bindings: it counts them and measures their
// phases when their records are written, and remembers phases that were seen and that no
// write of the binding holds yet. It decides nothing, and reads and writes no object.
package failovers

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// other is the label of a reason, a purge mode or an outcome that this program does not
// write itself, so that there are no more series than it knows values.
const other = "Other"

// Recorder observes the failovers of both kinds of binding. It is safe for many goroutines;
// nil observes nothing.
type Recorder struct {
	phases          *prometheus.HistogramVec
	evictions, ends *prometheus.CounterVec

	mu sync.Mutex
	// seen has the bindings that are being evicted, and only these: a binding of no
	// namespace is a ClusterResourceBinding.
	seen map[types.NamespacedName]binding.Observed
}

// New returns a recorder whose metrics r serves; nil serves none. It returns an error if r
// has a metric of the same name.
func New(r prometheus.Registerer) (*Recorder, error) {
	recorder := &Recorder{
		phases: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "dragoman", Subsystem: "failover", Name: "phase_duration_seconds", Help: "Time that a phase of a failover took.",
			// 50 ms to 1.8 hours; most tolerations are minutes.
			Buckets: prometheus.ExponentialBuckets(0.05, 2, 18),
		}, []string{"phase", "purge_mode"}),
		evictions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "dragoman", Subsystem: "failover", Name: "evictions_total", Help: "Copies that were evicted from a cluster.",
		}, []string{"reason", "purge_mode"}),
		ends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "dragoman", Subsystem: "failover", Name: "ended_total", Help: "Failovers that ended.",
		}, []string{"reason", "purge_mode", "outcome"}),
		seen: map[types.NamespacedName]binding.Observed{},
	}
	if r == nil {
		return recorder, nil
	}
	for _, c := range []prometheus.Collector{recorder.phases, recorder.evictions, recorder.ends} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("register the metrics of failovers: %w", err)
		}
	}
	return recorder, nil
}

// Wrote counts the failovers that began and ended by a write of a binding: before is the
// version that was read, after what was written.
func (r *Recorder) Wrote(before, after workv1alpha2.Binding) {
	if r == nil {
		return
	}
	began, ended := binding.HistoryDifference(before, after)
	for i := range began {
		r.evictions.WithLabelValues(reasonOf(&began[i]), modeOf(&began[i])).Inc()
	}
	for i := range ended {
		record := &ended[i]
		r.ends.WithLabelValues(reasonOf(record), modeOf(record), string(record.Outcome)).Inc()
		for _, phase := range binding.Phases() {
			if took, known := record.Duration(phase); known {
				r.phases.WithLabelValues(string(phase), modeOf(record)).Observe(took.Seconds())
			}
		}
	}
}

func reasonOf(r *binding.Record) string {
	switch r.Reason {
	case workv1alpha2.EvictionReasonApplicationFailure, workv1alpha2.EvictionReasonTaintUntolerated, workv1alpha2.EvictionReasonPreempted:
		return r.Reason
	}
	return other
}

func modeOf(r *binding.Record) string {
	switch mode := r.PurgeMode.Canonical(); mode {
	case policyv1alpha1.PurgeModeDirectly, policyv1alpha1.PurgeModeGracefully, policyv1alpha1.PurgeModeNever:
		return string(mode)
	}
	return other
}

// Gone records in which clusters the copies of a binding are gone, of those that are
// evicted Directly. A cluster keeps the time when it was first among them.
func (r *Recorder) Gone(b client.Object, clusters []string, now time.Time) {
	r.observe(b, func(o *binding.Observed) { o.Gone = first(o.Gone, clusters, now) })
}

// Started records in which targets of its failovers the copies of a binding are applied. A
// cluster keeps the time when it was first among them.
func (r *Recorder) Started(b client.Object, clusters []string, now time.Time) {
	r.observe(b, func(o *binding.Observed) { o.Started = first(o.Started, clusters, now) })
}

// Forget ends what is remembered of a binding.
func (r *Recorder) Forget(b client.Object) {
	r.observe(b, func(o *binding.Observed) { *o = binding.Observed{} })
}

// Observed returns when phases of a binding's failovers were seen.
func (r *Recorder) Observed(b client.Object) binding.Observed {
	if r == nil {
		return binding.Observed{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen[client.ObjectKeyFromObject(b)]
	return binding.Observed{Gone: maps.Clone(seen.Gone), Started: maps.Clone(seen.Started)}
}

// observe changes what is remembered of a binding; nothing is kept for one of which nothing
// was seen.
func (r *Recorder) observe(b client.Object, change func(*binding.Observed)) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := client.ObjectKeyFromObject(b)
	seen := r.seen[key]
	change(&seen)
	if len(seen.Gone) == 0 && len(seen.Started) == 0 {
		delete(r.seen, key)
		return
	}
	r.seen[key] = seen
}

// first returns the times of the clusters: those that they have already, and now for the
// others.
func first(times map[string]time.Time, clusters []string, now time.Time) map[string]time.Time {
	if len(clusters) == 0 {
		return nil
	}
	kept := make(map[string]time.Time, len(clusters))
	for _, name := range clusters {
		at, known := times[name]
		if !known {
			at = now
		}
		kept[name] = at
	}
	return kept
}
