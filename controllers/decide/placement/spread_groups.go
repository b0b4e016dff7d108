// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"math"
	"slices"
)

// spreadByGroups chooses clusters in as few regions, zones, providers or values of labels as
// the constraints allow and have enough: as many clusters as they ask for at least, and
// room where replicas are divided by capacity. It opens the groups that it needs by one
// cluster each, and takes more clusters of these up to the limit for clusters, which a
// larger number of groups exceeds, as in Karmada.
//
// Of the same number of groups it tries those with the best clusters first, then the
// largest, then those with most room. Where none of these has enough, it searches among
// all choices, up to a number of steps.
func (r *request) spreadByGroups(feasible []candidate) ([]candidate, error) {
	least, most := bounds(r.placement.SpreadConstraints, byCluster, len(feasible))
	slices.SortFunc(feasible, func(a, b candidate) int { return cmp.Compare(a.cluster.Name, b.cluster.Name) })
	all, err := groupings(r.placement.SpreadConstraints, feasible)
	if err != nil {
		return nil, err
	}
	c := newChooser(feasible, all, least, most)
	if divides(r.spec) {
		c.replicas = int64(r.spec.Replicas)
	}
	if chosen := c.choose(r.fresh); chosen != nil {
		return chosen, nil
	}
	if c.replicas == 0 {
		return nil, unschedulable("the spread constraints ask for at least %d clusters in %s, and no choice of the %d that fit has these", least, allAsked(all), len(feasible))
	}
	return nil, unschedulable("the spread constraints ask for at least %d and at most %d clusters in %s, and no choice of the %d that fit has room for %d replicas",
		least, c.limit(), allAsked(all), len(feasible), c.replicas)
}

// chooser chooses clusters under groupings.
type chooser struct {
	clusters    []candidate
	groupings   []grouping
	targets     int   // clusters where the object is
	least, most int   // clusters to choose
	replicas    int64 // that need room; 0 if room does not matter
	orders      []order

	taken   []bool // by cluster
	size    int    // how many are taken
	room    int64  // of those
	covered [][]int
	groups  []int // how many groups are covered, by grouping
	caps    []int // how many may be covered, by grouping
}

// roomiest is the index of the order by room.
const roomiest = 2

// firstExtras is up to how many groups more than are asked for are tried one by one. Then
// the number grows faster, since the time grows with the square of the clusters.
const firstExtras = 16

// order is an order in which clusters are chosen: the first of groups by opening, further
// clusters of these by filling. Both are indexes of clusters.
type order struct{ opening, filling []int }

func newChooser(clusters []candidate, groupings []grouping, least, most int) *chooser {
	c := &chooser{clusters: clusters, groupings: groupings, least: least, most: most, caps: make([]int, len(groupings))}
	for i := range clusters {
		if clusters[i].target {
			c.targets++
		}
	}
	none := func(_, _ contents) int { return 0 }
	c.orders = []order{
		c.order(byRank, none),
		c.order(byRank, func(a, b contents) int { return cmp.Compare(b.clusters, a.clusters) }),
		c.order(byRoom, func(a, b contents) int { return cmp.Compare(b.room, a.room) }),
	}
	c.clear()
	return c
}

// contents is what a group has.
type contents struct {
	clusters int
	room     int64
	best     int // the first of its clusters
}

