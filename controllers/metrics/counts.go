// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// key is a series without its weight.
type key struct{ name, label string }

// value is that of a series, and of how many objects it is.
type value struct{ sum, objects int }

// counts are the values of all series, as a prometheus.Collector. A series ends with the last object that
// counts in it, so that there are no more than what they are about. It is safe for many goroutines.
type counts struct {
	mu      sync.Mutex
	started bool
	all     map[key]value
	descs   map[string]*prometheus.Desc
}

func newCounts() *counts {
	c := &counts{all: map[key]value{}, descs: map[string]*prometheus.Desc{}}
	for name, of := range map[string]struct {
		help  string
		label []string
	}{
		clusters:       {"Clusters of the control plane.", nil},
		clusterReady:   {"1 while a cluster is ready, and 0 while it is not, or was never probed.", []string{"cluster"}},
		bindings:       {"Bindings of both kinds.", nil},
		notScheduled:   {"Bindings that have no place, by the reason of their condition Scheduled; Pending where nothing was decided yet.", []string{"reason"}},
		notFullApplied: {"Bindings with clusters whose object is not applied in all of them.", nil},
		works:          {"Works of a cluster.", []string{"cluster"}},
		notApplied:     {"Works whose current generation is not applied in their cluster, but for those that are suspended.", []string{"cluster"}},
		notCleanedUp:   {"Works that are being deleted and whose objects the cluster does not delete.", []string{"cluster"}},
	} {
		c.descs[name] = prometheus.NewDesc(name, of.help, of.label, nil)
	}
	return c
}

// start has the values be served: a manager that does not lead has none.
func (c *counts) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started = true
	for _, name := range []string{clusters, bindings, notFullApplied} { // 0 is worth a series
		c.all[key{name, ""}] = value{c.all[key{name, ""}].sum, c.all[key{name, ""}].objects + 1}
	}
}

// add counts an object in what it is, or takes it away with a sign of -1.
func (c *counts) add(all []series, sign int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range all {
		k := key{s.name, s.label}
		v := value{c.all[k].sum + sign*s.weight, c.all[k].objects + sign}
		if v.objects == 0 {
			delete(c.all, k)
			continue
		}
		c.all[k] = v
	}
}

// Describe implements prometheus.Collector.
func (c *counts) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *counts) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.started {
		return
	}
	for k, v := range c.all {
		var labels []string
		if k.label != "" {
			labels = []string{k.label}
		}
		to <- prometheus.MustNewConstMetric(c.descs[k.name], prometheus.GaugeValue, float64(v.sum), labels...)
	}
}
