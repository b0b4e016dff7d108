// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/utils/ptr"
)

// DefaultGracePeriodSeconds is the grace period of a purge mode Gracefully that
// gives none, in seconds.
const DefaultGracePeriodSeconds int32 = 600

// SetDefaults fills in what the schema cannot: selectors get the policy's
// namespace, and the spec what PropagationSpec.SetDefaults says.
func (p *PropagationPolicy) SetDefaults() {
	setSelectorNamespace(p.Spec.ResourceSelectors, p.Namespace)
	p.Spec.SetDefaults()
}

// SetDefaults fills in what PropagationSpec.SetDefaults says.
func (p *ClusterPropagationPolicy) SetDefaults() {
	p.Spec.SetDefaults()
}

// SetDefaults fills in what depends on other fields, and so cannot stand in the
// schema: propagateDeps for a ServiceImport, spread constraints, the division
// preference and the grace period. It never changes a field that is set, but for
// propagateDeps.
func (s *PropagationSpec) SetDefaults() {
	for _, selector := range s.ResourceSelectors {
		if selector.APIVersion == "multicluster.x-k8s.io/v1alpha1" && selector.Kind == "ServiceImport" {
			s.PropagateDeps = true
		}
	}
	s.Placement.setDefaults()
	if s.Failover != nil && s.Failover.Application != nil {
		s.Failover.Application.setDefaults()
	}
}

func (p *Placement) setDefaults() {
	for i := range p.SpreadConstraints {
		c := &p.SpreadConstraints[i]
		if c.SpreadByField == "" && c.SpreadByLabel == "" {
			c.SpreadByField = SpreadByFieldCluster
		}
		if c.MinGroups == 0 {
			c.MinGroups = 1
		}
	}
	if r := p.ReplicaScheduling; r != nil && r.divided() && r.ReplicaDivisionPreference == "" {
		r.ReplicaDivisionPreference = ReplicaDivisionPreferenceWeighted
	}
}

func (a *ApplicationFailoverBehavior) setDefaults() {
	if a.gracefully() && a.GracePeriodSeconds == nil {
		a.GracePeriodSeconds = ptr.To(DefaultGracePeriodSeconds)
	}
}

// divided reports whether clusters share the replicas; an empty type is the
// schema's default, Divided.
func (r *ReplicaSchedulingStrategy) divided() bool {
	return r.ReplicaSchedulingType == ReplicaSchedulingTypeDivided || r.ReplicaSchedulingType == ""
}

// gracefully reports whether the old copy has a grace period; an empty mode is the
// schema's default, Gracefully.
func (a *ApplicationFailoverBehavior) gracefully() bool {
	return a.PurgeMode.Canonical() == PurgeModeGracefully || a.PurgeMode == ""
}

// setSelectorNamespace puts the namespace of a namespaced policy into each
// selector that names none.
func setSelectorNamespace(selectors []ResourceSelector, namespace string) {
	for i := range selectors {
		if selectors[i].Namespace == "" {
			selectors[i].Namespace = namespace
		}
	}
}
