// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"slices"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// placeComponents puts an object with several components, for example a FlinkDeployment
// with job manager and task managers, whole on one cluster, whatever the strategy: the
// one where it is, otherwise the one with room for most sets of all components, otherwise
// one whose room is not known. The room of the present cluster does not matter, because
// the object itself uses it.
//
// Karmada does so only under a spread constraint of exactly one cluster, and
// asks for room only when replicas are divided by capacity.
//
// It fails with an *UnschedulableError when no cluster has room for one set, or
// when a spread constraint asks for more than one group.
func (r *request) placeComponents(feasible []candidate) ([]workv1alpha2.TargetCluster, error) {
	for i := range r.placement.SpreadConstraints {
		if least := r.placement.SpreadConstraints[i].MinGroups; least > 1 {
			return nil, unschedulable("components go to one cluster together, the spread constraint asks for at least %d groups", least)
		}
	}
	if !slices.ContainsFunc(feasible, func(c candidate) bool { return c.target }) {
		r.measure(feasible)
	}
	best := slices.MinFunc(feasible, func(a, b candidate) int {
		return cmp.Or(
			trueFirst(a.target, b.target),
			trueFirst(a.free > 0, b.free > 0),
			trueFirst(!a.known, !b.known),
			cmp.Compare(a.tier, b.tier),
			cmp.Compare(b.free, a.free),
			cmp.Compare(a.cluster.Name, b.cluster.Name),
		)
	})
	if !best.target && best.known && best.free == 0 {
		return nil, r.noRoom(feasible)
	}
	return []workv1alpha2.TargetCluster{{Name: best.cluster.Name, Components: r.componentTargets()}}, nil
}

// noRoom returns the error with the number of clusters that have too little of each
// resource. The capacity of all must be known.
func (r *request) noRoom(feasible []candidate) error {
	reasons := make(map[string]string, len(feasible))
	for i := range feasible {
		name := feasible[i].cluster.Name
		lacking := cmp.Or(string(r.capacity[name].Lacking), "capacity")
		reasons[name] = "cluster(s) had too little " + lacking
	}
	return unschedulable("none of %d feasible clusters has room for all components: %s", len(feasible), countReasons(reasons))
}

// componentTargets records the replicas of each component, in the interpreter's
// order; nil if there is only one component.
func (r *request) componentTargets() []workv1alpha2.TargetComponent {
	if len(r.spec.Components) < 2 {
		return nil
	}
	out := make([]workv1alpha2.TargetComponent, len(r.spec.Components))
	for i, c := range r.spec.Components {
		out[i] = workv1alpha2.TargetComponent{Name: c.Name, Replicas: c.Replicas}
	}
	return out
}