// order returns the order by a comparison of clusters. Opening follows the groups of the
// first grouping, which are compared first by what they have, then by their first clusters.
func (c *chooser) order(by func(a, b candidate) int, among func(a, b contents) int) order {
	filling := make([]int, len(c.clusters))
	for i := range filling {
		filling[i] = i
	}
	slices.SortFunc(filling, func(a, b int) int { return by(c.clusters[a], c.clusters[b]) })
	first := &c.groupings[0]
	totals := make([]contents, first.all)
	place := make([]int, len(filling)) // by cluster
	for at, i := range filling {
		place[i] = at
		for _, id := range first.ids[i] {
			t := &totals[id]
			if t.clusters == 0 {
				t.best = at
			}
			t.clusters++
			t.room += c.clusters[i].available()
		}
	}
	compare := func(a, b contents) int { return cmp.Or(among(a, b), cmp.Compare(a.best, b.best)) }
	best := make([]contents, len(filling)) // by cluster: the first of its groups
	for i, ids := range first.ids {
		for n, id := range ids {
			if n == 0 || compare(totals[id], best[i]) < 0 {
				best[i] = totals[id]
			}
		}
	}
	opening := slices.Clone(filling)
	slices.SortFunc(opening, func(a, b int) int { return cmp.Or(compare(best[a], best[b]), cmp.Compare(place[a], place[b])) })
	return order{opening, filling}
}

// choose returns clusters that have enough; nil if none do. Unless all is decided afresh,
// the present targets stay if they have enough with others.
func (c *chooser) choose(fresh bool) []candidate {
	if !fresh && c.targets > 0 && c.stays() {
		return c.result()
	}
	if c.clear(); len(c.clusters) < c.least || c.lacksRoom(c.orders[roomiest].filling) {
		return nil
	}
	for extra := 0; c.widen(extra); extra = wider(extra) {
		for _, o := range c.orders {
			if c.greedy(o) {
				return c.result()
			}
		}
	}
	c.clear()
	if c.search(c.orders[roomiest]) {
		return c.result()
	}
	return nil
}

// wider is the number of further groups to try after a number of them.
func wider(extra int) int { return max(extra+1, extra*2-firstExtras) }

// widen allows each grouping some groups more than it asks for. It returns false if all
// may have all of them already.
func (c *chooser) widen(extra int) bool {
	more := extra == 0
	for i := range c.groupings {
		g := &c.groupings[i]
		c.caps[i] = min(g.least+extra, g.most)
		more = more || g.least+extra <= g.most
	}
	return more
}

// stays adds to the present targets what they need, in as few groups as will do, and
// reports whether they have enough then.
func (c *chooser) stays() bool {
	for extra := 0; c.widen(extra); extra = wider(extra) {
		if c.takeTargets() && c.complete(c.orders[0]) {
			return true
		}
	}
	return c.takeTargets() && c.search(c.orders[0])
}

// takeTargets takes the present targets alone, and reports whether they are within the
// limits.
func (c *chooser) takeTargets() bool {
	c.clear()
	for i := range c.clusters {
		if c.clusters[i].target && !c.exceeds(i) {
			c.take(i)
		}
	}
	return c.size == c.targets && c.size <= c.limit()
}

// greedy takes clusters in an order, and reports whether they have enough.
func (c *chooser) greedy(o order) bool {
	c.clear()
	return c.complete(o)
}

// complete adds to what is taken in an order: a cluster for each further group, then more
// clusters. It reports whether they have enough, and are not too many.
func (c *chooser) complete(o order) bool {
	for {
		best, gain := -1, 0
		for _, i := range o.opening {
			if n := c.gain(i); n > gain && !c.exceeds(i) {
				best, gain = i, n
			}
			if gain == len(c.groupings) {
				break
			}
		}
		if best < 0 {
			break
		}
		c.take(best)
	}
	c.fill(o)
	return c.enough() && c.size <= c.limit()
}

// fill takes clusters up to the limit that open no further group than is allowed.
func (c *chooser) fill(o order) {
	for _, i := range o.filling {
		if c.size >= c.most {
			return
		}
		if !c.taken[i] && !c.exceeds(i) {
			c.take(i)
		}
	}
}

// mostSteps is how many choices are looked at, at most, where no order has enough. 20,000
// take some milliseconds, and are all choices of 14 clusters.
const mostSteps = 20_000

// search looks among all choices that add to what is taken for one that has enough, in an
// order, and fills it.
func (c *chooser) search(o order) bool {
	c.widen(math.MaxInt32)
	steps := 0
	rest := slices.DeleteFunc(slices.Clone(o.filling), func(i int) bool { return c.taken[i] })
	if !c.searchFrom(rest, &steps) {
		return false
	}
	c.fill(o)
	return true
}

