// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"fmt"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// group is one set of clusters to choose from.
type group struct {
	name  string                            // empty without groups
	tiers []*policyv1alpha1.ClusterAffinity // the affinity and its overflow groups; a nil one matches all
}

// groups returns the groups to try: from the one in force on to the last, then
// those before it; for a fresh decision from the first on. (Karmada does not try
// those before it, so that an object without a cluster waits for a rebalancer
// although the first group has recovered.) Overflow groups count only where
// capacity does, which is where they are allowed.
func (r *request) groups(status *workv1alpha2.ResourceBindingStatus) []group {
	terms := r.placement.ClusterAffinities
	if len(terms) == 0 {
		return []group{{tiers: []*policyv1alpha1.ClusterAffinity{r.placement.ClusterAffinity}}}
	}
	overflows := r.strategy.byCapacity() && r.spec.IsWorkload()
	groups := make([]group, len(terms))
	for i := range terms {
		g := &groups[i]
		g.name, g.tiers = terms[i].AffinityName, []*policyv1alpha1.ClusterAffinity{&terms[i].ClusterAffinity}
		for j := range terms[i].OverflowAffinities {
			if overflows {
				g.tiers = append(g.tiers, &terms[i].OverflowAffinities[j].ClusterAffinity)
			}
		}
	}
	if status == nil || r.fresh {
		return groups
	}
	inForce := func(g group) bool { return g.name == status.SchedulerObservedAffinityName }
	first := max(slices.IndexFunc(groups, inForce), 0)
	return slices.Concat(groups[first:], groups[:first])
}

// prefix names the group at the start of an error's text.
func (g group) prefix() string {
	if g.name == "" {
		return ""
	}
	return "affinity group " + g.name + ": "
}

// compile makes the group's tiers ready for matching.
func (g group) compile() ([]selector.Affinity, error) {
	tiers := make([]selector.Affinity, len(g.tiers))
	for i, t := range g.tiers {
		a, err := selector.NewAffinity(t)
		if err != nil {
			return nil, fmt.Errorf("%sread cluster affinity: %w", g.prefix(), err)
		}
		tiers[i] = a
	}
	return tiers, nil
}
