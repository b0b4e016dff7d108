// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/utils/ptr"
)

// DefaultGracePeriodSeconds is the grace period of the purge mode Gracefully where none
// is set, in seconds.
const DefaultGracePeriodSeconds int32 = 600

// SetDefaults sets what the schema cannot: the namespace of selectors that have none,
// and the defaults of the spec that depend on other fields.
func (p *PropagationPolicy) SetDefaults() {
	setSelectorNamespace(p.Spec.ResourceSelectors, p.Namespace)
	p.Spec.setDefaults()
}

// SetDefaults sets the defaults of the spec, as PropagationPolicy.SetDefaults does.
func (p *ClusterPropagationPolicy) SetDefaults() {
	p.Spec.setDefaults()
}

// setDefaults sets what depends on other fields, and so cannot be in the
// schema: propagateDeps for a ServiceImport, spread constraints, the division
// preference and the grace period. It changes no field that is set, other than
// propagateDeps.
func (s *PropagationSpec) setDefaults() {
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
