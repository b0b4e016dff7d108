// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
)

// assumedFor is how long an assumption lasts at most, as in Karmada.
const assumedFor = 5 * time.Minute

// Assumptions hold what was placed on clusters and what their resource summaries do not
// show yet, so that the same room is not given away twice. The controllers of both kinds
// of binding share them. They are safe for many goroutines; the zero value is ready.
//
// An assumption ends when the use that the cluster reports has grown by what was placed,
// whatever it grew by, when the binding leaves the cluster, and at the latest after
// assumedFor. After a start there are none.
type Assumptions struct {
	// IgnoreGrades has resource summaries alone tell the capacity of clusters, and not the
	// grades of their nodes. It is set before the first use.
	IgnoreGrades bool

	// Describe returns what the object of a binding adds to a cluster by one of the targets, in the form
	// that estimators take; nil if it has none. Nil describes nothing, since nobody asks an estimator.
	// It is set before the first use.
	Describe func(spec *workv1alpha2.ResourceBindingSpec, targets []workv1alpha2.TargetCluster, cluster string) any

	mu sync.Mutex
	// mark numbers the assumptions.
	mark     uint64
	clusters map[string]*assumedCluster
	// placed are the bindings with groups that were placed, and that other bindings may not
	// see there yet.
	placed map[types.NamespacedName]placed
}

// assumedCluster holds the assumptions of one cluster.
type assumedCluster struct {
	// used is what the cluster last reported to be in use; nil before it did.
	used corev1.ResourceList
	// sum is what is left of all assumptions.
	sum corev1.ResourceList
	// all are sorted by time, the oldest first.
	all []*assumption
	// shown is what the summary has shown of them not long ago.
	shown []shown
}

// shown is what a summary has shown of an assumption.
type shown struct {
	mark    uint64
	amounts corev1.ResourceList
	until   time.Time
}

// shownFor is for how long an answer may be used that does not know what a summary shows: as long as it
// is fresh, and as an estimator may take for it.
const shownFor = 15 * time.Second

// assumption is what one binding got in one cluster by one decision.
type assumption struct {
	binding types.NamespacedName
	left    corev1.ResourceList
	until   time.Time
	// mark numbers the assumptions, in their order.
	mark uint64
	// workload is what it is to an estimator; nil if nobody asks one.
	workload any
}

