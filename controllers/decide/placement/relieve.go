// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/modeling"
)

// Shortage is a decision that found too little room, with all that it was made by.
type Shortage struct {
	// Input has the capacity of each cluster as it is, and no bounds.
	Input
	// Taken is what is promised and not in the summaries.
	Taken Taken
	// ByNodes are the clusters whose capacity is that of their nodes, and not the sum of these.
	ByNodes map[string]bool
}

// Pods are equal pods of a copy.
type Pods struct {
	Count    int64
	Requests corev1.ResourceList
}

// Victim is a copy that may leave its cluster.
type Victim struct {
	Cluster  string
	Priority int32
	Pods     []Pods
}

// CountsNodes reports whether a cluster's status counts its nodes by grades that somebody
// wrote: the default grades only exclude.
func CountsNodes(c *clusterv1alpha1.Cluster) bool {
	if c.Status.ResourceSummary == nil {
		return false
	}
	g, counted := countedGrades(c)
	return counted && !g.models.Equal(modeling.Of(nil))
}

// PodsOf returns the pods of a binding's object in one of its targets.
func PodsOf(spec *workv1alpha2.ResourceBindingSpec, target *workv1alpha2.TargetCluster) []Pods {
	if len(spec.Components) == 0 {
		if target.Replicas <= 0 {
			return nil
		}
		pods := Pods{Count: int64(target.Replicas)}
		if r := spec.ReplicaRequirements; r != nil {
			pods.Requests = r.ResourceRequest
		}
		return []Pods{pods}
	}
	all := make([]Pods, 0, len(spec.Components))
	for i := range spec.Components {
		c := &spec.Components[i]
		pods := Pods{Count: int64(c.Replicas)}
		if at := slices.IndexFunc(target.Components, func(t workv1alpha2.TargetComponent) bool { return t.Name == c.Name }); at >= 0 {
			pods.Count = int64(target.Components[at].Replicas)
		}
		if r := c.ReplicaRequirements; r != nil {
			pods.Requests = r.ResourceRequest
		}
		if pods.Count > 0 {
			all = append(all, pods)
		}
	}
	return all
}

// Relieve returns which of some victims have to leave so that there is room, by their indexes and
// sorted; none if what is leaving already makes enough. It is false if all of them do not make
// enough.
//
// The victims are those of one cluster, if that is enough. Of several such choices it is the one
// whose highest priority is the lowest, then that of the fewest victims. None of them is in it that
// is not needed.
//
// Where the capacity of a cluster is that of its nodes, what a pod leaves free counts for what fits
// into that alone: it is not known what else is free on its node. So there may be room that is not
// found, and what is found is there.
func (s *Shortage) Relieve(leaving, victims []Victim) (chosen []int, ok bool) {
	if s.fits(leaving) {
		return nil, true
	}
	byCluster, all := map[string][]int{}, make([]int, len(victims))
	for i := range victims {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(victims[a].Priority, victims[b].Priority) })
	for _, i := range all {
		byCluster[victims[i].Cluster] = append(byCluster[victims[i].Cluster], i)
	}
	var best []int
	for _, cluster := range slices.Sorted(maps.Keys(byCluster)) {
		if plan := s.fewest(leaving, victims, byCluster[cluster]); plan != nil && (best == nil || lighter(victims, plan, best) < 0) {
			best = plan
		}
	}
	if best == nil {
		best = s.fewest(leaving, victims, all)
	}
	slices.Sort(best)
	return best, best != nil
}

// fewest returns as few as possible of some victims, sorted by priority, that make enough room;
// nil if all do not.
func (s *Shortage) fewest(leaving, victims []Victim, of []int) []int {
	enough := func(some []int) bool {
		gone := slices.Clip(leaving)
		for _, i := range some {
			gone = append(gone, victims[i])
		}
		return s.fits(gone)
	}
	if !enough(of) {
		return nil
	}
	n := sort.Search(len(of), func(n int) bool { return enough(of[:n]) })
	plan := slices.Clone(of[:n])
	for at := len(plan) - 1; at >= 0; at-- {
		if without := slices.Delete(slices.Clone(plan), at, at+1); enough(without) {
			plan = without
		}
	}
	return plan
}

// lighter compares two choices of victims.
func lighter(victims []Victim, a, b []int) int {
	highest := func(plan []int) int32 {
		most := victims[plan[0]].Priority
		for _, i := range plan {
			most = max(most, victims[i].Priority)
		}
		return most
	}
	return cmp.Or(cmp.Compare(highest(a), highest(b)), cmp.Compare(len(a), len(b)))
}

// fits reports whether there is room once some copies are gone.
func (s *Shortage) fits(gone []Victim) bool {
	freed := map[string][]Pods{}
	for i := range gone {
		freed[gone[i].Cluster] = append(freed[gone[i].Cluster], gone[i].Pods...)
	}
	in := s.Input
	in.Capacity = maps.Clone(s.Capacity)
	for _, c := range s.Clusters {
		if pods := freed[c.Name]; len(pods) > 0 && c.Status.ResourceSummary != nil {
			in.Capacity[c.Name] = s.roomWithout(c, pods)
		}
	}
	_, err := Select(in)
	return err == nil
}

// roomWithout returns the capacity of a cluster that has a summary, once some pods are gone.
func (s *Shortage) roomWithout(c *clusterv1alpha1.Cluster, pods []Pods) Room {
	taken := corev1.ResourceList{}
	for name, q := range s.Taken[c.Name] {
		taken[name] = q.DeepCopy()
	}
	for _, n := range freedBy(pods) {
		q := taken[n.name]
		q.Sub(n.quantity)
		taken[n.name] = q
	}
	room := SummaryCapacity(s.Spec, []*clusterv1alpha1.Cluster{c}, Taken{c.Name: taken})[c.Name]
	if !s.ByNodes[c.Name] {
		return room
	}
	if fits := s.Capacity[c.Name].Fits + s.setsInto(pods); fits < room.Fits {
		return Estimated(fits, &room)
	}
	return room
}

// freedBy returns what pods leave free together.
func freedBy(pods []Pods) demand {
	sum, count := corev1.ResourceList{}, int64(0)
	for i := range pods {
		addRequests(sum, pods[i].Requests, pods[i].Count)
		count += pods[i].Count
	}
	return newDemand(sum, count)
}

// setsInto returns how many replicas, or whole sets of components, fit into what pods leave free,
// each of them by itself.
func (s *Shortage) setsInto(pods []Pods) int64 {
	set := partsOf(s.Spec)
	sum := sumOf(set)
	holes := &gradedNodes{}
	for i := range pods {
		model := clusterv1alpha1.ResourceModel{Grade: uint(i)}
		for _, n := range sum {
			if n.name != corev1.ResourcePods { // the summary has these
				model.Ranges = append(model.Ranges, clusterv1alpha1.ResourceModelRange{Name: n.name, Min: pods[i].Requests[n.name]})
			}
		}
		holes.models, holes.counts = append(holes.models, model), append(holes.counts, pods[i].Count)
	}
	if len(set) == 1 {
		return min(holes.replicas(set[0])/set[0].replicas, maxReplicas)
	}
	return holes.sets(set, sum, 1, 1) // no cluster gets a second one
}
