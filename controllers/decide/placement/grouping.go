// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"fmt"
	"strings"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// grouping is what spread constraints ask of the groups of clusters that have one property
// in common: a region, a provider, a zone or the value of a label.
type grouping struct {
	noun string // of several groups
	of   func(*clusterv1alpha1.Cluster) []string

	least, most int // groups to choose from

	ids [][]int // the groups of each cluster, counted from 0
	all int     // groups that there are
}

// groupings returns the groupings of the constraints in their order, each once, with the
// groups of the clusters. It fails with an *UnschedulableError if there are fewer groups
// than one asks for.
func groupings(constraints []policyv1alpha1.SpreadConstraint, clusters []candidate) ([]grouping, error) {
	var out []grouping
	known := map[string]bool{}
	for i := range constraints {
		s := &constraints[i]
		if byCluster(*s) {
			continue
		}
		g := groupingBy(s)
		if known[g.noun] {
			continue
		}
		known[g.noun] = true
		g.count(clusters)
		g.least, g.most = bounds(constraints, func(o policyv1alpha1.SpreadConstraint) bool { return sameProperty(*s, o) }, g.all)
		if g.all < g.least {
			return nil, unschedulable("the spread constraint asks for at least %d %s, clusters of %d fit", g.least, g.noun, g.all)
		}
		out = append(out, g)
	}
	return out, nil
}

// groupingBy returns the grouping of a constraint that is not by cluster, without its
// bounds and groups.
func groupingBy(s *policyv1alpha1.SpreadConstraint) grouping {
	switch {
	case s.SpreadByLabel != "":
		key := s.SpreadByLabel
		return grouping{noun: "values of label " + key, of: func(c *clusterv1alpha1.Cluster) []string { return []string{c.Labels[key]} }}
	case s.SpreadByField == policyv1alpha1.SpreadByFieldZone:
		return grouping{noun: "zones", of: func(c *clusterv1alpha1.Cluster) []string { return c.Spec.Zones }}
	case s.SpreadByField == policyv1alpha1.SpreadByFieldProvider:
		return grouping{noun: "providers", of: func(c *clusterv1alpha1.Cluster) []string { return []string{c.Spec.Provider} }}
	}
	return grouping{noun: "regions", of: func(c *clusterv1alpha1.Cluster) []string { return []string{c.Spec.Region} }}
}

// sameProperty reports whether two constraints are by the same property.
func sameProperty(a, b policyv1alpha1.SpreadConstraint) bool {
	if a.SpreadByLabel != "" || b.SpreadByLabel != "" {
		return a.SpreadByLabel == b.SpreadByLabel
	}
	return a.SpreadByField == b.SpreadByField
}

// count numbers the groups in the order of the clusters.
func (g *grouping) count(clusters []candidate) {
	numbers := map[string]int{}
	g.ids = make([][]int, len(clusters))
	for i := range clusters {
		for _, name := range g.of(clusters[i].cluster) {
			id, known := numbers[name]
			if !known {
				id = len(numbers)
				numbers[name] = id
			}
			g.ids[i] = append(g.ids[i], id)
		}
	}
	g.all = len(numbers)
}

// asked says what the grouping asks for.
func (g *grouping) asked() string {
	if g.least == g.most {
		return fmt.Sprintf("%d of %d %s", g.least, g.all, g.noun)
	}
	return fmt.Sprintf("%d to %d of %d %s", g.least, g.most, g.all, g.noun)
}

// allAsked says what all groupings ask for.
func allAsked(groupings []grouping) string {
	texts := make([]string, len(groupings))
	for i := range groupings {
		texts[i] = groupings[i].asked()
	}
	return strings.Join(texts, " and ")
}
