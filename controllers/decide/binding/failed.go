// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// FailedClustersAnnotation holds where the application failed: a JSON map of cluster to
// Failure.
const FailedClustersAnnotation = "failover.dragoman.io/failed-clusters"

// Failure is that an application failed in a cluster and was evicted from it, or that the
// cluster would not take it.
type Failure struct {
	// Time is when it was evicted or refused last.
	Time metav1.Time `json:"time"`
	// Tries counts how often that happened since it was healthy there.
	Tries int `json:"tries"`
	// Template is the resource version of the template that failed.
	Template string `json:"template,omitempty"`
	// Until is when the cluster is not excluded any more; without it the time is that of
	// DefaultBackoff.
	Until *metav1.Time `json:"until,omitempty"`
	// Refused is why the cluster would not take it; empty if the application failed there.
	Refused string `json:"refused,omitempty"`
}

// until returns when the exclusion ends.
func (f Failure) until() time.Time {
	if f.Until != nil {
		return f.Until.Time
	}
	return f.Time.Add(DefaultBackoff().exclusion(f.Tries))
}

// Failures reads the annotation; one that cannot be parsed counts as none.
func Failures(b workv1alpha2.Binding) map[string]Failure {
	failures := map[string]Failure{}
	if err := note(FailedClustersAnnotation).read(b, &failures); err != nil || failures == nil {
		return map[string]Failure{}
	}
	return failures
}

// SetFailures writes the annotation, or removes it where nothing failed.
func SetFailures(b workv1alpha2.Binding, failures map[string]Failure) error {
	return note(FailedClustersAnnotation).write(b, failures, len(failures) == 0)
}

// FailuresNow returns where the application failed, without the clusters in which it is
// healthy and without what is too long ago to count, and with those that only a task of
// an application failover names.
func (o Backoff) FailuresNow(b workv1alpha2.Binding, now time.Time) map[string]Failure {
	failures, spec := Failures(b), b.GetSpec()
	items := b.GetStatus().AggregatedStatus
	for i := range items {
		if items[i].Applied && isHealthy(&items[i]) {
			delete(failures, items[i].ClusterName)
		}
	}
	maps.DeleteFunc(failures, func(_ string, f Failure) bool { return now.Sub(f.Time.Time) > o.orDefault().Forget })
	for i := range spec.GracefulEvictionTasks {
		t := &spec.GracefulEvictionTasks[i]
		if _, known := failures[t.FromCluster]; !known && t.Reason == workv1alpha2.EvictionReasonApplicationFailure && !recovered(t, b.GetStatus()) {
			failures[t.FromCluster] = o.failed(b, Failure{}, "", now)
		}
	}
	return failures
}

// Exclusion is which clusters a binding must not be placed on at a time.
type Exclusion struct {
	Clusters map[string]bool
	// Rested are clusters in which it failed and that are not excluded any more, since their
	// time is up or the template was changed. Others are better.
	Rested []string
	// Wait is the time until the next exclusion ends by itself; 0 is never.
	Wait time.Duration

	// evicting are those of the clusters that it is being evicted from.
	evicting map[string]bool
}

// WithoutFailures returns the exclusion by evictions alone: somebody asks for another try,
// wherever it failed.
func (e Exclusion) WithoutFailures() Exclusion {
	return Exclusion{Clusters: e.evicting, evicting: e.evicting}
}

// Strict returns the clusters and those that rested.
func (e Exclusion) Strict() map[string]bool {
	all := maps.Clone(e.Clusters)
	for _, cluster := range e.Rested {
		all[cluster] = true
	}
	return all
}

// Excluded returns the clusters that a binding must not be placed on at a time: those that
// it is being evicted from, and those in which it failed not long ago. While it has no
// target, an eviction excludes no longer than the failure behind it. A template that was
// changed since may go everywhere, but to the clusters in which it failed only after the
// others: the change need not have been about that.
func Excluded(b workv1alpha2.Binding, now time.Time) Exclusion {
	spec, failures := b.GetSpec(), Failures(b)
	e := Exclusion{Clusters: map[string]bool{}}
	for i := range spec.GracefulEvictionTasks {
		t := &spec.GracefulEvictionTasks[i]
		if _, known := failures[t.FromCluster]; !isWithdrawn(t) && (!known || len(spec.Clusters) > 0) {
			e.Clusters[t.FromCluster] = true
		}
	}
	e.evicting = maps.Clone(e.Clusters)
	for _, cluster := range slices.Sorted(maps.Keys(failures)) {
		f := failures[cluster]
		left := f.until().Sub(now)
		switch {
		case isTarget(spec, cluster):
		case left <= 0, f.Template != spec.Resource.ResourceVersion:
			e.Rested = append(e.Rested, cluster)
		default:
			e.Clusters[cluster] = true
			if e.Wait == 0 || left < e.Wait {
				e.Wait = left
			}
		}
	}
	return e
}
