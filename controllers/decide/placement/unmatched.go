// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"slices"

	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// Unmatched returns the targets whose clusters are there and match no affinity of the placement any
// more, sorted by name. A target without a cluster, or with one that is being deleted, is not among
// them: that a cluster is not seen says nothing about its labels.
func Unmatched(in Input) []string {
	if in.Spec.Placement == nil {
		return nil
	}
	r := newRequest(in)
	var tiers []selector.Affinity
	for _, g := range r.groups(in.Status) {
		compiled, err := g.compile()
		if err != nil {
			return nil
		}
		tiers = append(tiers, compiled...)
	}
	var names []string
	for _, c := range in.Clusters {
		if r.isTarget(c.Name) && !leaves(c) && tierOf(c, tiers) < 0 {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}
