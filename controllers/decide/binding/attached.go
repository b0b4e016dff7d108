// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Parent is a binding whose object depends on that of another binding, the attached one.
type Parent struct {
	Binding workv1alpha2.Binding
	// PermanentID is that of the binding.
	PermanentID string
	// Works are those of the binding that exist; they must not be changed.
	Works []workv1alpha1.Work
}

// IsAttached reports whether other bindings depend on this one, or did so.
func IsAttached(b workv1alpha2.Binding) bool {
	if len(b.GetSpec().RequiredBy) > 0 {
		return true
	}
	for key := range b.GetLabels() {
		if strings.HasPrefix(key, workv1alpha2.DependedByLabelPrefix) {
			return true
		}
	}
	return false
}

// IsPlaced reports whether a binding has clusters, keeps a copy in one, or notes already
// what depends on it: before that nothing has to follow it.
func IsPlaced(b workv1alpha2.Binding) bool {
	return NotesDependencies(b) || len(CopiesOf(b.GetSpec()).WantedClusters()) > 0
}

// ParentsOf returns the keys of the bindings that an attached one names; a
// ClusterResourceBinding has no namespace.
func ParentsOf(b workv1alpha2.Binding) []types.NamespacedName {
	required := b.GetSpec().RequiredBy
	keys := make([]types.NamespacedName, len(required))
	for i := range required {
		keys[i] = types.NamespacedName{Namespace: required[i].Namespace, Name: required[i].Name}
	}
	return keys
}

// Attach writes into a binding which others depend on it, and where it follows them to. A
// parent that has no cluster is left out. Among parents that disagree, conflictResolution
// is Overwrite if one has it, and preserveResourcesOnDeletion is true if it is for one; a
// binding with a policy of its own keeps both. What was written in another order stays.
//
// It reports how many parents there are, and returns what they disagree about.
func Attach(b workv1alpha2.Binding, parents []Parent, ownPolicy bool) (attached int, disagreement string) {
	var snapshots []workv1alpha2.BindingSnapshot
	placed := slices.DeleteFunc(slices.Clone(parents), func(p Parent) bool {
		s := snapshotOf(&p, b.GetSpec().PropagateDeps)
		if len(s.Clusters) > 0 {
			snapshots = append(snapshots, s)
		}
		return len(s.Clusters) == 0
	})
	slices.SortFunc(snapshots, compareSnapshots)
	spec := b.GetSpec()
	if !sameSnapshots(spec.RequiredBy, snapshots, spec.IsWorkload()) {
		spec.RequiredBy = snapshots
	}
	b.SetLabels(dependedBy(b.GetLabels(), placed))
	if ownPolicy || len(placed) == 0 {
		return len(placed), ""
	}
	return len(placed), unite(spec, placed)
}

// snapshotOf returns where an attached binding follows a parent to: where the parent should
// be, where it is leaving, and where it still has a Work. So what a parent needs is there
// until the parent is gone.
//
// Two bindings that depend on each other would wait for each other to leave, so one that
// propagates dependencies itself follows only to the clusters of the parent and to those
// where an eviction with a time limit keeps its copy.
func snapshotOf(p *Parent, propagates bool) workv1alpha2.BindingSnapshot {
	spec := p.Binding.GetSpec()
	s := workv1alpha2.BindingSnapshot{Namespace: p.Binding.GetNamespace(), Name: p.Binding.GetName(), Clusters: slices.Clone(spec.Clusters)}
	if !propagates {
		s.Clusters = Targets(spec)
	}
	leaving := map[string]bool{}
	for i := range spec.GracefulEvictionTasks {
		if task := &spec.GracefulEvictionTasks[i]; !propagates || !isDirect(task) {
			leaving[task.FromCluster] = true
		}
	}
	for i := range p.Works {
		if cluster := ClusterOf(&p.Works[i]); !propagates && cluster != "" {
			leaving[cluster] = true
		}
	}
	for i := range s.Clusters {
		delete(leaving, s.Clusters[i].Name)
	}
	for _, cluster := range slices.Sorted(maps.Keys(leaving)) {
		s.Clusters = append(s.Clusters, workv1alpha2.TargetCluster{Name: cluster})
	}
	return s
}

