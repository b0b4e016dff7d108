// SPDX-License-Identifier: Apache-2.0

package inventory

import "slices"

// pack places up to n replicas on groups, each node filled as far as it goes before the
// next. It appends what the nodes then have free to the first slice, and returns that and
// how many replicas found no room. The groups stay as they are.
func pack(to, groups []group, of *needs, n int64) ([]group, int64) {
	for index := range groups {
		if n == 0 {
			return appendGroups(to, groups[index:]), 0
		}
		g := groups[index]
		each := of.fits(&g)
		if each == 0 {
			to = appendGroup(to, g)
			continue
		}
		full := min(n/each, g.nodes)
		if full > 0 {
			to = appendGroup(to, group{g.class, of.taken(g.free, each), full})
			n -= full * each
			g.nodes -= full
		}
		if n > 0 && g.nodes > 0 {
			to = appendGroup(to, group{g.class, of.taken(g.free, n), 1})
			n = 0
			g.nodes--
		}
		if g.nodes > 0 {
			to = appendGroup(to, g)
		}
	}
	return to, n
}

// taken returns what is free after replicas were placed that fit.
func (n *needs) taken(free amounts, replicas int64) amounts {
	left := slices.Clone(free)
	for _, a := range n.amounts {
		left[a.index] -= a.amount * replicas
	}
	return left
}

func appendGroups(to, groups []group) []group {
	if len(groups) == 0 {
		return to
	}
	return append(appendGroup(to, groups[0]), groups[1:]...)
}

// appendGroup appends a group, or adds it to the last one if that is the same.
func appendGroup(to []group, g group) []group {
	if n := len(to); n > 0 && to[n-1].class == g.class && slices.Equal(to[n-1].free, g.free) {
		to[n-1].nodes += g.nodes
		return to
	}
	return append(to, g)
}

// capacity returns how many replicas the groups take, at most limit.
func capacity(groups []group, of *needs, limit int64) int64 {
	var sum int64
	for index := range groups {
		g := &groups[index]
		if sum = add(sum, multiply(of.fits(g), g.nodes)); sum >= limit {
			return limit
		}
	}
	return sum
}
