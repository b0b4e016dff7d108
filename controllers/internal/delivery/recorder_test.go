// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
)

func TestRecorder(t *testing.T) {
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return start.Add(d) }
	registry := prometheus.NewRegistry()
	r, err := New(registry)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, count uint64, sum float64) {
		t.Helper()
		families, err := registry.Gather()
		if err != nil || len(families) != 1 || families[0].GetName() != "dragoman_template_delivery_duration_seconds" {
			t.Fatalf("got %v, %v", families, err)
		}
		if h := families[0].GetMetric()[0].GetHistogram(); h.GetSampleCount() != count || h.GetSampleSum() != sum {
			t.Errorf("%s: %d deliveries took %v s, want %d and %v", what, h.GetSampleCount(), h.GetSampleSum(), count, sum)
		}
	}
	r.Wrote("a", "1", "m1", at(0))
	check("what nobody changed", 0, 0)
	r.Changed("a", 1, at(0))
	r.Wrote("a", "1", "m1", at(time.Second))
	r.Wrote("a", "1", "m2", at(2*time.Second))
	check("two clusters", 2, 3)
	r.Wrote("a", "1", "m1", at(3*time.Second))
	check("a repair", 2, 3)
	r.Changed("a", 2, at(4*time.Second))
	r.Wrote("a", "1", "m1", at(5*time.Second))
	check("the generation before", 2, 3)
	r.Wrote("a", "2", "m1", at(5*time.Second))
	check("the next generation", 3, 4)
	r.Changed("b", 0, at(0))
	r.Wrote("b", "", "m1", at(time.Second))
	check("a kind without generations", 4, 5)
	r.Wrote("b", "", "m2", at(time.Hour))
	check("a cluster that joined an hour later", 4, 5)

	for i := range most + 10 {
		r.Changed(types.UID(fmt.Sprint(i)), 1, at(time.Minute))
	}
	if len(r.all) != most || r.order.Len() != most {
		t.Errorf("%d changes are remembered, and %d in order; want %d", len(r.all), r.order.Len(), most)
	}
	r.Changed("c", 1, at(time.Hour))
	if len(r.all) != 1 {
		t.Errorf("%d changes are remembered an hour later, want the last one", len(r.all))
	}
	none, err := New(nil)
	if none != nil || err != nil {
		t.Errorf("without a registry: %v, %v", none, err)
	}
	none.Changed("a", 1, start)
	none.Wrote("a", "1", "m1", start)
}