// searchFrom takes some of the rest of the clusters so that all have enough; it takes none
// if there is no such choice, or no step is left.
func (c *chooser) searchFrom(rest []int, steps *int) bool {
	if c.enough() {
		return true
	}
	if *steps++; *steps > mostSteps || len(rest) == 0 || c.size >= c.limit() || c.lacksRoom(rest) {
		return false
	}
	i := rest[0]
	if !c.exceeds(i) {
		c.take(i)
		if c.searchFrom(rest[1:], steps) {
			return true
		}
		c.drop(i)
	}
	return c.searchFrom(rest[1:], steps)
}

// lacksRoom reports whether what is taken has no room for the replicas, even with all the
// rest of the clusters.
func (c *chooser) lacksRoom(rest []int) bool {
	room := c.room
	for _, i := range rest {
		if room >= c.replicas {
			return false
		}
		room += c.clusters[i].available()
	}
	return room < c.replicas
}

// limit is how many clusters may be chosen: the limit for clusters gives way to the number
// of groups.
func (c *chooser) limit() int {
	n := c.most
	for i := range c.groupings {
		n = max(n, c.groupings[i].least)
	}
	return min(n, len(c.clusters))
}

// enough reports whether what is taken has enough clusters, groups and room.
func (c *chooser) enough() bool {
	for i := range c.groupings {
		if c.groups[i] < c.groupings[i].least || c.groups[i] > c.groupings[i].most {
			return false
		}
	}
	return c.size >= max(c.least, 1) && c.room >= c.replicas
}

// gain is in how many groupings a cluster opens a group: in those that need more groups,
// and within the limit for clusters also in those that may have more.
func (c *chooser) gain(i int) (n int) {
	if c.taken[i] {
		return 0
	}
	for g := range c.groupings {
		wanted := c.caps[g]
		if c.size >= c.most {
			wanted = c.groupings[g].least
		}
		if c.groups[g] < wanted && c.opened(g, i) > 0 {
			n++
		}
	}
	return n
}

// exceeds reports whether a cluster would open more groups than are allowed.
func (c *chooser) exceeds(i int) bool {
	for g := range c.groupings {
		if n := c.opened(g, i); n > 0 && c.groups[g]+n > c.caps[g] {
			return true
		}
	}
	return false
}

// opened is how many groups of a grouping a cluster would open.
func (c *chooser) opened(g, i int) (n int) {
	for _, id := range c.groupings[g].ids[i] {
		if c.covered[g][id] == 0 {
			n++
		}
	}
	return n
}

func (c *chooser) clear() {
	c.taken, c.size, c.room = make([]bool, len(c.clusters)), 0, 0
	c.covered, c.groups = make([][]int, len(c.groupings)), make([]int, len(c.groupings))
	for i := range c.groupings {
		c.covered[i] = make([]int, c.groupings[i].all)
	}
}

func (c *chooser) take(i int) {
	c.taken[i] = true
	c.size++
	c.room += c.clusters[i].available()
	for g := range c.groupings {
		for _, id := range c.groupings[g].ids[i] {
			if c.covered[g][id]++; c.covered[g][id] == 1 {
				c.groups[g]++
			}
		}
	}
}

func (c *chooser) drop(i int) {
	c.taken[i] = false
	c.size--
	c.room -= c.clusters[i].available()
	for g := range c.groupings {
		for _, id := range c.groupings[g].ids[i] {
			if c.covered[g][id]--; c.covered[g][id] == 0 {
				c.groups[g]--
			}
		}
	}
}

// result returns what is taken, the best first.
func (c *chooser) result() []candidate {
	out := make([]candidate, 0, c.size)
	for _, i := range c.orders[0].filling {
		if c.taken[i] {
			out = append(out, c.clusters[i])
		}
	}
	return out
}
