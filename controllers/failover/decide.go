// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"time"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// defaultToleration is how long an application may be unhealthy where the policy
// does not say.
const defaultToleration = 300 * time.Second

// decision reports what is to be done about a binding's unhealthy clusters.
type decision struct {
	// evict are the clusters whose time is up, in the order of spec.clusters.
	evict []string
	// since is when each unhealthy cluster became so, those to evict among them.
	since map[string]time.Time
	// wait is when to look again; 0 means that nothing is to be waited for.
	wait time.Duration
}

// decide looks at how the application is in each of its clusters. It is counted as
// unhealthy from the first Unhealthy report until a Healthy one: an Unknown one in
// between changes nothing. The time is up when the toleration has passed; with a
// toleration of 0 at once.
func decide(spec *workv1alpha2.ResourceBindingSpec, items []workv1alpha2.AggregatedStatusItem, since map[string]time.Time, now time.Time) decision {
	toleration := defaultToleration
	if s := spec.Failover.Application.DecisionConditions.TolerationSeconds; s != nil {
		toleration = time.Duration(*s) * time.Second
	}
	health := map[string]workv1alpha2.ResourceHealth{}
	for i := range items {
		health[items[i].ClusterName] = items[i].Health
	}
	d := decision{since: map[string]time.Time{}}
	for i := range spec.Clusters {
		name := spec.Clusters[i].Name
		first, counting := since[name]
		switch health[name] {
		case workv1alpha2.ResourceHealthy:
			continue
		case workv1alpha2.ResourceUnhealthy:
			if !counting {
				first = now
			}
		default:
			if !counting {
				continue
			}
		}
		d.since[name] = first
		left := toleration - now.Sub(first)
		switch {
		case left > 0 && (d.wait == 0 || left < d.wait):
			d.wait = left
		case left <= 0 && health[name] == workv1alpha2.ResourceUnhealthy:
			d.evict = append(d.evict, name)
		}
	}
	return d
}
