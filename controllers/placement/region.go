// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"slices"
)

// spreadByRegion chooses clusters in as few regions as the constraints allow and have
// enough: as many clusters as they ask for at least, and room where replicas are divided
// by capacity. It takes one cluster of each region, and more of these regions up to the
// limit for clusters, which a larger number of regions exceeds, as in Karmada.
//
// Of the same number of regions it tries those with the best clusters first, then the
// largest, then those with most room; it does not try all combinations.
func (r *request) spreadByRegion(feasible []candidate) ([]candidate, error) {
	constraints := r.placement.SpreadConstraints
	least, most := bounds(constraints, byCluster, len(feasible))
	orders := []order{
		ordered(feasible, byRank, func(_, _ []candidate) int { return 0 }),
		ordered(feasible, byRank, func(a, b []candidate) int { return cmp.Compare(len(b), len(a)) }),
		ordered(feasible, byRoom, func(a, b []candidate) int { return cmp.Compare(totalAvailable(b), totalAvailable(a)) }),
	}
	all := len(orders[0].regions)
	fewest, limit := bounds(constraints, byRegion, all)
	if all < fewest {
		return nil, unschedulable("the spread constraint asks for at least %d regions, clusters of %d fit", fewest, all)
	}
	for n := fewest; n <= limit; n++ {
		for _, o := range orders {
			chosen := o.first(n, most)
			if len(chosen) >= least && (!divides(r.spec) || totalAvailable(chosen) >= int64(r.spec.Replicas)) {
				return chosen, nil
			}
		}
	}
	if !divides(r.spec) {
		return nil, unschedulable("the spread constraints ask for at least %d clusters in at most %d of %d regions, which have fewer that fit", least, limit, all)
	}
	return nil, unschedulable("the spread constraints ask for at least %d and at most %d clusters in at most %d of %d regions, which have no room for %d replicas",
		least, max(most, limit), limit, all, r.spec.Replicas)
}

// order is an order in which clusters are chosen: by their regions, and in each by a
// comparison.
type order struct {
	regions [][]candidate
	by      func(a, b candidate) int
}

// ordered groups clusters by their region. The regions are sorted by the comparison of
// regions, then by that of their first clusters.
func ordered(clusters []candidate, by func(a, b candidate) int, among func(a, b []candidate) int) order {
	groups := map[string][]candidate{}
	for _, c := range clusters {
		groups[c.cluster.Spec.Region] = append(groups[c.cluster.Spec.Region], c)
	}
	regions := make([][]candidate, 0, len(groups))
	for _, g := range groups {
		slices.SortFunc(g, by)
		regions = append(regions, g)
	}
	slices.SortFunc(regions, func(a, b []candidate) int { return cmp.Or(among(a, b), by(a[0], b[0])) })
	return order{regions, by}
}

// first returns the first cluster of each of the first regions, and the first of their
// others up to a number of clusters.
func (o order) first(regions, clusters int) []candidate {
	var chosen, rest []candidate
	for _, r := range o.regions[:regions] {
		chosen, rest = append(chosen, r[0]), append(rest, r[1:]...)
	}
	slices.SortFunc(rest, o.by)
	return append(chosen, rest[:min(len(rest), max(clusters-len(chosen), 0))]...)
}
