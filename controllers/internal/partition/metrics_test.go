// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/dragoman-io/dragoman/controllers/internal/partition"
)

// measured returns a queue with metrics in a registry; the part of an object before its slash is its partition.
func measured(t *testing.T, r prometheus.Registerer) *partition.Queue[string] {
	t.Helper()
	m, err := partition.NewMetrics("spec", r)
	if err != nil {
		t.Fatal(err)
	}
	q := partition.New(partition.Options[string]{
		Limiter: workqueue.DefaultTypedControllerRateLimiter[string](), Limit: 1, Priorities: true, Metrics: m,
		Of: func(s string) string { before, _, _ := strings.Cut(s, "/"); return before },
	})
	t.Cleanup(q.ShutDown)
	return q
}

// series returns the values of the series workqueue_* of the queue: of histograms how often they were observed, and
// without what depends on time.
func series(t *testing.T, g prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels, ours := "", false
			for _, l := range m.GetLabel() {
				ours = ours || l.GetName() == "name" && l.GetValue() == "spec"
				if l.GetName() == "priority" {
					labels = " " + l.GetValue()
				}
			}
			if !ours {
				continue
			}
			switch f.GetType() {
			case dto.MetricType_HISTOGRAM:
				all[f.GetName()+labels] = float64(m.GetHistogram().GetSampleCount())
			case dto.MetricType_COUNTER:
				all[f.GetName()+labels] = m.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				if f.GetName() == "workqueue_depth" {
					all[f.GetName()+labels] = m.GetGauge().GetValue()
				}
			}
		}
	}
	return all
}

func TestMetrics(t *testing.T) {
	r := prometheus.NewRegistry()
	q := measured(t, r)
	low := -100
	q.Add("m1/a")
	q.Add("m1/a")
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, "m1/b", "m2/c")
	q.AddAfter("m1/d", time.Hour)
	want := map[string]float64{
		"workqueue_adds_total": 3, "workqueue_retries_total": 1, "workqueue_depth 0": 1, "workqueue_depth -100": 2,
		"workqueue_queue_duration_seconds": 0, "workqueue_work_duration_seconds": 0,
	}
	if diff := cmp.Diff(want, series(t, r)); diff != "" {
		t.Errorf("after four were added (-want +got):\n%s", diff)
	}
	q.Add("m2/c") // of a higher priority
	for range 2 {
		object, _ := q.Get()
		q.Add(object) // again once it is done
		q.Done(object)
	}
	want["workqueue_depth 0"], want["workqueue_depth -100"] = 2, 1
	want["workqueue_adds_total"], want["workqueue_queue_duration_seconds"], want["workqueue_work_duration_seconds"] = 5, 2, 2
	if diff := cmp.Diff(want, series(t, r)); diff != "" {
		t.Errorf("after two were done and came again (-want +got):\n%s", diff)
	}
}

func TestMetricsInTheRegistryOfControllerRuntime(t *testing.T) {
	q := measured(t, metrics.Registry)
	q.Add("m1/a")
	if got := series(t, metrics.Registry); got["workqueue_depth 0"] != 1 || got["workqueue_adds_total"] != 1 {
		t.Errorf("the vectors of controller-runtime have no series of the queue: %v", got)
	}
	again, err := partition.NewMetrics("other", metrics.Registry)
	if again == nil || err != nil {
		t.Errorf("a second queue: %v", err)
	}
	if none, err := partition.NewMetrics("spec", nil); none != nil || err != nil {
		t.Errorf("without a registry: %v, %v", none, err)
	}
}

func TestBacklogs(t *testing.T) {
	q := measured(t, nil)
	before, low := time.Now(), -1
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, "m1/a")
	between := time.Now()
	q.Add("m1/b")
	q.Add("m2/c")
	if object, _ := q.Get(); object != "m1/b" && object != "m2/c" {
		t.Fatalf("got %s first", object)
	}
	got := q.Backlogs()
	if got["m1"].Ready+got["m2"].Ready != 2 || len(got) != 2 {
		t.Errorf("got %v, want two that are ready in two partitions", got)
	}
	if oldest := got["m1"].Oldest; oldest.Before(before) || oldest.After(between) {
		t.Errorf("the oldest of m1 is ready since %s, want that of the lower priority, between %s and %s", oldest, before, between)
	}
}
