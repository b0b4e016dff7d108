// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// Usage returns what a binding uses, under the names of pods, pods among them: for each replica
// that is placed its requests, or for each cluster those of all components. It is empty for
// what is not placed or runs no pods. What is only required by others is not counted.
//
// A copy that has ended, as the status of the binding has it, is not counted: its pods use
// nothing. One that starts again is. (Karmada counts it until it is deleted.)
//
// A copy that is leaving a cluster is counted until another one takes its place, and never
// beside that: a workload that moves is counted once, and finds its place free. (Karmada counts
// no copy that leaves.)
func Usage(b workv1alpha2.Binding) corev1.ResourceList {
	return amounts(b.GetSpec(), counted(b)-endedOf(b))
}

// Admitted returns what a binding may use without asking: its Usage, but for copies that are
// targets again after others took their places.
func Admitted(b workv1alpha2.Binding) corev1.ResourceList {
	return amounts(b.GetSpec(), admitted(b)-endedOf(b))
}

// Overruns reports whether a binding uses more than it may without asking.
func Overruns(b workv1alpha2.Binding) bool { return admitted(b) < counted(b) }

// counted returns how much of a binding is placed, in replicas, or in sets of its components,
// and what leaves as far as its place is kept. What has ended has its place as long as it does
// not leave.
func counted(b workv1alpha2.Binding) int64 {
	spec := b.GetSpec()
	placed := placedOf(spec)
	most := placed + leavingOf(b)
	if wanted, is := wantedOf(spec); is {
		most = min(most, wanted)
	}
	if recorded, is := recordOf(b); is {
		most = min(most, recorded)
	}
	return max(placed, most)
}

// admitted returns how much of what is counted was admitted.
func admitted(b workv1alpha2.Binding) int64 {
	if recorded, is := recordOf(b); is {
		return min(counted(b), recorded)
	}
	return counted(b)
}

// wantedOf returns how much a binding has at most in all clusters together; false if that
// depends on how many clusters match.
func wantedOf(spec *workv1alpha2.ResourceBindingSpec) (int64, bool) {
	switch {
	case spec.Placement == nil:
		return 0, false
	case len(spec.Components) > 0:
		return 1, placement.Together(spec)
	}
	return int64(spec.Replicas), !placement.Copies(spec)
}

func placedOf(spec *workv1alpha2.ResourceBindingSpec) int64 {
	sum := int64(0)
	for i := range spec.Clusters {
		sum += sizeOf(spec, spec.Clusters[i].Replicas)
	}
	return sum
}

// leavingOf returns how much leaves and has not ended.
func leavingOf(b workv1alpha2.Binding) int64 {
	spec, ended, sum := b.GetSpec(), binding.Ended(b), int64(0)
	for _, d := range binding.Departures(spec) {
		if !slices.Contains(ended, d.Cluster) {
			sum += sizeOf(spec, d.Replicas)
		}
	}
	return sum
}

// endedOf returns how much of what is placed has ended.
func endedOf(b workv1alpha2.Binding) int64 {
	spec, ended, sum := b.GetSpec(), binding.Ended(b), int64(0)
	for i := range spec.Clusters {
		if slices.Contains(ended, spec.Clusters[i].Name) {
			sum += sizeOf(spec, spec.Clusters[i].Replicas)
		}
	}
	return sum
}

// sizeOf returns how much a copy counts: its replicas, or one set of components.
func sizeOf(spec *workv1alpha2.ResourceBindingSpec, replicas int32) int64 {
	if len(spec.Components) > 0 {
		return 1
	}
	return int64(replicas)
}

// amounts returns what so many replicas or sets of a binding request; nothing below one.
func amounts(spec *workv1alpha2.ResourceBindingSpec, times int64) corev1.ResourceList {
	sum := corev1.ResourceList{}
	if times <= 0 {
		return sum
	}
	if len(spec.Components) == 0 {
		if r := spec.ReplicaRequirements; r != nil {
			addTimes(sum, r.ResourceRequest, times)
		}
		addPods(sum, times)
		return sum
	}
	for i := range spec.Components {
		c := &spec.Components[i]
		replicas := int64(c.Replicas) * times
		if c.ReplicaRequirements != nil {
			addTimes(sum, c.ReplicaRequirements.ResourceRequest, replicas)
		}
		addPods(sum, replicas)
	}
	return sum
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
