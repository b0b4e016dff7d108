// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/modeling"
)

// ModeledCapacity returns the capacity by the resource summaries of clusters, less what is
// taken, and by the grades in which their nodes are counted. It is never more than
// SummaryCapacity, and the same for a cluster whose nodes are not counted by the grades of
// its models. A resource that no grade names is bounded by the summary alone.
//
// A node of models that somebody wrote has the minimum of its grade, as published; one of
// the first grade, whose minimum is 0, has none of the resources that the grade names. The
// default models only exclude: a node of them has less of one resource than the minimum of
// the next grade, and as much of the others as it takes.
//
// Its cost grows with the grades, and not with the nodes.
func ModeledCapacity(spec *workv1alpha2.ResourceBindingSpec, clusters []*clusterv1alpha1.Cluster, taken Taken) Capacity {
	capacity, refine := ModeledBounds(spec, clusters, taken)
	for name := range capacity {
		capacity[name] = refine(name, 1)
	}
	return capacity
}

// Refine returns the capacity of a cluster of which a bound is known. If less than atLeast fit, it
// returns less than that, and maybe not all that fit. It is not safe for many goroutines.
type Refine func(cluster string, atLeast int64) Room

// ModeledBounds is ModeledCapacity but for the packing of sets, which is dear: where it matters the
// capacity is what there is room for at most, and Refine packs, and writes into it what it found. What
// that reads must not change meanwhile.
func ModeledBounds(spec *workv1alpha2.ResourceBindingSpec, clusters []*clusterv1alpha1.Cluster, taken Taken) (Capacity, Refine) {
	capacity := SummaryCapacity(spec, clusters, taken)
	set := partsOf(spec)
	sum := sumOf(set)
	defaults := modeling.Of(nil)
	packs := map[string]func(atLeast int64) Room{}
	for _, c := range clusters {
		room, known := capacity[c.Name]
		if !known || room.Fits == 0 {
			continue
		}
		g, ok := countedGrades(c)
		if !ok {
			continue
		}
		g.onlyExclude = g.models.Equal(defaults)
		bound, lost := g.bound(set, sum, room.Fits, c.Status.ResourceSummary, taken[c.Name])
		roomFor := func(sets int64) Room {
			if fits := max(sets-lost, 0); fits < room.Fits {
				return Room{Fits: fits, Lacking: g.lacking(set, fits)}
			}
			return room
		}
		capacity[c.Name] = roomFor(bound)
		if !g.onlyExclude && len(set) > 1 && bound > lost {
			packs[c.Name] = func(atLeast int64) Room { return roomFor(g.sets(set, sum, atLeast+lost, bound)) }
		}
	}
	return capacity, func(cluster string, atLeast int64) Room {
		if pack := packs[cluster]; pack != nil {
			capacity[cluster] = pack(atLeast)
			delete(packs, cluster)
		}
		return capacity[cluster]
	}
}

// part is what a number of equal pods of a set take, each of them.
type part struct {
	replicas int64
	demand   demand
}

// partsOf returns what one more of a binding's object consists of: one replica, or the
// components that have replicas.
func partsOf(spec *workv1alpha2.ResourceBindingSpec) []part {
	if len(spec.Components) == 0 {
		return []part{{1, replicaDemand(spec.ReplicaRequirements)}}
	}
	parts := make([]part, 0, len(spec.Components))
	for i := range spec.Components {
		c := &spec.Components[i]
		if c.Replicas <= 0 {
			continue
		}
		requests := corev1.ResourceList{}
		if c.ReplicaRequirements != nil {
			addRequests(requests, c.ReplicaRequirements.ResourceRequest, 1)
		}
		parts = append(parts, part{int64(c.Replicas), newDemand(requests, 1)})
	}
	return parts
}

// gradedNodes are the nodes of a cluster as its grades have them.
type gradedNodes struct {
	models modeling.Grades
	// counts are the nodes of each grade, in the order of the models.
	counts []int64
	// onlyExclude means that a node may have more than the minimum of its grade.
	onlyExclude bool
}

// countedGrades returns the nodes of a cluster; false if its status does not count them by
// the grades that it has now.
func countedGrades(c *clusterv1alpha1.Cluster) (*gradedNodes, bool) {
	modelings := c.Status.ResourceSummary.AllocatableModelings
	if len(modelings) == 0 {
		return nil, false
	}
	g := &gradedNodes{models: modeling.Of(c.Spec.ResourceModels)}
	if len(modelings) != len(g.models) {
		return nil, false
	}
	g.counts = make([]int64, len(g.models))
	for i := range g.models {
		at := slices.IndexFunc(modelings, func(m clusterv1alpha1.AllocatableModeling) bool { return m.Grade == g.models[i].Grade })
		if at < 0 {
			return nil, false
		}
		g.counts[i] = min(max(int64(modelings[at].Count), 0), math.MaxInt32)
	}
	return g, true
}

// bound returns how many whole sets fit at most, with those that are lost to what is taken, which
// limit has off already.
func (g *gradedNodes) bound(set []part, sum demand, limit int64, s *clusterv1alpha1.ResourceSummary, taken corev1.ResourceList) (bound, lost int64) {
	if !g.onlyExclude {
		lost = g.lost(sum, s, taken)
	}
	bound = limit + lost
	for _, p := range set {
		bound = min(bound, g.replicas(p)/p.replicas)
	}
	if !g.onlyExclude && len(set) > 1 {
		bound = min(bound, g.together(sum))
	}
	return bound, lost
}

