// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"cmp"
	"slices"
	"strings"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// LeavesTainted reports whether a binding is being evicted from a cluster because of a
// taint.
func LeavesTainted(spec *workv1alpha2.ResourceBindingSpec) bool {
	return slices.ContainsFunc(spec.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool { return byTaint(&t) })
}

func byTaint(t *workv1alpha2.GracefulEvictionTask) bool {
	return t.Reason == workv1alpha2.EvictionReasonTaintUntolerated
}

// RevertTainted makes clusters targets of a binding again that it was leaving because of a
// taint, and returns them. usable reports whether a cluster exists and has no taint any
// more that keeps the binding away, or has it leave, also one that it tolerates for a time:
// it would leave again at once, and so on.
//
// While the binding has no target, or one is missing and does not come, its copies stay, and the
// cluster is as good as any other.
// Otherwise the copy there must be healthy, the eviction not Directly, which removed it, and
// no new copy healthy yet: the new copies, which are in clusters that are not among
// clustersBeforeFailover, are not targets any more then. One of several copies that left
// together does not return alone, since nobody knows which new copy is in its place.
func RevertTainted(b workv1alpha2.Binding, usable func(cluster string) bool) ([]string, error) {
	spec := b.GetSpec()
	var reverted []workv1alpha2.GracefulEvictionTask
	for i := range spec.GracefulEvictionTasks {
		t := &spec.GracefulEvictionTasks[i]
		if byTaint(t) && t.SuppressDeletion == nil && !isTarget(spec, t.FromCluster) && usable(t.FromCluster) && intact(t, b) && !replaces(t.FromCluster, reverted) {
			reverted = append(reverted, *t)
		}
	}
	if len(spec.Clusters) > 0 {
		reverted = slices.DeleteFunc(reverted, func(t workv1alpha2.GracefulEvictionTask) bool { return leftWithOthers(&t, spec, reverted) })
		reverted = onlyMissing(reverted, b)
	}
	if len(reverted) == 0 {
		return nil, nil
	}
	// A copy that was evicted Directly has no new one in its place.
	graceful := slices.DeleteFunc(slices.Clone(reverted), func(t workv1alpha2.GracefulEvictionTask) bool { return isDirect(&t) })
	targets := slices.DeleteFunc(slices.Clone(spec.Clusters), func(t workv1alpha2.TargetCluster) bool { return replaces(t.Name, graceful) })
	var names []string
	for i := range reverted {
		targets = append(targets, target(&reverted[i]))
		names = append(names, reverted[i].FromCluster)
	}
	slices.SortFunc(targets, func(a, b workv1alpha2.TargetCluster) int { return strings.Compare(a.Name, b.Name) })
	carried := CarriedStates(b)
	spec.Clusters = targets // a copy that went meanwhile is made again, with the state that it had
	spec.GracefulEvictionTasks = slices.DeleteFunc(slices.Clone(spec.GracefulEvictionTasks), func(t workv1alpha2.GracefulEvictionTask) bool {
		return byTaint(&t) && slices.Contains(names, t.FromCluster)
	})
	for _, name := range names {
		if healthyIn(b.GetStatus().AggregatedStatus, name) {
			carried = keepsOwn(carried, name)
		}
	}
	return names, SetCarriedStates(b, assign(carried, TargetNames(spec), occupied(reportedCopies(b.GetStatus()))))
}

// intact reports whether the copy that a task is about runs on as before, and no other is
// in its place yet.
func intact(t *workv1alpha2.GracefulEvictionTask, b workv1alpha2.Binding) bool {
	spec, items := b.GetSpec(), b.GetStatus().AggregatedStatus
	if len(spec.Clusters) == 0 || isDirect(t) && isHeld(b) {
		return true
	}
	if isDirect(t) || len(t.ClustersBeforeFailover) == 0 || !healthyIn(items, t.FromCluster) {
		return false
	}
	return !slices.ContainsFunc(spec.Clusters, func(c workv1alpha2.TargetCluster) bool {
		return !slices.Contains(t.ClustersBeforeFailover, c.Name) && healthyIn(items, c.Name)
	})
}

// onlyMissing returns tasks without those that evict Directly and are more than the clusters that a
// binding with targets lacks. Those whose copies are there go first.
func onlyMissing(tasks []workv1alpha2.GracefulEvictionTask, b workv1alpha2.Binding) []workv1alpha2.GracefulEvictionTask {
	free := max(1, missing(b.GetSpec())) // it lacks one, also where no task has how many there were
	sorted := slices.Clone(tasks)
	slices.SortStableFunc(sorted, func(x, y workv1alpha2.GracefulEvictionTask) int {
		return cmp.Compare(absent(b, &x), absent(b, &y))
	})
	returns := map[string]bool{}
	for i := range sorted {
		switch t := &sorted[i]; {
		case !isDirect(t):
			returns[t.FromCluster] = true
		case free > 0:
			returns[t.FromCluster] = true
			free--
		}
	}
	return slices.DeleteFunc(tasks, func(t workv1alpha2.GracefulEvictionTask) bool { return !returns[t.FromCluster] })
}

// absent is 1 where nothing is reported of the copy that a task is about, and 0 otherwise.
func absent(b workv1alpha2.Binding, t *workv1alpha2.GracefulEvictionTask) int {
	if itemOn(b.GetStatus(), t.FromCluster) == nil {
		return 1
	}
	return 0
}

func healthyIn(items []workv1alpha2.AggregatedStatusItem, cluster string) bool {
	return slices.ContainsFunc(items, func(i workv1alpha2.AggregatedStatusItem) bool {
		return i.ClusterName == cluster && i.Applied && isHealthy(&i)
	})
}

// replaces reports whether a cluster was chosen after one of the tasks began: it was not
// among those before.
func replaces(cluster string, tasks []workv1alpha2.GracefulEvictionTask) bool {
	return slices.ContainsFunc(tasks, func(t workv1alpha2.GracefulEvictionTask) bool {
		return len(t.ClustersBeforeFailover) > 0 && !slices.Contains(t.ClustersBeforeFailover, cluster)
	})
}

// leftWithOthers reports whether the binding also left another cluster that it had before a
// task, does not return there, and has new copies.
func leftWithOthers(t *workv1alpha2.GracefulEvictionTask, spec *workv1alpha2.ResourceBindingSpec, reverted []workv1alpha2.GracefulEvictionTask) bool {
	has := func(tasks []workv1alpha2.GracefulEvictionTask, cluster string) bool {
		return slices.ContainsFunc(tasks, func(o workv1alpha2.GracefulEvictionTask) bool { return o.FromCluster == cluster })
	}
	other := slices.ContainsFunc(t.ClustersBeforeFailover, func(cluster string) bool {
		return has(spec.GracefulEvictionTasks, cluster) && !has(reverted, cluster) && !isTarget(spec, cluster)
	})
	return other && slices.ContainsFunc(TargetNames(spec), func(name string) bool { return !slices.Contains(t.ClustersBeforeFailover, name) })
}