func compareSnapshots(a, b workv1alpha2.BindingSnapshot) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// sameSnapshots reports whether two lists name the same clusters for the same bindings, in
// any order. The replicas of a parent matter only to a workload, so that one that scales
// does not have all that it depends on written.
func sameSnapshots(before, after []workv1alpha2.BindingSnapshot, replicas bool) bool {
	if len(before) != len(after) {
		return false
	}
	clusters := make(map[types.NamespacedName][]workv1alpha2.TargetCluster, len(before))
	for i := range before {
		clusters[types.NamespacedName{Namespace: before[i].Namespace, Name: before[i].Name}] = before[i].Clusters
	}
	for i := range after {
		had, known := clusters[types.NamespacedName{Namespace: after[i].Namespace, Name: after[i].Name}]
		if !known || !sameTargets(had, after[i].Clusters, replicas) {
			return false
		}
	}
	return len(clusters) == len(after)
}

func sameTargets(before, after []workv1alpha2.TargetCluster, replicas bool) bool {
	if len(before) != len(after) {
		return false
	}
	has := make(map[string]int32, len(before))
	for i := range before {
		has[before[i].Name] = before[i].Replicas
	}
	for i := range after {
		n, known := has[after[i].Name]
		if !known || replicas && n != after[i].Replicas {
			return false
		}
	}
	return len(has) == len(after)
}

// dependedBy returns labels with one for each parent, in place of those of other parents.
func dependedBy(labels map[string]string, parents []Parent) map[string]string {
	all := maps.Clone(labels)
	maps.DeleteFunc(all, func(key, _ string) bool { return strings.HasPrefix(key, workv1alpha2.DependedByLabelPrefix) })
	if all == nil {
		all = map[string]string{}
	}
	for i := range parents {
		all[names.DependedByLabel(parents[i].Binding.GetNamespace(), parents[i].Binding.GetName())] = parents[i].PermanentID
	}
	return all
}

// unite writes what the policies of parents say about an attached object, and returns what
// they disagree about, with the published words for each field.
func unite(spec *workv1alpha2.ResourceBindingSpec, parents []Parent) string {
	overwrites, aborts := split(parents, func(s *workv1alpha2.ResourceBindingSpec) bool {
		return s.ConflictResolution == policyv1alpha1.ConflictOverwrite
	})
	spec.ConflictResolution = policyv1alpha1.ConflictAbort
	if overwrites != "" {
		spec.ConflictResolution = policyv1alpha1.ConflictOverwrite
	}
	preserves, removes := split(parents, func(s *workv1alpha2.ResourceBindingSpec) bool { return ptr.Deref(s.PreserveResourcesOnDeletion, false) })
	preserve, said := preserves != "", slices.ContainsFunc(parents, saysPreserve)
	if was := spec.PreserveResourcesOnDeletion; preserve != ptr.Deref(was, false) || said && was == nil {
		spec.PreserveResourcesOnDeletion = &preserve
	}
	var all []string
	if overwrites != "" && aborts != "" {
		all = append(all, fmt.Sprintf("ConflictResolution conflicted (Overwrite vs Abort): Overwrite for %s and Abort for %s, so Overwrite applies", overwrites, aborts))
	}
	if preserves != "" && removes != "" {
		all = append(all, fmt.Sprintf("PreserveResourcesOnDeletion conflicted (true vs false): true for %s and false for %s, so true applies", preserves, removes))
	}
	return strings.Join(all, "; ")
}

// saysPreserve reports whether the policy of a parent says whether objects are preserved. Where none
// does, a binding that has no word of it stays so.
func saysPreserve(p Parent) bool { return p.Binding.GetSpec().PreserveResourcesOnDeletion != nil }

// split returns the first parent by name for which something holds, and the first for which
// it does not; "" where there is none.
func split(parents []Parent, holds func(*workv1alpha2.ResourceBindingSpec) bool) (yes, no string) {
	for i := range parents {
		key := (types.NamespacedName{Namespace: parents[i].Binding.GetNamespace(), Name: parents[i].Binding.GetName()}).String()
		side := &no
		if holds(parents[i].Binding.GetSpec()) {
			side = &yes
		}
		if *side == "" || key < *side {
			*side = key
		}
	}
	return yes, no
}
