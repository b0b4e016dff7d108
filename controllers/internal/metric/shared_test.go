// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestShared(t *testing.T) {
	counter := func(help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "a_total", Help: help}, []string{"l"})
	}
	r, first := prometheus.NewRegistry(), counter("a")
	if got, err := Shared(r, first); got != first || err != nil {
		t.Errorf("got %p, %v; want %p, which is the first of its name", got, err, first)
	}
	if got, err := Shared(r, counter("a")); got != first || err != nil {
		t.Errorf("got %p, %v; want %p, which is there", got, err, first)
	}
	if _, err := Shared(r, counter("b")); err == nil {
		t.Error("got no error of a metric with another text")
	}
	if _, err := Shared(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "a_total", Help: "a"}, []string{"l"})); err == nil {
		t.Error("got no error of a metric of another type")
	}
	second := counter("a")
	if got, err := Shared(nil, second); got != second || err != nil {
		t.Errorf("got %p, %v without a registry; want %p", got, err, second)
	}
}