// together returns how often a demand fits if the nodes were one.
func (g *gradedNodes) together(sum demand) int64 {
	times := int64(maxReplicas)
	for _, n := range sum {
		if all, named := g.minimumOf(n.name); named {
			if q := quotient(all, n.quantity); q < math.MaxInt32 {
				times = min(times, q)
			}
		}
	}
	return times
}

// replicas returns how many replicas of a part fit if nothing else is there.
func (g *gradedNodes) replicas(p part) int64 {
	sum := int64(0)
	for i, n := range g.counts {
		sum += min(n*g.times(i, p.demand), maxReplicas) // of 2^31 * 2^31 at most
		if sum >= maxReplicas {
			return maxReplicas
		}
	}
	return sum
}

// maxReplicas is more replicas than any set has as often as a cluster is asked for.
const maxReplicas = math.MaxInt64 / 4

// times returns how often a demand fits on one node of a grade, math.MaxInt32 at most.
func (g *gradedNodes) times(grade int, d demand) int64 {
	if g.onlyExclude {
		return g.timesAtMost(grade, d)
	}
	times := int64(math.MaxInt32)
	for _, r := range g.models[grade].Ranges {
		if q, ok := d.of(r.Name); ok {
			times = min(times, quotient(r.Min, q))
		}
	}
	return times
}

// timesAtMost returns how often a demand can fit on one node of a grade. It has less of one
// resource than the next grade begins with, it is not known of which.
func (g *gradedNodes) timesAtMost(grade int, d demand) int64 {
	if grade == len(g.models)-1 {
		return math.MaxInt32
	}
	most := int64(0)
	for _, r := range g.models[grade+1].Ranges {
		q, ok := d.of(r.Name)
		if !ok {
			return math.MaxInt32
		}
		most = max(most, quotientBelow(r.Min, q))
	}
	return most
}

// quotientBelow returns how often a quantity goes into what is less than have.
func quotientBelow(have, unit resource.Quantity) int64 {
	times := quotient(have, unit)
	used := unit.DeepCopy()
	used.Mul(times)
	if times > 0 && times < math.MaxInt32 && used.Cmp(have) == 0 {
		return times - 1
	}
	return times
}

// of returns how much of a resource is demanded; false is none.
func (d demand) of(name corev1.ResourceName) (resource.Quantity, bool) {
	for i := range d {
		if d[i].name == name {
			return d[i].quantity, true
		}
	}
	return resource.Quantity{}, false
}

// lost returns how many sets what is taken may displace. It first uses what the nodes have
// free beyond the minimums of their grades, and then what the grades have: the nodes will
// be counted in others once its pods are there.
func (g *gradedNodes) lost(sum demand, s *clusterv1alpha1.ResourceSummary, taken corev1.ResourceList) int64 {
	if len(taken) == 0 {
		return 0
	}
	lost := int64(0)
	for _, n := range sum {
		modeled, named := g.minimumOf(n.name)
		if !named {
			continue
		}
		beyond := modeled
		beyond.Sub(free(s, taken, n.name))
		t := taken[n.name]
		if beyond.Cmp(t) > 0 {
			beyond = t.DeepCopy() // the summary has less free than the grades have
		}
		if beyond.Sign() > 0 {
			lost = max(lost, quotientUp(beyond, n.quantity))
		}
	}
	return lost
}

// minimumOf returns how much of a resource the grades have together; false if none of them
// names it.
func (g *gradedNodes) minimumOf(name corev1.ResourceName) (sum resource.Quantity, named bool) {
	for i, n := range g.counts {
		for _, r := range g.models[i].Ranges {
			if r.Name == name {
				q := r.Min.DeepCopy()
				q.Mul(n)
				sum.Add(q)
				named = true
			}
		}
	}
	return sum, named
}

// quotientUp divides and rounds up, math.MaxInt32 at most.
func quotientUp(have, unit resource.Quantity) int64 {
	times := quotient(have, unit)
	used := unit.DeepCopy()
	used.Mul(times)
	if times < math.MaxInt32 && used.Cmp(have) < 0 {
		return times + 1
	}
	return times
}

// sumOf returns what a whole set takes.
func sumOf(set []part) demand {
	sum := corev1.ResourceList{}
	pods := int64(0)
	for _, p := range set {
		pods += p.replicas
		for _, n := range p.demand {
			if n.name != corev1.ResourcePods {
				addRequests(sum, corev1.ResourceList{n.name: n.quantity}, p.replicas)
			}
		}
	}
	return newDemand(sum, pods)
}

// lacking names the first resource of which no node has enough for one pod of the set, if
// nothing fits.
func (g *gradedNodes) lacking(set []part, fits int64) corev1.ResourceName {
	if fits > 0 {
		return ""
	}
	for _, p := range set {
		for i := range p.demand {
			if g.replicas(part{1, p.demand[i : i+1]}) == 0 {
				return p.demand[i].name + " on one node"
			}
		}
	}
	return "room on one node"
}

// growsAGrade reports whether more nodes are counted in any grade than before, or they are
// no longer counted.
func growsAGrade(before, after []clusterv1alpha1.AllocatableModeling) bool {
	if len(after) == 0 {
		return len(before) > 0
	}
	return slices.ContainsFunc(after, func(a clusterv1alpha1.AllocatableModeling) bool {
		return !slices.ContainsFunc(before, func(b clusterv1alpha1.AllocatableModeling) bool {
			return b.Grade == a.Grade && b.Count >= a.Count
		})
	})
}
