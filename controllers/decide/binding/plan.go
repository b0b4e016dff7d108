// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Plan is what to do with the Works of one binding.
type Plan struct {
	// Remove are Works to delete.
	Remove []*workv1alpha1.Work
	// Replace are Works to delete once each of the clusters Waiting would take its new
	// copy; there is none if no cluster waits.
	Replace []*workv1alpha1.Work
	// Render are the targets whose Works are written; where there is no target, or a cluster
	// refused to be one, also the clusters whose copies stay.
	Render []workv1alpha2.TargetCluster
	// Held are Works that would be replaced, and stay until there is a target for a new copy, or
	// nothing is to replace them.
	Held []*workv1alpha1.Work
	// Waiting are targets that get no copy before those in the clusters BlockedBy are gone.
	Waiting, BlockedBy []string
	// Existing are all present Works, by cluster; a Work that is being deleted
	// is among them. They must not be changed.
	Existing map[string]*workv1alpha1.Work
}

// PlanWorks returns which Works of a binding are removed and which are rendered. A Work
// that is not wanted is removed. As long as the Work of a cluster that is evicted
// Directly exists, no further cluster gets a copy, unless the cluster is fenced: then
// nothing runs there. Such a Work goes only for a new copy that can come: of several, only as
// many as there are new ones, while the scheduler has not decided, or a cluster refused one
// and no other fits, or nothing chooses a cluster. Those that are left over in the last two cases do not
// keep the new ones from coming. The Works in Remove and Replace are copies.
func PlanWorks(b workv1alpha2.Binding, works []workv1alpha1.Work, fenced func(cluster string) bool) Plan {
	spec := b.GetSpec()
	copies := CopiesOf(spec)
	p := Plan{Existing: map[string]*workv1alpha1.Work{}}
	for i := range works {
		w := &works[i]
		cluster := ClusterOf(w)
		p.Existing[cluster] = w
		if copies.Wanted(cluster) {
			continue
		}
		blocks := copies.Blocks(cluster) && !fenced(cluster)
		if blocks {
			p.BlockedBy = append(p.BlockedBy, cluster)
		}
		switch {
		case w.DeletionTimestamp != nil:
		case blocks:
			p.Replace = append(p.Replace, w.DeepCopy())
		default:
			p.Remove = append(p.Remove, w.DeepCopy())
		}
	}
	if AwaitsTarget(b) {
		p.hold(b, copies.Targets)
	}
	for _, t := range copies.Targets {
		if p.Existing[t.Name] != nil || len(p.BlockedBy) == 0 {
			p.Render = append(p.Render, t)
		} else {
			p.Waiting = append(p.Waiting, t.Name)
		}
	}
	if len(p.Waiting) == 0 {
		p.Remove, p.Replace = append(p.Remove, p.Replace...), nil
	}
	if copies.Stranded() {
		p.Render = staying(spec, p.Existing)
	}
	if len(p.Held) > 0 && isHeld(b) {
		p.Render = append(p.Render, slices.DeleteFunc(staying(spec, p.Existing), func(t workv1alpha2.TargetCluster) bool {
			return !slices.ContainsFunc(p.Held, func(w *workv1alpha1.Work) bool { return ClusterOf(w) == t.Name })
		})...)
	}
	slices.Sort(p.BlockedBy)
	return p
}

// hold has Works stay that would be replaced and that no new copy is in the place of: all if
// there is none, and otherwise as many as the binding has clusters less than before. Those whose
// state a new copy gets go first.
func (p *Plan) hold(b workv1alpha2.Binding, targets []workv1alpha2.TargetCluster) {
	isNew := func(cluster string) bool {
		return p.Existing[cluster] == nil && slices.ContainsFunc(targets, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
	}
	if !slices.ContainsFunc(targets, func(t workv1alpha2.TargetCluster) bool { return isNew(t.Name) }) {
		p.Held, p.Replace = p.Replace, nil
		return
	}
	var first, last []*workv1alpha1.Work
	carried := CarriedStates(b)
	for _, w := range p.Replace {
		if slices.ContainsFunc(carried, func(c Carried) bool { return c.From == ClusterOf(w) && isNew(c.To) }) {
			first = append(first, w)
		} else {
			last = append(last, w)
		}
	}
	all := append(first, last...)
	leave := len(all) - min(len(all), missing(b.GetSpec()))
	p.Replace, p.Held = all[:leave], all[leave:]
	if isHeld(b) {
		p.BlockedBy = slices.DeleteFunc(p.BlockedBy, func(cluster string) bool {
			return slices.ContainsFunc(p.Held, func(w *workv1alpha1.Work) bool { return ClusterOf(w) == cluster })
		})
	}
}

// missing returns how many clusters a binding has less than before copies were evicted
// Directly; 0 also where no task has the clusters before it, which one has that carries state
// or was evicted by a taint.
func missing(spec *workv1alpha2.ResourceBindingSpec) int {
	before := 0
	for i := range spec.GracefulEvictionTasks {
		if t := &spec.GracefulEvictionTasks[i]; isDirect(t) {
			before = max(before, len(t.ClustersBeforeFailover))
		}
	}
	return max(0, before-len(spec.Clusters))
}

// Gone returns the clusters that a binding is evicted from Directly and that have no copy
// any more, by a plan for it.
func (p Plan) Gone(spec *workv1alpha2.ResourceBindingSpec) []string {
	if !IsEvicting(spec) {
		return nil
	}
	copies := CopiesOf(spec)
	var gone []string
	for i := range spec.GracefulEvictionTasks {
		cluster := spec.GracefulEvictionTasks[i].FromCluster
		if copies.Blocks(cluster) && p.Existing[cluster] == nil {
			gone = append(gone, cluster)
		}
	}
	return gone
}

// staying returns the evicted clusters whose copies stay if there is no other, with
// the replicas that they had. What was never dispatched is no copy.
func staying(spec *workv1alpha2.ResourceBindingSpec, existing map[string]*workv1alpha1.Work) []workv1alpha2.TargetCluster {
	var stay []workv1alpha2.TargetCluster
	for i := range spec.GracefulEvictionTasks {
		t := target(&spec.GracefulEvictionTasks[i])
		if w := existing[t.Name]; w != nil && w.DeletionTimestamp == nil && !neverDispatched(w) && !isReleased(&spec.GracefulEvictionTasks[i]) {
			stay = append(stay, t)
		}
	}
	return stay
}

// neverDispatched reports whether dispatching a Work has been suspended since it was made, so that its
// cluster has no copy.
func neverDispatched(w *workv1alpha1.Work) bool {
	suspended := w.Spec.SuspendDispatching != nil && *w.Spec.SuspendDispatching
	return suspended && meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied) == nil
}

// ClusterOf returns the cluster that a Work is for, or "" where its namespace is not that
// of a cluster.
func ClusterOf(w *workv1alpha1.Work) string {
	cluster, _ := names.Cluster(w.Namespace)
	return cluster
}