// place decides about a binding and assumes what it places. Decisions about workloads and
// about what has groups take what they read from the view and are made one after the other:
// each sees what was assumed before. It fails if a list does.
func (a *Assumptions) place(b workv1alpha2.Binding, in placement.Input, estimates Estimates, now time.Time, view View) (d Decision, err error) {
	d.Undo = func() {}
	grouped := in.Spec.WorkloadAffinityGroups != nil
	if !in.Spec.IsWorkload() && !grouped {
		d.Result, d.Problem = placement.Select(in)
		return d, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if in.Clusters, err = view.Clusters(); err != nil {
		return d, err
	}
	a.observe(in.Clusters, now)
	if grouped {
		if in.Peers, err = a.peers(b, now, view); err != nil {
			return d, err
		}
	}
	if placement.NeedsCapacity(in.Spec) {
		in.Capacity, in.Refine = a.capacity(in, estimates)
	}
	if d.Result, d.Problem = placement.Select(in); d.Problem != nil {
		if view.Shortages {
			d.Shortage = a.shortageOf(in, estimates, d.Problem)
		}
		return d, nil
	}
	if in.Spec.IsWorkload() {
		d.Undo = a.assume(binding.KeyOf(b), in, d.Clusters, now)
	}
	if grouped {
		d.Undo = a.assumePlaced(b, d.Clusters, now, d.Undo)
	}
	return d, nil
}

// capacity returns how much of an object the clusters can take beside what is assumed.
// The estimator of a cluster has seen its nodes, so that their grades say nothing beside it.
func (a *Assumptions) capacity(in placement.Input, estimates Estimates) (placement.Capacity, placement.Refine) {
	taken := a.taken()
	var counted, estimated []*clusterv1alpha1.Cluster
	for _, c := range in.Clusters {
		if _, ok := estimates[c.Name]; ok {
			estimated = append(estimated, c)
		} else {
			counted = append(counted, c)
		}
	}
	summaries := placement.SummaryCapacity(in.Spec, estimated, taken)
	count := placement.ModeledBounds
	if a.IgnoreGrades {
		count = summaryBounds
	}
	capacity, refine := count(in.Spec, counted, taken)
	for _, c := range estimated {
		var summary *placement.Room
		if room, known := summaries[c.Name]; known {
			summary = &room
		}
		e := estimates[c.Name]
		if e.Silent {
			capacity[c.Name] = placement.Room{Lacking: "of an answer of its estimator"}
			continue
		}
		fits := max(0, e.Fits-placement.Displaced(in.Spec, a.clusters[c.Name].after(e.Mark)))
		capacity[c.Name] = placement.Estimated(fits, summary)
	}
	return capacity, refine
}

// summaryBounds returns the capacity by resource summaries, which has no bounds.
func summaryBounds(spec *workv1alpha2.ResourceBindingSpec, clusters []*clusterv1alpha1.Cluster, taken placement.Taken) (placement.Capacity, placement.Refine) {
	return placement.SummaryCapacity(spec, clusters, taken), nil
}

// Forget ends the assumptions of a binding that is gone.
func (a *Assumptions) Forget(binding types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.clusters {
		c.limit(binding, nil)
	}
	delete(a.placed, binding)
}

// observe ends the assumptions that the summaries show by now, and those whose time has
// passed.
func (a *Assumptions) observe(clusters []*clusterv1alpha1.Cluster, now time.Time) {
	for _, cluster := range clusters {
		if c := a.clusters[cluster.Name]; c != nil {
			c.seen(use(cluster), now)
		}
	}
	maps.DeleteFunc(a.clusters, func(_ string, c *assumedCluster) bool {
		c.end(func(as *assumption) bool { return !as.until.After(now) })
		c.shown = slices.DeleteFunc(c.shown, func(s shown) bool { return !s.until.After(now) })
		return len(c.all) == 0 && len(c.shown) == 0
	})
}

// taken returns what is assumed in all clusters. It must not be changed.
func (a *Assumptions) taken() placement.Taken {
	taken := make(placement.Taken, len(a.clusters))
	for name, c := range a.clusters {
		taken[name] = c.sum
	}
	return taken
}

// assume adds what the targets take beyond what the binding has, and ends what the
// binding had assumed beyond the targets. undo takes back what was added.
func (a *Assumptions) assume(binding types.NamespacedName, in placement.Input, targets []workv1alpha2.TargetCluster, now time.Time) (undo func()) {
	has := footprints(in.Spec, in.Spec.Clusters)
	gets := footprints(in.Spec, targets)
	for name, c := range a.clusters {
		c.limit(binding, gets[name])
	}
	added := map[*assumption]bool{}
	for _, cluster := range in.Clusters {
		more := quota.Growth(has[cluster.Name], gets[cluster.Name])
		if len(more) == 0 {
			continue
		}
		c := a.clusters[cluster.Name]
		if c == nil {
			c = &assumedCluster{used: use(cluster), sum: corev1.ResourceList{}}
			if a.clusters == nil {
				a.clusters = map[string]*assumedCluster{}
			}
			a.clusters[cluster.Name] = c
		}
		a.mark++
		as := &assumption{binding: binding, left: more, until: now.Add(assumedFor), mark: a.mark}
		if a.Describe != nil {
			as.workload = a.Describe(in.Spec, targets, cluster.Name)
		}
		c.all = append(c.all, as)
		add(c.sum, more)
		added[as] = true
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, c := range a.clusters {
			c.end(func(as *assumption) bool { return added[as] })
		}
	}
}

// seen takes off what the use of the cluster has grown by, of the oldest assumptions
// first. A use that shrank shows nothing.
func (c *assumedCluster) seen(used corev1.ResourceList, now time.Time) {
	grown := quota.Growth(c.used, used)
	known := c.used != nil
	c.used = used
	if !known || len(grown) == 0 {
		return
	}
	for _, as := range c.all {
		before := maps.Clone(as.left)
		for name := range as.left {
			c.take(as, name, grown)
		}
		if as.workload == nil {
			continue // no estimator is asked
		}
		if amounts := quota.Growth(as.left, before); len(amounts) > 0 {
			c.shown = append(c.shown, shown{as.mark, amounts, now.Add(shownFor)})
		}
	}
	c.end(func(as *assumption) bool { return len(as.left) == 0 })
}

// limit takes off what a binding has assumed of the cluster beyond a bound; nil bounds to
// nothing.
func (c *assumedCluster) limit(binding types.NamespacedName, bound corev1.ResourceList) {
	var own []*assumption
	assumed := corev1.ResourceList{}
	for _, as := range c.all {
		if as.binding == binding {
			own = append(own, as)
			add(assumed, as.left)
		}
	}
	over := quota.Growth(bound, assumed)
	if len(over) == 0 {
		return
	}
	for _, as := range own {
		for name := range as.left {
			c.take(as, name, over)
		}
	}
	c.end(func(as *assumption) bool { return len(as.left) == 0 })
}

// take moves as much of a resource as there is from an assumption to the amounts, which
// shrink by it.
func (c *assumedCluster) take(as *assumption, name corev1.ResourceName, amounts corev1.ResourceList) {
	part := amounts[name]
	if part.Sign() <= 0 {
		return
	}
	if left := as.left[name]; left.Cmp(part) <= 0 {
		part = left
		delete(as.left, name)
	} else {
		subtract(as.left, name, part)
	}
	subtract(amounts, name, part)
	subtract(c.sum, name, part)
}

// end removes assumptions with all that is left of them.
func (c *assumedCluster) end(ends func(*assumption) bool) {
	c.all = slices.DeleteFunc(c.all, func(as *assumption) bool {
		if !ends(as) {
			return false
		}
		for name, q := range as.left {
			subtract(c.sum, name, q)
		}
		return true
	})
}

// footprints returns what the object of a binding takes of each of its targets.
func footprints(spec *workv1alpha2.ResourceBindingSpec, targets []workv1alpha2.TargetCluster) map[string]corev1.ResourceList {
	all := make(map[string]corev1.ResourceList, len(targets))
	for i := range targets {
		all[targets[i].Name] = placement.Footprint(spec, &targets[i])
	}
	return all
}

// use returns what pods use or wait for in a cluster; nil if it did not report that.
func use(c *clusterv1alpha1.Cluster) corev1.ResourceList {
	s := c.Status.ResourceSummary
	if s == nil {
		return nil
	}
	sum := corev1.ResourceList{}
	add(sum, s.Allocated)
	add(sum, s.Allocating)
	return sum
}

// add adds amounts to a sum.
func add(sum, amounts corev1.ResourceList) {
	for name, q := range amounts {
		total := sum[name].DeepCopy()
		total.Add(q)
		sum[name] = total
	}
}

// subtract takes an amount of a resource off a list.
func subtract(list corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) {
	left := list[name].DeepCopy()
	left.Sub(q)
	list[name] = left
}
