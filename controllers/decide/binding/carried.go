// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"cmp"
	"maps"
	"math"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// CarriedStateAnnotation holds the state that copies left behind and that no new copy has
// taken over yet: a JSON list of Carried. It outlives the task of the eviction and the
// cluster that the state is from.
const CarriedStateAnnotation = "failover.dragoman.io/carried-state"

// Carried is the state of the copy that was evicted Directly from one cluster.
type Carried struct {
	// From is the cluster that the state is from.
	From string `json:"from"`
	// Copy is the copy there that it is from: the uid of its Work; empty where an earlier
	// version of the manager wrote this, or the state is that of a published task.
	Copy types.UID `json:"copy,omitempty"`
	// To is the cluster whose copy gets the state; empty until the copy has another cluster.
	// It stays while the binding has no target, since the copy there was made with the state.
	To string `json:"to,omitempty"`
	// Made is the cluster To before: its copy was made with the state too.
	Made string `json:"made,omitempty"`
	// Gone means that the copy that it is from does not stay: its cluster has left, or there
	// have been other targets since it was evicted.
	Gone bool `json:"gone,omitempty"`
	// Time is when the state was collected.
	Time metav1.Time `json:"time"`
	// Others are clusters with copies of their own since that time, which do not get it.
	Others []string `json:"others,omitempty"`
	// Former means that another copy than Copy ran in the cluster From since: what is there now,
	// and what it reports, has nothing to do with this state.
	Former bool `json:"former,omitempty"`
	// Copies is how many copies there were before this one left, or before a later one did.
	// Once as many are well, or as many as the policy allows, and none of them gets the state,
	// nobody needs it any more.
	Copies int `json:"copies,omitempty"`
	// Labels and Values are as in State.
	Labels map[string]string `json:"labels,omitempty"`
	Values map[string]string `json:"values,omitempty"`
}

// CarriedStates returns the state that is carried over, oldest first, each with the cluster
// that gets it by the present targets. State that only a task has, as one of the published
// control plane, is among it.
func CarriedStates(b workv1alpha2.Binding) []Carried {
	targets, copies := TargetNames(b.GetSpec()), reportedCopies(b.GetStatus())
	return assign(matchCopies(readCarried(b), copies, targets), targets, occupied(copies))
}

// readCarried returns the state that is carried over as it is stored.
func readCarried(b workv1alpha2.Binding) []Carried {
	var all []Carried
	if err := note(CarriedStateAnnotation).read(b, &all); err != nil || len(all) == 0 {
		return carriedByTask(b.GetSpec())
	}
	return all
}

// SetCarriedStates writes the annotation, or removes it where nothing is carried over.
func SetCarriedStates(b workv1alpha2.Binding, all []Carried) error {
	return note(CarriedStateAnnotation).write(b, all, len(all) == 0)
}

// carriedByTask returns the state that the last task has, as published: it must be Directly,
// and if it does not name the clusters before it, there must be a single target.
func carriedByTask(spec *workv1alpha2.ResourceBindingSpec) []Carried {
	if len(spec.GracefulEvictionTasks) == 0 {
		return nil
	}
	t := &spec.GracefulEvictionTasks[len(spec.GracefulEvictionTasks)-1]
	if !isDirect(t) || !hasState(t) || len(t.ClustersBeforeFailover) == 0 && len(Targets(spec)) > 1 {
		return nil
	}
	c := Carried{From: t.FromCluster, Labels: t.PreservedLabelState, Values: t.PreservedState, Others: without(t.ClustersBeforeFailover, t.FromCluster)}
	if t.CreationTimestamp != nil {
		c.Time = *t.CreationTimestamp
	}
	return []Carried{c}
}

func hasState(t *workv1alpha2.GracefulEvictionTask) bool {
	return len(t.PreservedLabelState) > 0 || len(t.PreservedState) > 0
}

// PendingState returns the state that the copy in a cluster was to take over and has not;
// false where there is none. What that copy reports itself must neither hide it nor be
// mixed with it. A task that only waits for the user's confirmation does not count.
func PendingState(b workv1alpha2.Binding, cluster string) (State, bool) {
	for _, c := range CarriedStates(b) {
		if c.To == cluster && !c.isOf(copyIn(b.GetStatus(), cluster)) {
			return State{Labels: maps.Clone(c.Labels), Values: maps.Clone(c.Values)}, true
		}
	}
	tasks := b.GetSpec().GracefulEvictionTasks
	for i := len(tasks) - 1; i >= 0; i-- {
		t := &tasks[i]
		if awaitsCopy(t) && !slices.Contains(t.ClustersBeforeFailover, cluster) && !isWell(b.GetStatus(), cluster) {
			return State{Labels: maps.Clone(t.PreservedLabelState), Values: maps.Clone(t.PreservedState)}, true
		}
	}
	return State{}, false
}

