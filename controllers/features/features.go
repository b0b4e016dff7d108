// SPDX-License-Identifier: Apache-2.0

// Package features names the feature gates. The names are those of the published control
// plane; three of them default to on here, because what they gate is the purpose of this
// project.
package features

import (
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/featuregate"
)

const (
	// MultiplePodTemplatesScheduling: a workload with several pod templates is described
	// by components, each with its own replicas and requests. On, since without it the
	// requests of a Flink or Ray job are wrong.
	MultiplePodTemplatesScheduling featuregate.Feature = "MultiplePodTemplatesScheduling"
	// StatefulFailoverInjection: the state of a failed application is carried over to the
	// next cluster. On, since without it a failover loses the job.
	StatefulFailoverInjection featuregate.Feature = "StatefulFailoverInjection"
	// GracefulEviction: purge modes other than Directly are carried out.
	GracefulEviction featuregate.Feature = "GracefulEviction"
	// Failover: ClusterTaintPolicies taint clusters, and what runs in a cluster with a
	// NoExecute taint is evicted if --enable-no-execute-taint-eviction is set. On, since
	// nothing is evicted without that flag, nor tainted without a policy.
	Failover featuregate.Feature = "Failover"
	// PropagateDeps: what a template depends on goes where it goes.
	PropagateDeps featuregate.Feature = "PropagateDeps"
	// PropagationPolicyPreemption: a policy with preemption: Always takes templates from
	// policies of lower priority.
	PropagationPolicyPreemption featuregate.Feature = "PropagationPolicyPreemption"
	// PriorityBasedScheduling: a binding has the priority of the PriorityClass that its
	// policy names.
	PriorityBasedScheduling featuregate.Feature = "PriorityBasedScheduling"
	// PriorityBasedPreemptiveScheduling: a binding that finds too little room has others of lower
	// priority move to other clusters. Off, since it moves what runs.
	PriorityBasedPreemptiveScheduling featuregate.Feature = "PriorityBasedPreemptiveScheduling"
	// WorkloadAffinity: spec.placement.workloadAffinity of a policy keeps workloads together
	// or apart. Off, as published.
	WorkloadAffinity featuregate.Feature = "WorkloadAffinity"
	// CustomizedClusterResourceModeling: the nodes of a cluster are counted by the grades of
	// its resource models, and what is placed by free resources heeds them.
	CustomizedClusterResourceModeling featuregate.Feature = "CustomizedClusterResourceModeling"
	// FederatedQuotaEnforcement: what does not fit into the FederatedResourceQuotas of its
	// namespace is not placed, and not scaled up. Off, as published: it refuses workloads, and
	// what is used is counted without it.
	FederatedQuotaEnforcement featuregate.Feature = "FederatedQuotaEnforcement"
	// ControllerPriorityQueue: controllers reconcile what changed before what a start, a
	// resync or a change of scripts has them look at again.
	ControllerPriorityQueue featuregate.Feature = "ControllerPriorityQueue"
)

// New returns the gates at their defaults.
func New() featuregate.MutableVersionedFeatureGate {
	gates := featuregate.NewVersionedFeatureGate(version.MajorMinor(1, 0))
	one := version.MajorMinor(1, 0)
	for name, spec := range map[featuregate.Feature]featuregate.VersionedSpecs{
		MultiplePodTemplatesScheduling:    {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		StatefulFailoverInjection:         {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		GracefulEviction:                  {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		Failover:                          {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		PropagateDeps:                     {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		PropagationPolicyPreemption:       {{Version: one, Default: false, PreRelease: featuregate.Alpha}},
		PriorityBasedScheduling:           {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		PriorityBasedPreemptiveScheduling: {{Version: one, Default: false, PreRelease: featuregate.Alpha}},
		WorkloadAffinity:                  {{Version: one, Default: false, PreRelease: featuregate.Alpha}},
		FederatedQuotaEnforcement:         {{Version: one, Default: false, PreRelease: featuregate.Alpha}},
		ControllerPriorityQueue:           {{Version: one, Default: true, PreRelease: featuregate.Beta}},
		CustomizedClusterResourceModeling: {{Version: one, Default: true, PreRelease: featuregate.Beta}},
	} {
		if err := gates.AddVersioned(map[featuregate.Feature]featuregate.VersionedSpecs{name: spec}); err != nil {
			panic(err) // two gates of one name: a bug of ours
		}
	}
	return gates
}
