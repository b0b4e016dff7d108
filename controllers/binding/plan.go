// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Plan is what to do with the Works of one binding.
type Plan struct {
	// Remove are Works to delete.
	Remove []*workv1alpha1.Work
	// Render are the targets whose Works are written.
	Render []workv1alpha2.TargetCluster
	// Existing are all present Works, by cluster; a Work that is being deleted
	// is among them. They must not be changed.
	Existing map[string]*workv1alpha1.Work
}

// PlanWorks returns which Works of a binding are removed and which are rendered. A Work
// that is not wanted is removed. As long as the Work of a cluster that is evicted
// Directly exists, no further cluster gets a copy. The Works in Remove are copies.
func PlanWorks(spec *workv1alpha2.ResourceBindingSpec, works []workv1alpha1.Work) Plan {
	copies := CopiesOf(spec)
	p := Plan{Existing: map[string]*workv1alpha1.Work{}}
	blocked := false
	for i := range works {
		w := &works[i]
		cluster := ClusterOf(w)
		p.Existing[cluster] = w
		if copies.Wanted(cluster) {
			continue
		}
		if w.DeletionTimestamp == nil {
			p.Remove = append(p.Remove, w.DeepCopy())
		}
		blocked = blocked || copies.Blocks(cluster)
	}
	for _, t := range copies.Targets {
		if p.Existing[t.Name] != nil || !blocked {
			p.Render = append(p.Render, t)
		}
	}
	return p
}

// ClusterOf returns the cluster that a Work is for, or "" where its namespace is not that
// of a cluster.
func ClusterOf(w *workv1alpha1.Work) string {
	cluster, _ := names.Cluster(w.Namespace)
	return cluster
}
