// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"math"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// sets returns how many whole sets of several parts, which take the sum, fit on the nodes, limit at most. It
// tries to put each set on one node, and to pack the parts one after the other, each on the
// first nodes that have room for it: the large ones first and the small ones first, into
// small nodes first and into large nodes first. The best of these counts.
//
// Each of them is a packing that exists, so that the answer is never above what there is
// room for, and none has less for more nodes. See packing.holds.
//
// It returns less than atLeast if they do not fit, and does not look for how many do then.
func (g *gradedNodes) sets(set []part, sum demand, atLeast, limit int64) int64 {
	best := min(limit, max(g.replicas(part{1, sum}), atLeast-1))
	p, ok := g.packing(set)
	if !ok {
		return best
	}
	for range 2 {
		for range 2 {
			best = p.most(best, limit)
			slices.Reverse(p.nodes)
		}
		slices.Reverse(p.parts)
	}
	return best
}

// packing is the question whether some parts fit on some nodes, in whole numbers.
type packing struct {
	// nodes are those that are there, in the order in which they are filled.
	nodes []equalNodes
	// parts are what a set consists of, in the order in which they are packed.
	parts []sizedPart
	// old and new are the nodes before and after a part, kept from one packing to the next.
	old, new []equalNodes
	// amounts hold what nodes have free, by resource, and do not change once they are there: those
	// of empty nodes, and then what is left of them. resources is how many there are of each.
	amounts   []int64
	resources int
}

// equalNodes are some nodes with the same free resources.
type equalNodes struct {
	count int64
	// whole is where the amounts are of what each had free in the beginning, and free where those
	// are of what each has free for the next part.
	whole, free int
}

// sizedPart is some equal pods of a set, and what each takes, by resource.
type sizedPart struct {
	replicas int64
	size     []int64
}

// packing returns the packing of a set. Pods that take nothing which the grades name are not
// in it, pods that take the same are one part, and parts are sorted by size. It is false if
// a resource cannot be had in whole numbers of an int64 without rounding.
func (g *gradedNodes) packing(set []part) (*packing, bool) {
	names := g.demanded(set)
	p := &packing{parts: make([]sizedPart, len(set)), resources: len(names)}
	for i := range set {
		p.parts[i].replicas = set[i].replicas
	}
	for _, n := range g.counts {
		if n > 0 {
			at := len(p.nodes) * len(names)
			p.nodes = append(p.nodes, equalNodes{count: n, whole: at, free: at})
		}
	}
	p.amounts = make([]int64, len(p.nodes)*len(names))
	for resource, name := range names {
		if !p.addResource(g, set, name, resource) {
			return nil, false
		}
	}
	p.parts = slices.DeleteFunc(p.parts, func(s sizedPart) bool { return isZero(s.size) })
	slices.SortFunc(p.parts, func(a, b sizedPart) int { return slices.Compare(b.size, a.size) })
	p.merge()
	return p, true
}

