// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// samples are the counters and gauges of a process, by their names.
type samples map[string][]sample

type sample struct {
	labels map[string]string
	value  float64
}

// parse reads the text format of Prometheus; histograms and summaries are left out.
func parse(from io.Reader) (samples, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(from)
	if err != nil {
		return nil, err
	}
	all := samples{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			s := sample{labels: map[string]string{}}
			for _, l := range m.GetLabel() {
				s.labels[l.GetName()] = l.GetValue()
			}
			switch family.GetType() {
			case dto.MetricType_COUNTER:
				s.value = m.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				s.value = m.GetGauge().GetValue()
			default:
				continue
			}
			all[name] = append(all[name], s)
		}
	}
	return all, nil
}

// sum adds up the samples of a name by a key that is made of their labels; those with
// the key "" are left out.
func (s samples) sum(name string, key func(map[string]string) string) map[string]float64 {
	sums := map[string]float64{}
	for _, one := range s[name] {
		if k := key(one.labels); k != "" {
			sums[k] += one.value
		}
	}
	return sums
}

// since returns what was added to counters; a counter that is not among the earlier ones
// began at 0.
func since(before, after map[string]float64) map[string]float64 {
	added := map[string]float64{}
	for k, n := range after {
		if d := n - before[k]; d != 0 {
			added[k] = d
		}
	}
	return added
}
