// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"math"
	"slices"
)

// View answers questions about an inventory, with workloads that count as being there and
// have no pods yet. It is for one goroutine and for a short time: it may answer from the
// nodes as they were when it was first asked.
type View struct {
	of      *Inventory
	assumed []Workload
	// reads is what the claims of the assumed workloads read.
	reads reads

	// shapes and nodes are the groups with the assumed workloads placed, nil until they
	// are needed. keys are the labels by which shapes were told apart.
	shapes, nodes []group
	keys          []string
}

// Assume returns a view on which each of the workloads is placed once, in their order, as
// far as there is room: the replicas without room wait as pods, and take none.
func (i *Inventory) Assume(workloads ...Workload) *View {
	v := &View{of: i, assumed: workloads}
	for _, w := range workloads {
		v.reads = v.reads.with(w.Components)
	}
	return v
}

// Replicas returns how many more replicas fit, by the nodes and by the quotas of the
// namespace: 0 to limit. A limit below 1 is the largest int32.
func (v *View) Replicas(namespace string, r Requirements, limit int32) int32 {
	groups, all := v.groups([]Component{{Replicas: 1, Requirements: r}})
	return asInt32(capacity(groups, all[0], v.quotaSets(namespace, all, bounded(limit))))
}

// Sets returns how many more whole sets of components fit, by the nodes and by the quotas
// of the namespace: 0 to limit. A limit below 1 is the largest int32. The answer may be
// smaller than what a perfect placement reaches, and is never larger. Components without
// replicas need nothing, so that the answer for them alone is the limit.
func (v *View) Sets(namespace string, components []Component, limit int32) int32 {
	groups, all := v.groups(components)
	return asInt32(maxSets(groups, all, v.quotaSets(namespace, all, bounded(limit))))
}

func bounded(limit int32) int64 {
	if limit < 1 {
		return math.MaxInt32
	}
	return int64(limit)
}

// groups returns the nodes as the components see them, with the assumed workloads placed,
// and what the components need.
func (v *View) groups(components []Component) ([]group, []*needs) {
	v.of.mu.Lock()
	all := v.of.needsOf(components)
	reads := v.reads.with(components)
	if !reads.names && v.of.learn(reads.labels) {
		if v.shapes != nil && slices.Equal(v.keys, v.of.keys) {
			v.of.mu.Unlock()
			return v.shapes, all
		}
		base, assumed := v.of.groups(), v.of.allNeeds(v.assumed)
		v.keys = v.of.keys
		v.of.mu.Unlock()
		v.shapes = packAll(base, assumed)
		return v.shapes, all
	}
	if v.nodes != nil {
		v.of.mu.Unlock()
		return v.nodes, all
	}
	base, assumed := v.of.eachNode(), v.of.allNeeds(v.assumed)
	v.of.mu.Unlock()
	v.nodes = packAll(base, assumed)
	return v.nodes, all
}

// packAll places replicas as far as there is room.
func packAll(groups []group, assumed []*needs) []group {
	var spare []group
	for index, n := range assumed {
		after, _ := pack(spare[:0], groups, n, n.replicas)
		if spare = nil; index > 0 { // the first groups are the inventory's
			spare = groups
		}
		groups = after
	}
	return groups
}

// reads is what claims read of nodes.
type reads struct {
	labels []string
	names  bool
}

func (r reads) with(components []Component) reads {
	r.labels = slices.Clip(r.labels)
	for _, c := range components {
		if claim := c.Requirements.Claim; claim != nil {
			r.labels, r.names = append(r.labels, claim.keys...), r.names || claim.fields
		}
	}
	return r
}

func (i *Inventory) allNeeds(workloads []Workload) []*needs {
	var all []*needs
	for _, w := range workloads {
		all = append(all, i.needsOf(w.Components)...)
	}
	return all
}

func (i *Inventory) needsOf(components []Component) []*needs {
	all := make([]*needs, 0, len(components))
	for _, c := range components {
		n := needsAlone(c)
		for _, r := range n.requests {
			if index, known := i.indexes[r.Name]; known {
				n.amounts = append(n.amounts, need{index, r.Amount})
			} else {
				n.impossible = true
			}
		}
		all = append(all, n)
	}
	return all
}

// needsAlone returns what a component needs, without the indexes of its resources.
func needsAlone(c Component) *needs {
	return &needs{
		claim: c.Requirements.Claim, priorityClass: c.Requirements.PriorityClass,
		replicas: int64(max(c.Replicas, 0)), requests: requestsOf(c.Requirements.Requests),
	}
}