// assign sets the cluster that gets each state. One that is a target keeps it. Otherwise it
// goes back to its own cluster if that is a target again, and if not to the first target that
// had no copy of its own and gets no other state. A state that never had a new cluster, and
// whose copy stayed, stays behind if its own cluster is a target again: the copy there runs on
// with it. taken are targets that get none; it is changed.
func assign(all []Carried, targets []string, taken map[string]bool) []Carried {
	var kept []Carried
	for i := range all {
		c := all[i]
		switch back := slices.Contains(targets, c.From); {
		case slices.Contains(targets, c.To):
			taken[c.To] = true
		case back && c.To == "" && !c.Gone:
			taken[c.From] = true
			continue
		case len(targets) > 0 && !back:
			c.Gone = true
		}
		kept = append(kept, c)
	}
	for _, c := range all {
		if slices.Contains(targets, c.From) && c.To == "" && !c.Gone {
			kept = keepsOwn(kept, c.From)
		}
	}
	hand(kept, targets, taken)
	outdate(kept, targets)
	return kept
}

// outdate marks the states from clusters whose copies are made with another state.
func outdate(all []Carried, targets []string) {
	for _, made := range all {
		if !slices.Contains(targets, made.To) {
			continue
		}
		for i := range all {
			if c := &all[i]; c.From == made.To && c.To != made.To {
				c.Former, c.Gone = true, true
			}
		}
	}
}

// give sets the cluster that gets a state, and remembers which one had it before.
func (c *Carried) give(to string) { c.To, c.Made = to, cmp.Or(c.To, c.Made) }

// takeBack has a state be given to another cluster than the one To, where no copy was made
// with it. stays is whether the copy that it is from is there and was not asked to go.
func (c *Carried) takeBack(stays bool) {
	c.To, c.Made = c.Made, ""
	if c.To == "" && stays && !c.Former {
		c.Gone = false
	}
}

// hand sets the cluster of each state that has none among the targets: its own one first, then
// the first that may get it. It adds to taken.
func hand(all []Carried, targets []string, taken map[string]bool) {
	for i := range all {
		if c := &all[i]; !slices.Contains(targets, c.To) && slices.Contains(targets, c.From) && c.mayGoTo(c.From, taken) {
			c.give(c.From)
			taken[c.To] = true
		}
	}
	for i := range all {
		c := &all[i]
		if slices.Contains(targets, c.To) {
			continue
		}
		if next := slices.IndexFunc(targets, func(t string) bool { return c.mayGoTo(t, taken) }); next >= 0 {
			c.give(targets[next])
			taken[c.To] = true
		}
	}
}

// mayGoTo reports whether a cluster has no copy of its own and gets no other state.
func (c *Carried) mayGoTo(cluster string, taken map[string]bool) bool {
	return !taken[cluster] && !slices.Contains(c.Others, cluster)
}

// carry returns all with the state of a copy that is evicted from a cluster. If that copy
// has not taken over a state that it was made with, this one stays, whatever the copy
// reported itself. A later copy in that cluster is a new one, which may get the state of
// another.
func carry(all []Carried, c Carried) []Carried {
	all = slices.Clone(all)
	pending := false
	for i := range all {
		c.Copies = max(c.Copies, all[i].Copies)
	}
	for i := range all {
		all[i].Copies = c.Copies
		all[i].Others = without(all[i].Others, c.From)
		if all[i].To == c.From && !all[i].isOf(c.Copy) {
			pending, all[i].Others = true, c.Others
		}
	}
	if pending {
		return all
	}
	if len(c.Labels) == 0 && len(c.Values) == 0 {
		return all
	}
	all = slices.DeleteFunc(all, func(was Carried) bool {
		return was.From == c.From && (was.To == "" && !was.Former || was.To == c.From && was.isOf(c.Copy))
	})
	return append(all, c)
}

// keepsOwn returns all for a cluster whose copy is there and has its own state: it gets no
// other.
func keepsOwn(all []Carried, cluster string) []Carried {
	all = slices.Clone(all)
	for i := range all {
		c := &all[i]
		if runsOn := c.From == cluster && c.To == "" && !c.Gone; !runsOn && c.To != cluster {
			c.Others = append(without(c.Others, cluster), cluster)
		}
	}
	return all
}

// ownedWhereItRuns returns all, in which a state that a copy took over while the binding has
// no target is that of this copy: the next cluster gets it, but if the copy stays, it does not
// hide what the copy did since.
func ownedWhereItRuns(all []Carried, status *workv1alpha2.ResourceBindingStatus, targets []string) []Carried {
	all = slices.Clone(all)
	for i := range all {
		if c := &all[i]; len(targets) == 0 && c.To != "" && healthyIn(status.AggregatedStatus, c.To) && c.mayBeIn(itemOn(status, c.To)) {
			c.From, c.Copy, c.To, c.Made, c.Gone, c.Former, c.Others = c.To, copyIn(status, c.To), "", "", false, false, without(c.Others, c.To)
		}
	}
	return all
}

