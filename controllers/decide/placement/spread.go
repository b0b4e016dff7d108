// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// spread chooses, of the feasible clusters, as many as the spread constraints
// allow. Without constraints that is all of them; with static weights too,
// because those name the clusters themselves, as in Karmada.
//
// It fails with an *UnschedulableError when there are fewer clusters or groups than
// minGroups, and when replicas are divided by capacity and no choice of maxGroups
// clusters has room for them all.
func (r *request) spread(feasible []candidate) ([]candidate, error) {
	constraints := r.placement.SpreadConstraints
	if len(constraints) == 0 || r.strategy == static {
		return feasible, nil
	}
	if slices.ContainsFunc(constraints, func(s policyv1alpha1.SpreadConstraint) bool { return !byCluster(s) }) {
		return r.spreadByGroups(feasible)
	}
	least, most := bounds(constraints, byCluster, len(feasible))
	if len(feasible) < least {
		return nil, unschedulable("the spread constraint asks for at least %d clusters, %d fit", least, len(feasible))
	}
	slices.SortFunc(feasible, byRank)
	chosen := feasible[:most]
	if !divides(r.spec) {
		return chosen, nil
	}
	makeRoom(chosen, feasible[most:], int64(r.spec.Replicas))
	if room := totalAvailable(chosen); room < int64(r.spec.Replicas) {
		return nil, unschedulable("the spread constraint allows %d of %d feasible clusters, which have room for %d of %d replicas", most, len(feasible), room, r.spec.Replicas)
	}
	return chosen, nil
}

// bounds returns how many groups of a kind the constraints ask for at least and at most,
// the latter no more than there are. A minGroups of 0 means 1. A maxGroups of 0 means no
// limit; in Karmada it selects nothing.
func bounds(constraints []policyv1alpha1.SpreadConstraint, by func(policyv1alpha1.SpreadConstraint) bool, groups int) (least, most int) {
	least, most = 1, groups
	for _, s := range constraints {
		if !by(s) {
			continue
		}
		least = max(least, s.MinGroups)
		if s.MaxGroups > 0 {
			most = min(most, s.MaxGroups)
		}
	}
	return least, most
}

// byCluster reports whether a constraint counts clusters, as one without a field does.
func byCluster(s policyv1alpha1.SpreadConstraint) bool {
	return s.SpreadByLabel == "" && (s.SpreadByField == "" || s.SpreadByField == policyv1alpha1.SpreadByFieldCluster)
}

// byRank compares clusters, the best first: those where the object is, then
// the affinity itself before its overflow groups, then those with the highest score by
// the rules, then those with most room, then by name. (Karmada ranks overflow groups before present targets, so that
// with maxGroups an object can move back and forth.)
func byRank(a, b candidate) int {
	return cmp.Or(
		trueFirst(a.target, b.target),
		cmp.Compare(a.tier, b.tier),
		cmp.Compare(b.score, a.score),
		byRoom(a, b),
	)
}

// byRoom compares clusters, those with most room first, then by name.
func byRoom(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.available(), a.available()), cmp.Compare(a.cluster.Name, b.cluster.Name))
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// makeRoom exchanges chosen clusters, from the worst on, for those of the rest with most
// room, until the chosen ones have room for the replicas or no exchange helps. Both
// slices are changed.
func makeRoom(chosen, rest []candidate, replicas int64) {
	for i := len(chosen) - 1; i >= 0 && len(rest) > 0 && totalAvailable(chosen) < replicas; i-- {
		best := 0
		for j := range rest {
			if byRoom(rest[j], rest[best]) < 0 {
				best = j
			}
		}
		if rest[best].available() > chosen[i].available() {
			chosen[i], rest[best] = rest[best], chosen[i]
		}
	}
}

func totalAvailable(candidates []candidate) int64 {
	total := int64(0)
	for i := range candidates {
		total += candidates[i].available()
	}
	return total
}
