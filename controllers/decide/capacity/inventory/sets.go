// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"cmp"
	"math"
	"slices"
)

// How many whole sets fit is a packing problem without a fast exact answer. packing looks
// for many sets in three ways and takes the best; each counts only sets that it placed
// whole, so that the answer may be too small, never too large.
type packing struct {
	groups []group
	// components are those with replicas, those that take the largest share of the
	// cluster first; given are the same in the order of the question.
	components, given []*needs
	// one and two are where trials are built.
	one, two []group
}

// mostVisits bounds the work of placing set by set, in groups that are looked at before
// they are split further; leastSets are tried in any case.
const (
	mostVisits = 1024
	leastSets  = 16
)

// maxSets returns how many whole sets fit, at most limit. Components without replicas
// need nothing; if no component has any, the answer is limit.
func maxSets(groups []group, components []*needs, limit int64) int64 {
	p := packing{groups: groups}
	for _, c := range components {
		if c.replicas > 0 {
			p.given = append(p.given, c)
		}
	}
	if len(p.given) == 0 {
		return limit
	}
	most := p.bound(limit)
	if most == 0 {
		return 0
	}
	p.sort()
	best := p.inBulk(groups, most)
	if best < most {
		left, whole := p.wholeOnNodes(most)
		if whole > 0 {
			best = max(best, whole+p.inBulk(left, most-whole))
		}
	}
	if most = min(most, p.reach()); best < most {
		best = max(best, p.oneByOne(most))
	}
	return best
}

// bound returns a number of sets that is not too small: what each component could have
// by itself, and what all free amounts together hold.
func (p *packing) bound(limit int64) int64 {
	most := limit
	for _, c := range p.given {
		most = min(most, capacity(p.groups, c, multiply(most, c.replicas))/c.replicas)
		if most == 0 {
			return 0
		}
	}
	sum := p.free()
	for index, set := range p.set() {
		if set > 0 {
			most = min(most, sum[index]/set)
		}
	}
	return most
}

// free returns the sum of the free amounts of all nodes.
func (p *packing) free() amounts {
	var sum amounts
	for _, g := range p.groups {
		for len(sum) < len(g.free) {
			sum = append(sum, 0)
		}
		for index, a := range g.free {
			sum[index] = add(sum[index], multiply(a, g.nodes))
		}
	}
	return sum
}

// set returns the amounts of one set.
func (p *packing) set() amounts {
	var sum amounts
	for _, c := range p.given {
		for _, a := range c.amounts {
			for len(sum) <= a.index {
				sum = append(sum, 0)
			}
			sum[a.index] = add(sum[a.index], multiply(a.amount, c.replicas))
		}
	}
	return sum
}

// sort orders the components by the largest share that one replica takes of what is free.
func (p *packing) sort() {
	sum := p.free()
	share := func(c *needs) float64 {
		largest := 0.0
		for _, a := range c.amounts {
			largest = max(largest, float64(a.amount)/float64(max(sum[a.index], 1)))
		}
		return largest
	}
	p.components = slices.Clone(p.given)
	slices.SortStableFunc(p.components, func(a, b *needs) int { return cmp.Compare(share(b), share(a)) })
}

// inBulk returns the largest number of sets, at most limit, that a binary search finds to
// fit with all replicas of a component placed before those of the next.
func (p *packing) inBulk(groups []group, limit int64) int64 {
	if p.fit(groups, limit) {
		return limit
	}
	low, high := int64(0), limit
	for high-low > 1 {
		if middle := low + (high-low)/2; p.fit(groups, middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// fit reports whether n sets fit in bulk.
func (p *packing) fit(groups []group, n int64) bool {
	_, ok := p.place(groups, p.components, n)
	return ok
}

// place places n sets in bulk. It reports whether all fit, and returns what is then left,
// which is valid until the next call.
func (p *packing) place(groups []group, components []*needs, n int64) ([]group, bool) {
	from, to := groups, p.one[:0]
	for index, c := range components {
		var rest int64
		to, rest = pack(to, from, c, multiply(n, c.replicas))
		p.keep(index, to)
		if rest > 0 {
			return nil, false
		}
		from, to = to, p.spare(index)
	}
	return from, true
}

// keep remembers a slice for the next trial, and spare returns the other one.
func (p *packing) keep(index int, used []group) {
	if index%2 == 0 {
		p.one = used
	} else {
		p.two = used
	}
}

func (p *packing) spare(index int) []group {
	if index%2 == 0 {
		return p.two[:0]
	}
	return p.one[:0]
}

// wholeOnNodes places as many sets, at most limit, as fit on one node each, and returns
// what is left and how many these are.
func (p *packing) wholeOnNodes(limit int64) (left []group, sets int64) {
	set := &needs{parts: p.given}
	for index, a := range p.set() {
		if a > 0 {
			set.amounts = append(set.amounts, need{index, a})
		}
	}
	left, rest := pack(nil, p.groups, set, limit)
	return left, limit - rest
}

// reach returns how many sets oneByOne may place.
func (p *packing) reach() int64 {
	return max(leastSets, int64(mostVisits/(len(p.groups)*len(p.given))))
}

// oneByOne places set after set, each replica on the first node that takes it, until one
// does not fit whole or there are as many as limit.
func (p *packing) oneByOne(limit int64) int64 {
	left := p.groups
	for sets := range limit {
		after, ok := p.place(left, p.given, 1)
		if !ok {
			return sets
		}
		left = slices.Clone(after)
	}
	return limit
}

// asInt32 returns a number that is not negative, at most the largest int32.
func asInt32(n int64) int32 { return int32(min(n, math.MaxInt32)) }
