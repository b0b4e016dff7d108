// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// defaultToleration is how long an application may be unhealthy if the policy does not
// set it.
const defaultToleration = 300 * time.Second

// Unhealthy is what to do about a binding's unhealthy clusters.
type Unhealthy struct {
	// Evict are the clusters whose toleration has passed, in the order of spec.clusters.
	Evict []string
	// Since is when each unhealthy cluster became so, those to evict among them. For one that is
	// Progressing it is when progress was seen last.
	Since map[string]time.Time
	// Seen is, for a cluster in Since that is or was Progressing, what its status was then and at the
	// times of earlier progress: words with spaces between.
	Seen map[string]string
	// Wait is the time until the next reconcile; 0 means that only an event can change
	// anything.
	Wait time.Duration
}

// FindUnhealthy returns what to do about the clusters in which the application is
// unhealthy: from the first report that it has failed until a Healthy one, whatever Unknown
// ones come in between. A cluster is evicted when the toleration has passed; with a toleration
// of 0 at once. One that is Progressing has failed when its status has not changed for
// that long, or is one that it had before; since progress is looked for when the time is up, it may be
// up to twice as long. One that is Pending is like an Unknown one.
func FindUnhealthy(spec *workv1alpha2.ResourceBindingSpec, items []workv1alpha2.AggregatedStatusItem, since map[string]time.Time, seen map[string]string, now time.Time) Unhealthy {
	toleration := defaultToleration
	if s := spec.Failover.Application.DecisionConditions.TolerationSeconds; s != nil {
		toleration = time.Duration(*s) * time.Second
	}
	reported := map[string]*workv1alpha2.AggregatedStatusItem{}
	for i := range items {
		reported[items[i].ClusterName] = &items[i]
	}
	d := Unhealthy{Since: map[string]time.Time{}, Seen: map[string]string{}}
	for i := range spec.Clusters {
		name := spec.Clusters[i].Name
		first, counting := since[name]
		c := count{first: first, counting: counting, seen: seen[name], toleration: toleration}
		if !c.observe(reported[name], now) {
			continue
		}
		d.Since[name] = c.first
		if c.seen != "" {
			d.Seen[name] = c.seen
		}
		left := c.toleration - now.Sub(c.first)
		switch {
		case left > 0 && (d.Wait == 0 || left < d.Wait):
			d.Wait = left
		case left <= 0 && c.failed:
			d.Evict = append(d.Evict, name)
		}
	}
	return d
}

// count is how long an application has been unhealthy in a cluster.
type count struct {
	// first is since when, if counting; seen is what its status was then and before, if it was
	// Progressing.
	first    time.Time
	counting bool
	seen     string
	// toleration is how long that may last, and failed is whether it has failed if it did.
	toleration time.Duration
	failed     bool
}

// observe takes note of a report, nil for none, and reports whether the time runs.
func (c *count) observe(item *workv1alpha2.AggregatedStatusItem, now time.Time) bool {
	switch {
	case item == nil:
		return c.counting
	case item.Health == workv1alpha2.ResourceHealthy:
		return false
	case item.Health != workv1alpha2.ResourceUnhealthy || item.HealthReason == workv1alpha2.HealthPending:
		return c.counting
	}
	c.failed = true
	if item.HealthReason != workv1alpha2.HealthProgressing {
		if !c.counting {
			c.first = now
		}
		return true
	}
	if c.toleration == 0 {
		c.toleration = defaultToleration // what gets on has not failed at first sight
	}
	status := statusSeen(item)
	switch before := strings.Fields(c.seen); {
	case !c.counting:
		c.first, c.seen = now, status
	case now.Sub(c.first) >= c.toleration && !slices.Contains(before, status):
		before = append(before, status)
		c.first, c.seen = now, strings.Join(before[max(0, len(before)-mostSeen):], " ")
	}
	return true
}

// mostSeen is how many statuses are remembered: a copy that crashes again and again goes through the same
// few, and returns to one of them.
const mostSeen = 16

// statusSeen returns what tells a status from another one.
func statusSeen(item *workv1alpha2.AggregatedStatusItem) string {
	h := fnv.New64a()
	if item.Status != nil {
		_, _ = h.Write(item.Status.Raw) // it does not fail
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
