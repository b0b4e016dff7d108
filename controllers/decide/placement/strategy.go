// SPDX-License-Identifier: Apache-2.0

package placement

import (
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// strategy is how replicas are shared out.
type strategy int

const (
	duplicated strategy = iota // each cluster gets them all
	static                     // divided by fixed weights
	dynamic                    // divided by how many fit
	aggregated                 // divided over as few clusters as have room
)

// strategyOf reads a policy's strategy. Nil is duplicated; an empty type is
// Divided and an empty preference is Weighted, as in the CRD.
func strategyOf(s *policyv1alpha1.ReplicaSchedulingStrategy) strategy {
	switch {
	case s == nil, s.ReplicaSchedulingType == policyv1alpha1.ReplicaSchedulingTypeDuplicated:
		return duplicated
	case s.ReplicaDivisionPreference == policyv1alpha1.ReplicaDivisionPreferenceAggregated:
		return aggregated
	case s.WeightPreference != nil && s.WeightPreference.DynamicWeight != "":
		return dynamic
	}
	return static
}

// byCapacity reports whether the strategy needs to know how many replicas fit.
func (s strategy) byCapacity() bool { return s == dynamic || s == aggregated }

// divides reports whether the binding's replicas are divided by capacity. An
// object without replicas has nothing to divide.
func divides(spec *workv1alpha2.ResourceBindingSpec) bool {
	return strategyOf(spec.Placement.ReplicaScheduling).byCapacity() && hasReplicas(spec)
}

// Divides reports whether the replicas of a binding are divided by what clusters have room for.
func Divides(spec *workv1alpha2.ResourceBindingSpec) bool {
	return spec.Placement != nil && divides(spec)
}

// hasReplicas reports whether the object has replicas to place. One with several
// components is placed whole, with as many replicas of each as its components have.
func hasReplicas(spec *workv1alpha2.ResourceBindingSpec) bool {
	return spec.Replicas > 0 && len(spec.Components) < 2
}
