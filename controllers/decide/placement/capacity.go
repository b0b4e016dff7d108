// SPDX-License-Identifier: Apache-2.0

package placement

import (
	corev1 "k8s.io/api/core/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Capacity holds how much of one object the clusters can still take, by the name of the
// cluster. The capacity of a cluster that is not in it is unknown. Select only reads it;
// summaries, estimators and quota fill it.
type Capacity map[string]Room

// Room is how much of one object a cluster can still take.
type Room struct {
	// Fits is how many more replicas fit, or how many more whole sets of components,
	// besides what is there now: 0 to math.MaxInt32.
	Fits int64
	// Lacking names a resource of which there is too little for one more, for messages;
	// it is empty if one fits or if it is not known.
	Lacking corev1.ResourceName
}

// NeedsCapacity reports whether Select reads Input.Capacity for a binding.
func NeedsCapacity(spec *workv1alpha2.ResourceBindingSpec) bool {
	if spec.Placement == nil {
		return false
	}
	return together(spec) || divides(spec)
}

// Taken is what clusters have promised, by the name of the cluster, and their resource
// summaries do not show yet.
type Taken map[string]corev1.ResourceList

// SummaryCapacity returns the capacity by the resource summaries of clusters, less what is
// taken. A cluster without a summary is not in it. A summary adds up all nodes, so that it
// may promise more than any one node can hold.
func SummaryCapacity(spec *workv1alpha2.ResourceBindingSpec, clusters []*clusterv1alpha1.Cluster, taken Taken) Capacity {
	d := demandOf(spec)
	capacity := make(Capacity, len(clusters))
	for _, c := range clusters {
		summary := c.Status.ResourceSummary
		if summary == nil {
			continue
		}
		room := Room{Fits: d.fits(summary, taken[c.Name])}
		if room.Fits == 0 {
			room.Lacking = d.lacking(summary, taken[c.Name])
		}
		capacity[c.Name] = room
	}
	return capacity
}

// measure sets how often the object still fits on each candidate.
func (r *request) measure(candidates []candidate) {
	for i := range candidates {
		room, known := r.capacity[candidates[i].cluster.Name]
		candidates[i].free, candidates[i].known = room.Fits, known
	}
}
