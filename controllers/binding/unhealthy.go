// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"time"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// defaultToleration is how long an application may be unhealthy where the policy
// does not say.
const defaultToleration = 300 * time.Second

// Unhealthy is what is to be done about a binding's unhealthy clusters.
type Unhealthy struct {
	// Evict are the clusters whose time is up, in the order of spec.clusters.
	Evict []string
	// Since is when each unhealthy cluster became so, those to evict among them.
	Since map[string]time.Time
	// Wait is when to look again; 0 means that nothing is to be waited for.
	Wait time.Duration
}

// FindUnhealthy looks at how the application is in each of its clusters. It is counted as
// unhealthy from the first Unhealthy report until a Healthy one: an Unknown one in
// between changes nothing. The time is up when the toleration has passed; with a
// toleration of 0 at once.
func FindUnhealthy(spec *workv1alpha2.ResourceBindingSpec, items []workv1alpha2.AggregatedStatusItem, since map[string]time.Time, now time.Time) Unhealthy {
	toleration := defaultToleration
	if s := spec.Failover.Application.DecisionConditions.TolerationSeconds; s != nil {
		toleration = time.Duration(*s) * time.Second
	}
	health := map[string]workv1alpha2.ResourceHealth{}
	for i := range items {
		health[items[i].ClusterName] = items[i].Health
	}
	d := Unhealthy{Since: map[string]time.Time{}}
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
		d.Since[name] = first
		left := toleration - now.Sub(first)
		switch {
		case left > 0 && (d.Wait == 0 || left < d.Wait):
			d.Wait = left
		case left <= 0 && health[name] == workv1alpha2.ResourceUnhealthy:
			d.Evict = append(d.Evict, name)
		}
	}
	return d
}
