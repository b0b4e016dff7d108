// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// steps are what is to be done for one binding.
type steps struct {
	// remove are Works to delete.
	remove []*workv1alpha1.Work
	// render are the targets whose Works are written.
	render []workv1alpha2.TargetCluster
	// existing are the Works that there are, by cluster; a Work that is being
	// deleted is among them.
	existing map[string]*workv1alpha1.Work
}

// plan reports which Works of a binding go and which are rendered.
//
// A cluster that is evicted with another mode than Directly keeps its Work, which is
// not rendered any more. One that is evicted Directly loses it first: as long as it
// is there, no cluster gets a copy that has none yet, so that two copies never run.
// While the binding has no target at all nothing is removed, so that the last copy
// of a workload stays until there is another place for it; unless nobody asks for a
// copy any more: no placement, and no binding that depends on this one.
func plan(spec *workv1alpha2.ResourceBindingSpec, works []workv1alpha1.Work) steps {
	targets := targets(spec)
	wanted, leaving := map[string]bool{}, map[string]bool{}
	for _, t := range targets {
		wanted[t.Name] = true
	}
	for i := range spec.GracefulEvictionTasks {
		task := &spec.GracefulEvictionTasks[i]
		if task.PurgeMode.Canonical() == policyv1alpha1.PurgeModeDirectly {
			leaving[task.FromCluster] = true
		} else {
			wanted[task.FromCluster] = true
		}
	}
	homeless := len(targets) == 0 && (spec.Placement != nil || len(spec.RequiredBy) > 0)
	s := steps{existing: map[string]*workv1alpha1.Work{}}
	blocked := false
	for i := range works {
		w := &works[i]
		cluster := clusterOf(w)
		s.existing[cluster] = w
		if homeless || wanted[cluster] {
			continue
		}
		if w.DeletionTimestamp == nil {
			s.remove = append(s.remove, w.DeepCopy())
		}
		blocked = blocked || leaving[cluster]
	}
	for _, t := range targets {
		if s.existing[t.Name] != nil || !blocked {
			s.render = append(s.render, t)
		}
	}
	return s
}

// targets are the clusters of a binding, then those that bindings depending on it
// add.
func targets(spec *workv1alpha2.ResourceBindingSpec) []workv1alpha2.TargetCluster {
	all := append([]workv1alpha2.TargetCluster{}, spec.Clusters...)
	seen := map[string]bool{}
	for _, t := range all {
		seen[t.Name] = true
	}
	for i := range spec.RequiredBy {
		for _, t := range spec.RequiredBy[i].Clusters {
			if !seen[t.Name] {
				seen[t.Name] = true
				all = append(all, t)
			}
		}
	}
	return all
}
