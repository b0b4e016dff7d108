// SPDX-License-Identifier: Apache-2.0

// Package delivery measures how long a change of a template takes to its members: from its event to the
// first write there. It reads and writes no object, and decides nothing.
package delivery

import (
	"container/list"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/controllers/internal/metric"
)

const (
	// window is for how long a change is remembered: a write after that is more likely the repair
	// of an object, or the copy in another cluster.
	window = 10 * time.Minute
	// most is how many changes are remembered at once, of which the oldest give way.
	most = 10_000
)

// Recorder remembers the last change of each template. It is safe for many goroutines; nil remembers
// nothing.
type Recorder struct {
	duration prometheus.Histogram

	mu  sync.Mutex
	all map[types.UID]*list.Element
	// order has the changes, the oldest first.
	order list.List
}

// change is one of a template.
type change struct {
	template   types.UID
	generation string
	at         time.Time
	// written are the clusters that have it.
	written map[string]bool
}

// New returns a recorder whose metric r serves; nil where r is.
func New(r prometheus.Registerer) (*Recorder, error) {
	if r == nil {
		return nil, nil
	}
	duration, err := metric.Shared(r, prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "dragoman", Subsystem: "template", Name: "delivery_duration_seconds",
		Help: "Time from the event of a template that is new or changed to the first write of its object in a member, within ten minutes.",
		// 10 ms to 5.5 minutes.
		Buckets: prometheus.ExponentialBuckets(0.01, 2, 16),
	}))
	return &Recorder{duration: duration, all: map[types.UID]*list.Element{}}, err
}

// Changed records that a template is new or changed. generation is 0 for a kind without.
func (r *Recorder) Changed(template types.UID, generation int64, now time.Time) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.all[template]; e != nil {
		r.drop(e)
	}
	for e := r.order.Front(); e != nil && (r.order.Len() >= most || now.Sub(e.Value.(*change).at) > window); e = r.order.Front() {
		r.drop(e)
	}
	c := &change{template: template, at: now, written: map[string]bool{}}
	if generation != 0 {
		c.generation = strconv.FormatInt(generation, 10)
	}
	r.all[template] = r.order.PushBack(c)
}

// Wrote records that the object of a template was written in a cluster: generation is that of the template
// in the object's annotation, empty for a kind without. The first write of the last change counts.
func (r *Recorder) Wrote(template types.UID, generation, cluster string, now time.Time) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.all[template]
	if e == nil {
		return
	}
	c := e.Value.(*change)
	if took := now.Sub(c.at); c.generation == generation && !c.written[cluster] && took <= window {
		c.written[cluster] = true
		r.duration.Observe(took.Seconds())
	}
}

// drop forgets a change; the lock is held.
func (r *Recorder) drop(e *list.Element) {
	delete(r.all, e.Value.(*change).template)
	r.order.Remove(e)
}
