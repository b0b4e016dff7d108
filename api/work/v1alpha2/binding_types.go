// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:shortName=rb,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Scheduled",type=string,JSONPath=`.status.conditions[?(@.type=="Scheduled")].status`
// +kubebuilder:printcolumn:name="FullyApplied",type=string,JSONPath=`.status.conditions[?(@.type=="FullyApplied")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// ResourceBinding ties one object of its namespace to clusters.
type ResourceBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the object needs and where it is placed.
	Spec ResourceBindingSpec `json:"spec"`

	// Status is how it fares there.
	// +optional
	Status ResourceBindingStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// ResourceBindingList is a list of ResourceBindings.
type ResourceBindingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourceBinding `json:"items"`
}

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,shortName=crb,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Scheduled",type=string,JSONPath=`.status.conditions[?(@.type=="Scheduled")].status`
// +kubebuilder:printcolumn:name="FullyApplied",type=string,JSONPath=`.status.conditions[?(@.type=="FullyApplied")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// ClusterResourceBinding ties one object without namespace to clusters.
type ClusterResourceBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the object needs and where it is placed.
	Spec ResourceBindingSpec `json:"spec"`

	// Status is how it fares there.
	// +optional
	Status ResourceBindingStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// ClusterResourceBindingList is a list of ClusterResourceBindings.
type ClusterResourceBindingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterResourceBinding `json:"items"`
}

// ResourceBindingSpec is shared by ResourceBinding and ClusterResourceBinding.
// Its writers are the propagation controller (what the template and the policy
// say), the scheduler (clusters), the dependency controller (requiredBy) and
// the failover and eviction controllers (gracefulEvictionTasks).
type ResourceBindingSpec struct {
	// Resource is the object, the template. A new resourceVersion here is what
	// makes the Works be rendered again.
	// +required
	Resource ObjectReference `json:"resource"`

	// PropagateDeps sends the objects that this one depends on along.
	// +optional
	PropagateDeps bool `json:"propagateDeps,omitempty"`

	// ReplicaRequirements are what one replica needs. Nil when nothing is known,
	// or when components are given.
	// +optional
	ReplicaRequirements *ReplicaRequirements `json:"replicaRequirements,omitempty"`

	// Replicas is the number of replicas in the template; 0 when the object has
	// none, or when components are given.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// Components are the parts of an object with several pod templates, for
	// example the job manager and the task managers of a FlinkDeployment, in the
	// interpreter's order. Empty for objects with one pod template or none. When
	// they are given, replicas and replicaRequirements stay empty.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, b.name == a.name))",message="two components have one name; the rule InterpretComponent makes the names"
	Components []Component `json:"components,omitempty"`

	// Clusters are where the object is placed: the scheduler's answer.
	// +optional
	Clusters []TargetCluster `json:"clusters,omitempty"`

	// Placement is the policy's placement. Nil for a binding that exists only
	// because others require it; the scheduler leaves that alone.
	// +optional
	Placement *policyv1alpha1.Placement `json:"placement,omitempty"`

	// GracefulEvictionTasks are copies that are leaving clusters, at most one for
	// each cluster, the oldest first. A cluster named here is not in clusters.
	// +optional
	GracefulEvictionTasks []GracefulEvictionTask `json:"gracefulEvictionTasks,omitempty"`

	// RequiredBy are the bindings that depend on this object. Their clusters get
	// the object too, in addition to clusters above.
	// +optional
	RequiredBy []BindingSnapshot `json:"requiredBy,omitempty"`

	// SchedulerName is the scheduler that may place the object. Empty means
	// default-scheduler.
	// +optional
	SchedulerName string `json:"schedulerName,omitempty"`

	// Failover is the policy's failover behaviour; nil when it has none.
	// +optional
	Failover *policyv1alpha1.FailoverBehavior `json:"failover,omitempty"`

	// ConflictResolution specifies what happens when the object exists in a member
	// already and is not managed from here. Default Abort.
	// +optional
	// +kubebuilder:validation:Enum=Abort;Overwrite
	// +kubebuilder:default=Abort
	ConflictResolution policyv1alpha1.ConflictResolution `json:"conflictResolution,omitempty"`

	// RescheduleTriggeredAt asks for a fresh scheduling when it is later than
	// status.lastScheduledTime. Nil asks for nothing.
	// +optional
	RescheduleTriggeredAt *metav1.Time `json:"rescheduleTriggeredAt,omitempty"`

	// Suspension stops dispatching or scheduling. Nil stops nothing.
	// +optional
	Suspension *Suspension `json:"suspension,omitempty"`

	// PreserveResourcesOnDeletion keeps the objects on the members when the
	// template is deleted. Nil means false.
	// +optional
	PreserveResourcesOnDeletion *bool `json:"preserveResourcesOnDeletion,omitempty"`

	// SchedulePriority orders the scheduling queue. Nil means priority 0.
	// +optional
	SchedulePriority *SchedulePriority `json:"schedulePriority,omitempty"`

	// WorkloadAffinityGroups are the groups that the policy's workloadAffinity
	// puts the object in. Nil means none; always nil on a
	// ClusterResourceBinding.
	// +optional
	WorkloadAffinityGroups *WorkloadAffinityGroups `json:"workloadAffinityGroups,omitempty"`
}

