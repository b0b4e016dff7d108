// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"cmp"
	"slices"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// DividedWithin returns how many replicas a binding whose replicas are divided may have if it was
// refused to have as many as are wanted.
func DividedWithin(b workv1alpha2.Binding) int32 {
	return int32(admitted(b)) //nolint:gosec // at most spec.replicas, or what is placed
}

// CopiesWithin returns the targets of a binding that is copied and was refused to have those that
// are wanted: those that it has, and of the others as many as have the places of copies that
// leave, no larger than these were.
func CopiesWithin(b workv1alpha2.Binding, wanted []workv1alpha2.TargetCluster) []workv1alpha2.TargetCluster {
	spec := b.GetSpec()
	targets := slices.Clone(spec.Clusters)
	largest, left := largestLeaving(spec), admitted(b)-placedOf(spec)
	for _, t := range wanted {
		if slices.ContainsFunc(spec.Clusters, func(has workv1alpha2.TargetCluster) bool { return has.Name == t.Name }) {
			continue
		}
		t.Replicas = min(t.Replicas, largest)
		size := sizeOf(spec, t.Replicas)
		if size == 0 || size > left {
			break
		}
		left -= size
		targets = append(targets, t)
	}
	slices.SortFunc(targets, func(a, b workv1alpha2.TargetCluster) int { return cmp.Compare(a.Name, b.Name) })
	return targets
}

// largestLeaving returns the most replicas that a copy has which is leaving.
func largestLeaving(spec *workv1alpha2.ResourceBindingSpec) int32 {
	most := int32(0)
	for _, d := range binding.Departures(spec) {
		most = max(most, d.Replicas)
	}
	return most
}