// keepTaken returns what is kept once copies have taken over states: those that became their own
// while the binding has no target, and those that are taken of what is assigned now.
func keepTaken(all []Kept, before, owned, assigned []Carried, taken func(*Carried) bool) []Kept {
	for i := range before {
		if before[i].To != "" && owned[i].To == "" {
			all = takeOver(all, &before[i])
		}
	}
	for i := range assigned {
		if taken(&assigned[i]) {
			all = takeOver(all, &assigned[i])
		}
	}
	return all
}

// takenOver returns all without the state that a healthy copy has, and without what nobody
// needs any more, if the targets are settled: a copy whose cluster becomes a target only now was
// reported to be healthy before. A copy that has taken over a state gets no other.
func takenOver(all []Carried, b workv1alpha2.Binding, targets []string, settled bool) []Carried {
	status := b.GetStatus()
	isWell := func(cluster string) bool { return isWell(status, cluster) }
	var left []Carried
	var took []string
	for _, c := range all {
		if c.isTaken(status, targets) {
			took = append(took, c.To)
		} else {
			left = append(left, c)
		}
	}
	for _, cluster := range took {
		left = keepsOwn(left, cluster)
	}
	if !settled || len(targets) == 0 || slices.ContainsFunc(targets, func(t string) bool { return !isWell(t) }) {
		return left
	}
	most := mostCopies(b.GetSpec().Placement)
	return slices.DeleteFunc(left, func(c Carried) bool { return len(targets) >= min(c.Copies, most) })
}

// mostCopies returns how many clusters a placement allows at most.
func mostCopies(p *policyv1alpha1.Placement) int {
	most, groups := math.MaxInt, 0
	if p == nil {
		return most
	}
	for i := range p.SpreadConstraints {
		s := &p.SpreadConstraints[i]
		switch byCluster := s.SpreadByLabel == "" && (s.SpreadByField == "" || s.SpreadByField == policyv1alpha1.SpreadByFieldCluster); {
		case !byCluster:
			groups = max(groups, s.MinGroups) // each has a cluster, whatever the limit for clusters
		case s.MaxGroups > 0:
			most = min(most, s.MaxGroups)
		}
	}
	return max(most, groups)
}

// TakeOver writes into a binding what follows from its status for the state that is carried
// over to the copies in some clusters, and reports whether it changed anything. A copy that
// the status has as healthy has taken over its state; once another report is written over
// that, or the copy is evicted, nobody could know any more that its own state is newer. So
// this comes before either.
func TakeOver(b workv1alpha2.Binding, clusters ...string) (bool, error) {
	targets := TargetNames(b.GetSpec())
	took := func(c Carried) bool {
		return slices.Contains(clusters, c.To) && (len(targets) == 0 || slices.Contains(targets, c.To)) && isWell(b.GetStatus(), c.To)
	}
	left := leaveBehind(b, clusters)
	if !slices.ContainsFunc(CarriedStates(b), took) {
		return left, nil
	}
	v := Verdict{Keep: slices.Clone(b.GetSpec().GracefulEvictionTasks)}
	v.carry(b)
	changed, err := v.Apply(b)
	return changed || left, err
}

// awaitsCopy reports whether a task has state that counts until a new copy is healthy: it is not
// carried over, and the old copy stays until then.
func awaitsCopy(t *workv1alpha2.GracefulEvictionTask) bool {
	return t.SuppressDeletion == nil && !isDirect(t) && hasState(t)
}

// leaveBehind drops the state of tasks whose new copy is a healthy target in one of the clusters,
// and reports whether there was any: what that copy has is newer, whatever becomes of it.
func leaveBehind(b workv1alpha2.Binding, clusters []string) (left bool) {
	targets, tasks := TargetNames(b.GetSpec()), slices.Clone(b.GetSpec().GracefulEvictionTasks)
	for i := range tasks {
		t := &tasks[i]
		if awaitsCopy(t) && slices.ContainsFunc(clusters, func(c string) bool {
			return slices.Contains(targets, c) && !slices.Contains(t.ClustersBeforeFailover, c) && isWell(b.GetStatus(), c)
		}) {
			t.PreservedLabelState, t.PreservedState, left = nil, nil, true
		}
	}
	if left {
		b.GetSpec().GracefulEvictionTasks = tasks
	}
	return left
}

// isTaken reports whether the copy that gets a state is a healthy target: it has it, unless
// it was made with another one, or what is reported is still the copy that the state is from.
func (c *Carried) isTaken(status *workv1alpha2.ResourceBindingStatus, targets []string) bool {
	if !slices.Contains(targets, c.To) || !isWell(status, c.To) {
		return false
	}
	item := itemOn(status, c.To)
	return !c.isOf(item.Copy) && c.mayBeIn(item)
}

// isWell reports whether a cluster has a healthy copy.
func isWell(status *workv1alpha2.ResourceBindingStatus, cluster string) bool {
	return slices.ContainsFunc(status.AggregatedStatus, func(item workv1alpha2.AggregatedStatusItem) bool {
		return item.ClusterName == cluster && item.Applied && isHealthy(&item)
	})
}

// without returns the names that differ from one.
func without(all []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(n string) bool { return n == name })
}
