// SPDX-License-Identifier: Apache-2.0

package quota

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/placement"
)

// Usage returns what a binding uses, under the names of pods, pods among them: for each replica
// that is placed its requests, or for each cluster those of all components. It is empty for
// what is not placed or runs no pods. What is only required by others is not counted.
//
// A copy that is leaving a cluster is counted until another one takes its place, and never
// beside that: a workload that moves is counted once, and finds its place free. (Karmada counts
// no copy that leaves.)
func Usage(spec *workv1alpha2.ResourceBindingSpec) corev1.ResourceList {
	sum := corev1.ResourceList{}
	if len(spec.Components) == 0 {
		if r := spec.ReplicaRequirements; r != nil {
			addTimes(sum, r.ResourceRequest, Replicas(spec))
		}
		addPods(sum, Replicas(spec))
		return sum
	}
	sets := Sets(spec)
	for i := range spec.Components {
		c := &spec.Components[i]
		replicas := int64(c.Replicas) * sets
		if c.ReplicaRequirements != nil {
			addTimes(sum, c.ReplicaRequirements.ResourceRequest, replicas)
		}
		addPods(sum, replicas)
	}
	return sum
}

// Replicas returns how many replicas of a binding without components are counted: those that
// are placed, and those whose place is kept.
func Replicas(spec *workv1alpha2.ResourceBindingSpec) int64 {
	placed, leaving := int64(0), int64(0)
	for i := range spec.Clusters {
		placed += int64(spec.Clusters[i].Replicas)
	}
	for _, d := range binding.Departures(spec) {
		leaving += int64(d.Replicas)
	}
	switch {
	case leaving == 0:
		return placed
	case spec.Placement != nil && !placement.Copies(spec):
		return max(placed, min(placed+leaving, int64(spec.Replicas)))
	case len(spec.Clusters) == 0:
		return leaving
	}
	return placed
}

// Sets returns in how many clusters the components of a binding are counted: where they are
// placed, and if that is nowhere, where they leave.
func Sets(spec *workv1alpha2.ResourceBindingSpec) int64 {
	if len(spec.Clusters) > 0 {
		return int64(len(spec.Clusters))
	}
	leaving := int64(len(binding.Departures(spec)))
	if spec.Placement != nil && placement.Together(spec) {
		return min(leaving, 1)
	}
	return leaving
}

// addPods adds pods to a sum.
func addPods(sum corev1.ResourceList, pods int64) {
	if pods > 0 {
		Add(sum, corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(pods, resource.DecimalSI)})
	}
}

// addTimes adds an amount that many times to a sum.
func addTimes(sum, amounts corev1.ResourceList, times int64) {
	for name, q := range amounts {
		q = q.DeepCopy() // big quantities are pointers inside
		q.Mul(times)
		if q.Sign() > 0 {
			total := sum[name]
			total.Add(q)
			sum[name] = total
		}
	}
}
