// SPDX-License-Identifier: Apache-2.0

package binding

import (
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
	// Since is when each unhealthy cluster became so, those to evict among them.
	Since map[string]time.Time
	// Wait is the time until the next reconcile; 0 means that only an event can change
	// anything.
	Wait time.Duration
}

// FindUnhealthy returns what to do about the clusters in which the application is
// unhealthy: from the first report that it has failed until a Healthy one, whatever Unknown
// ones come in between. One that is Progressing has not failed, and is like an Unknown one. A
// cluster is evicted when the toleration has passed; with a toleration of 0 at once.
func FindUnhealthy(spec *workv1alpha2.ResourceBindingSpec, items []workv1alpha2.AggregatedStatusItem, since map[string]time.Time, now time.Time) Unhealthy {
	toleration := defaultToleration
	if s := spec.Failover.Application.DecisionConditions.TolerationSeconds; s != nil {
		toleration = time.Duration(*s) * time.Second
	}
	health := map[string]workv1alpha2.ResourceHealth{}
	for i := range items {
		if items[i].HealthReason != workv1alpha2.HealthProgressing {
			health[items[i].ClusterName] = items[i].Health
		}
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
