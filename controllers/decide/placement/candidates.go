// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Candidates returns the names of the clusters whose capacity Select may read: those that pass
// the filters, in any affinity group. They are sorted.
func Candidates(in Input) []string {
	if in.Spec.Placement == nil {
		return nil
	}
	r := newRequest(in)
	var names []string
	for _, g := range r.groups(in.Status) {
		feasible, err := r.filter(g)
		if err != nil {
			continue // Select has the reason
		}
		for i := range feasible {
			names = append(names, feasible[i].cluster.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Displaced returns how many replicas of a binding's object, or whole sets of its components, may
// not fit any more once something else takes resources: as many as the scarcest of these would be
// enough for.
func Displaced(spec *workv1alpha2.ResourceBindingSpec, taken corev1.ResourceList) int64 {
	most := int64(0)
	for _, n := range demandOf(spec) {
		if t := taken[n.name]; t.Sign() > 0 {
			most = max(most, quotientUp(t, n.quantity))
		}
	}
	return most
}

// Estimated returns the capacity of a cluster by the answer of its estimator, which has seen its
// nodes, and never more than its resource summary has. Summary is nil without one.
func Estimated(fits int64, summary *Room) Room {
	if summary != nil && summary.Fits <= fits {
		return *summary
	}
	room := Room{Fits: fits}
	if fits == 0 {
		room.Lacking = "room on one node"
	}
	return room
}