// IsWorkload reports whether the object runs pods as far as the interpreter knows:
// it has replicas, requirements or components.
func (s *ResourceBindingSpec) IsWorkload() bool {
	return s.Replicas > 0 || s.ReplicaRequirements != nil || len(s.Components) > 0
}

// ObjectReference names one object.
type ObjectReference struct {
	// APIVersion is the group and version.
	// +required
	APIVersion string `json:"apiVersion"`

	// Kind is the kind.
	// +required
	Kind string `json:"kind"`

	// Namespace is empty for an object without namespace.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is the name.
	// +required
	Name string `json:"name"`

	// UID is the metadata.uid.
	// +optional
	UID types.UID `json:"uid,omitempty"`

	// ResourceVersion is the version of the object that was read last.
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// TargetCluster is one cluster that an object is placed on.
type TargetCluster struct {
	// Name is the name of the cluster.
	// +required
	Name string `json:"name"`

	// Replicas is how many replicas it gets; 0 for an object without replicas or
	// with components.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// Components is how many replicas of each component it gets; only for
	// objects with more than one component.
	// +optional
	Components []TargetComponent `json:"components,omitempty"`
}

// TargetComponent is the share of one component on one cluster.
type TargetComponent struct {
	// Name is the component's name.
	// +required
	Name string `json:"name"`

	// Replicas is how many replicas of it the cluster gets.
	// +required
	Replicas int32 `json:"replicas"`
}

// BindingSnapshot is what a binding noted about one that depends on it.
type BindingSnapshot struct {
	// Namespace is the namespace of the binding that depends; empty for a
	// ClusterResourceBinding.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is its name.
	// +required
	Name string `json:"name"`

	// Clusters are where it is placed.
	// +optional
	Clusters []TargetCluster `json:"clusters,omitempty"`
}

// Suspension is the policy's suspension and the scheduler's.
type Suspension struct {
	policyv1alpha1.Suspension `json:",inline"`

	// Scheduling stops the scheduling of this binding. Nil means false. It is
	// set by other controllers (a job queue, for example), never from a policy.
	// +optional
	Scheduling *bool `json:"scheduling,omitempty"`
}

// SchedulePriority orders the scheduling queue.
type SchedulePriority struct {
	// Priority is the value of the priority class; higher goes first. Default 0.
	// +optional
	// +kubebuilder:default=0
	Priority int32 `json:"priority,omitempty"`
}

// WorkloadAffinityGroups are groups of objects that attract or repel each
// other.
type WorkloadAffinityGroups struct {
	// AffinityGroup is "<label key>=<value>"; empty means none.
	// +optional
	AffinityGroup string `json:"affinityGroup,omitempty"`

	// AntiAffinityGroup is "<label key>=<value>"; empty means none.
	// +optional
	AntiAffinityGroup string `json:"antiAffinityGroup,omitempty"`
}
