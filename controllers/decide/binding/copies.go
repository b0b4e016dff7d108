// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Copies holds the clusters where the copies of a binding's object belong. It is
// immutable.
type Copies struct {
	// Targets are the clusters with a copy that is kept up to date: those of the
	// binding, then those that bindings depending on it add.
	Targets []workv1alpha2.TargetCluster

	targets map[string]bool
	// kept are evicted clusters whose copy stays, as it is, until their task ends.
	kept map[string]bool
	// leaving are clusters that are evicted Directly.
	leaving map[string]bool
	// released are clusters whose copy may go, whatever the others do.
	released map[string]bool
	// stranded means that there is no target although the object is requested.
	stranded bool
}

// CopiesOf returns where the copies of a binding belong.
//
// A cluster that is evicted with another mode than Directly keeps its copy, which is not
// updated any more. While the binding has no target at all each copy stays where it is,
// so that the last one stays until there is another cluster for it, unless the user let it
// go, or no copy is requested any more: there is no placement, and no binding depends on
// this one.
func CopiesOf(spec *workv1alpha2.ResourceBindingSpec) Copies {
	c := Copies{Targets: Targets(spec), targets: map[string]bool{}, kept: map[string]bool{}, leaving: map[string]bool{}, released: map[string]bool{}}
	for _, t := range c.Targets {
		c.targets[t.Name] = true
	}
	for i := range spec.GracefulEvictionTasks {
		task := &spec.GracefulEvictionTasks[i]
		switch {
		case isReleased(task):
			c.released[task.FromCluster] = true
		case isDirect(task):
			c.leaving[task.FromCluster] = true
		default:
			c.kept[task.FromCluster] = true
		}
	}
	c.stranded = len(c.Targets) == 0 && (spec.Placement != nil || len(spec.RequiredBy) > 0)
	return c
}

// Stranded reports whether the object is requested and no cluster is assigned; all copies
// stay then.
func (c Copies) Stranded() bool { return c.stranded }

// Wanted reports whether a copy in the cluster should be there.
func (c Copies) Wanted(cluster string) bool {
	return c.stranded && !c.released[cluster] || c.targets[cluster] || c.kept[cluster]
}

// WantedClusters returns the clusters that are known to need a copy, sorted: the targets
// and those that keep theirs. It is empty where the binding is stranded and nothing is
// being evicted.
func (c Copies) WantedClusters() []string {
	wanted := maps.Clone(c.targets)
	maps.Copy(wanted, c.kept)
	return slices.Sorted(maps.Keys(wanted))
}

// Blocks reports whether a copy that is still in the cluster keeps new ones from being
// made: the cluster is evicted Directly, which promises that two copies never run.
func (c Copies) Blocks(cluster string) bool { return !c.Wanted(cluster) && c.leaving[cluster] }

// Targets returns the clusters of a binding, then those that bindings depending on it
// add, each once.
func Targets(spec *workv1alpha2.ResourceBindingSpec) []workv1alpha2.TargetCluster {
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

// TargetNames returns the names of the Targets.
func TargetNames(spec *workv1alpha2.ResourceBindingSpec) []string {
	targets := Targets(spec)
	names := make([]string, len(targets))
	for i := range targets {
		names[i] = targets[i].Name
	}
	return names
}

// FormatTargets returns targets as {member1:2, member2:1}.
func FormatTargets(targets []workv1alpha2.TargetCluster) string {
	parts := make([]string, len(targets))
	for i, t := range targets {
		parts[i] = fmt.Sprintf("%s:%d", t.Name, t.Replicas)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// KeyOf returns the namespace and name of a binding; a ClusterResourceBinding has no namespace.
func KeyOf(b workv1alpha2.Binding) types.NamespacedName {
	return types.NamespacedName{Namespace: b.GetNamespace(), Name: b.GetName()}
}

// IsEvicting reports whether the binding is being evicted from any cluster.
func IsEvicting(spec *workv1alpha2.ResourceBindingSpec) bool {
	return len(spec.GracefulEvictionTasks) > 0
}

// Evicting returns the clusters that the binding is being evicted from.
func Evicting(spec *workv1alpha2.ResourceBindingSpec) map[string]bool {
	clusters := make(map[string]bool, len(spec.GracefulEvictionTasks))
	for i := range spec.GracefulEvictionTasks {
		clusters[spec.GracefulEvictionTasks[i].FromCluster] = true
	}
	return clusters
}

// Clusters returns the clusters that a binding has or is leaving, without those that
// bindings depending on it add. A cluster may occur twice.
func Clusters(spec *workv1alpha2.ResourceBindingSpec) []string {
	var clusters []string
	for i := range spec.Clusters {
		clusters = append(clusters, spec.Clusters[i].Name)
	}
	for i := range spec.GracefulEvictionTasks {
		clusters = append(clusters, spec.GracefulEvictionTasks[i].FromCluster)
	}
	return clusters
}

// isDirect reports whether the copy is removed before a new one is created.
func isDirect(task *workv1alpha2.GracefulEvictionTask) bool {
	return task.PurgeMode.Canonical() == policyv1alpha1.PurgeModeDirectly
}
