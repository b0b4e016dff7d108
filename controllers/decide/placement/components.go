// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// together reports whether an object is placed by its components: it has any, and a
// spread constraint asks for exactly one cluster, where a minGroups of 0 means 1. Under
// any other constraint it is placed as an object without replicas is, whole on each
// chosen cluster.
func together(spec *workv1alpha2.ResourceBindingSpec) bool {
	return len(spec.Components) > 0 && slices.ContainsFunc(spec.Placement.SpreadConstraints, func(s policyv1alpha1.SpreadConstraint) bool {
		return byCluster(s) && s.MinGroups <= 1 && s.MaxGroups == 1
	})
}

// Together reports whether the components of an object go to one cluster, all of them. The
// placement must not be nil.
func Together(spec *workv1alpha2.ResourceBindingSpec) bool { return together(spec) }

// placeTogether puts an object with several components, for example a FlinkDeployment
// with job manager and task managers, whole on one cluster, whatever the strategy: the
// one where it is, otherwise that with the highest score by the rules and then with room for
// most sets of all components, otherwise one whose room is not known. The room of the present cluster does not matter, because
// the object itself uses it.
//
// Karmada asks for room only when replicas are divided by capacity, and ignores the
// constraint when they are divided by static weights.
//
// It fails with an *UnschedulableError when no cluster has room for one set.
func (r *request) placeTogether(feasible []candidate) ([]workv1alpha2.TargetCluster, error) {
	if !slices.ContainsFunc(feasible, func(c candidate) bool { return c.target }) {
		r.measure(feasible)
	}
	best := r.best(feasible)
	if !best.target && best.known && best.free == 0 {
		return nil, r.noRoom(feasible)
	}
	return []workv1alpha2.TargetCluster{{Name: best.cluster.Name, Components: componentTargets(r.spec)}}, nil
}

// best returns the candidate that a set goes to. Of those of whose room only a bound is known, it
// refines as few as may be the best: less room makes none better.
func (r *request) best(feasible []candidate) candidate {
	for {
		best := mostFitting(feasible)
		if r.refine == nil || best.target || !best.known || best.free == 0 || best.refined {
			return *best
		}
		atLeast := int64(1)
		for i := range feasible {
			if c := &feasible[i]; c.refined && c.tier == best.tier && c.score == best.score {
				atLeast = max(atLeast, c.free)
			}
		}
		best.free, best.refined = r.refine(best.cluster.Name, atLeast).Fits, true
	}
}

// mostFitting returns the candidate that comes first.
func mostFitting(feasible []candidate) *candidate {
	first := &feasible[0]
	for i := range feasible[1:] {
		if c := &feasible[i+1]; byFit(c, first) < 0 {
			first = c
		}
	}
	return first
}

// byFit orders candidates for a set, the best first.
func byFit(a, b *candidate) int {
	return cmp.Or(
		trueFirst(a.target, b.target),
		trueFirst(a.free > 0, b.free > 0),
		trueFirst(!a.known, !b.known),
		cmp.Compare(a.tier, b.tier),
		cmp.Compare(b.score, a.score),
		cmp.Compare(b.free, a.free),
		cmp.Compare(a.cluster.Name, b.cluster.Name),
	)
}

// noRoom returns the error with the number of clusters that have too little of each
// resource. The capacity of all must be known, and no bound.
func (r *request) noRoom(feasible []candidate) error {
	reasons := make(map[string]string, len(feasible))
	for i := range feasible {
		name := feasible[i].cluster.Name
		room := r.capacity[name]
		if r.refine != nil {
			room = r.refine(name, 1)
		}
		lacking := cmp.Or(string(room.Lacking), "capacity")
		reasons[name] = "cluster(s) had too little " + lacking
	}
	return unschedulable("none of %d feasible clusters has room for all components: %s", len(feasible), countReasons(reasons))
}

// componentTargets records the replicas of each component, in the interpreter's
// order; nil if there is only one component.
func componentTargets(spec *workv1alpha2.ResourceBindingSpec) []workv1alpha2.TargetComponent {
	if len(spec.Components) < 2 {
		return nil
	}
	out := make([]workv1alpha2.TargetComponent, len(spec.Components))
	for i, c := range spec.Components {
		out[i] = workv1alpha2.TargetComponent{Name: c.Name, Replicas: c.Replicas}
	}
	return out
}