// demanded returns the resources that the grades name and the set takes, sorted.
func (g *gradedNodes) demanded(set []part) []corev1.ResourceName {
	var names []corev1.ResourceName
	for i := range g.models {
		for _, r := range g.models[i].Ranges {
			takes := func(p part) bool { _, ok := p.demand.of(r.Name); return ok }
			if !slices.Contains(names, r.Name) && slices.ContainsFunc(set, takes) {
				names = append(names, r.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// scales are the parts of a unit in which amounts may be whole numbers, as powers of ten.
var scales = []resource.Scale{0, resource.Milli, resource.Nano}

// addResource adds one resource to nodes and parts, of which it is the at-th; false if there is no
// scale for it.
func (p *packing) addResource(g *gradedNodes, set []part, name corev1.ResourceName, at int) bool {
	return slices.ContainsFunc(scales, func(scale resource.Scale) bool { return p.addScaled(g, set, name, at, scale) })
}

// addScaled is addResource for one scale; it changes nothing if that does not do.
func (p *packing) addScaled(g *gradedNodes, set []part, name corev1.ResourceName, at int, scale resource.Scale) bool {
	sizes, wholes := make([]int64, len(set)), make([]int64, 0, len(p.nodes))
	for i := range set {
		q, _ := set[i].demand.of(name)
		v, ok := scaled(q, scale)
		if !ok {
			return false
		}
		sizes[i] = v
	}
	for i, n := range g.counts {
		if n == 0 {
			continue
		}
		v, ok := g.minimum(i, name, scale)
		if !ok {
			return false
		}
		wholes = append(wholes, v)
	}
	for i := range sizes {
		p.parts[i].size = append(p.parts[i].size, sizes[i])
	}
	for i := range wholes {
		p.amounts[p.nodes[i].whole+at] = wholes[i]
	}
	return true
}

// minimum returns the minimum of a resource in a grade; one that the grade does not name is
// there without end.
func (g *gradedNodes) minimum(grade int, name corev1.ResourceName, scale resource.Scale) (int64, bool) {
	for _, r := range g.models[grade].Ranges {
		if r.Name == name {
			return scaled(r.Min, scale)
		}
	}
	return math.MaxInt64, true
}

// scaled returns a quantity as a whole number of 10^scale; false if it is none.
func scaled(q resource.Quantity, scale resource.Scale) (int64, bool) {
	v := q.ScaledValue(scale)
	return v, v >= 0 && q.Cmp(*resource.NewScaledQuantity(v, scale)) == 0
}

func isZero(amounts []int64) bool {
	return !slices.ContainsFunc(amounts, func(v int64) bool { return v != 0 })
}

// merge joins parts of the same size.
func (p *packing) merge() {
	out := p.parts[:0]
	for _, s := range p.parts {
		if n := len(out); n > 0 && slices.Equal(out[n-1].size, s.size) {
			out[n-1].replicas += s.replicas
			continue
		}
		out = append(out, s)
	}
	p.parts = out
}

// most returns the largest number of sets that holds is true for, if it is more than known,
// and limit at most.
func (p *packing) most(known, limit int64) int64 {
	if known >= limit || !p.holds(known+1) {
		return known
	}
	more := sort.Search(int(limit-known-1), func(i int) bool { return !p.holds(known + 2 + int64(i)) })
	return known + 1 + int64(more)
}

// holds reports whether so many sets fit if the parts are packed one after the other, each
// on the first nodes with room for it. Nodes of one kind are filled together.
//
// What a part leaves of a node to the parts after the next one is counted as if the part had
// found the node empty, unless its last pod is on it. So more sets never leave more room to
// a later part than fewer sets do, nor do fewer nodes than more: an answer for more sets
// holds for fewer, and more nodes have room for at least as much. (First fit alone is not
// like that for three parts and more.) For two parts nothing is lost.
func (p *packing) holds(sets int64) bool {
	p.begin()
	for i := range p.parts {
		s := &p.parts[i]
		left := sets * s.replicas
		p.old, p.new = p.new, p.old[:0]
		for _, n := range p.old {
			left = p.fill(n, s, left)
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// begin empties all nodes.
func (p *packing) begin() {
	p.new, p.amounts = append(p.new[:0], p.nodes...), p.amounts[:len(p.nodes)*p.resources]
}

// at returns some amounts by resource.
func (p *packing) at(place int) []int64 { return p.amounts[place : place+p.resources] }

// take adds nodes with as much free as others had, less so many pods, down to nothing.
func (p *packing) take(n equalNodes, count int64, s *sizedPart, pods int64) {
	at := len(p.amounts)
	for i, free := range p.at(n.free) {
		p.amounts = append(p.amounts, max(free-s.size[i]*pods, 0))
	}
	p.new = append(p.new, equalNodes{count: count, whole: n.whole, free: at})
}

// fill packs pods of a part on some nodes, and returns how many are left.
func (p *packing) fill(n equalNodes, s *sizedPart, left int64) int64 {
	if left == 0 {
		p.new = append(p.new, n)
		return 0
	}
	fits := s.timesIn(p.at(n.free))
	full := n.count // so many have more pods left than fit
	if fits > 0 {
		full = min(full, (left-1)/fits)
	}
	if full > 0 {
		p.take(n, full, s, s.timesIn(p.at(n.whole)))
		left -= full * fits
	}
	if full == n.count {
		return left
	}
	p.take(n, 1, s, left)
	if rest := n.count - full - 1; rest > 0 {
		p.new = append(p.new, equalNodes{count: rest, whole: n.whole, free: n.free})
	}
	return 0
}

// timesIn returns how often a pod fits into what is free.
func (s *sizedPart) timesIn(free []int64) int64 {
	times := int64(math.MaxInt64)
	for i, size := range s.size {
		if size > 0 {
			times = min(times, free[i]/size)
		}
	}
	return times
}
