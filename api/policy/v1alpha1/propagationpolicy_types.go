// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DefaultScheduler is the scheduler of a policy that names none.
const DefaultScheduler = "default-scheduler"

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:shortName=pp,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Conflict-Resolution",type=string,JSONPath=`.spec.conflictResolution`
// +kubebuilder:printcolumn:name="Priority",type=integer,JSONPath=`.spec.priority`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// PropagationPolicy specifies where the objects that it selects in its own namespace
// are placed.
type PropagationPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is wanted.
	Spec PropagationSpec `json:"spec"`

	// Status is what became of the templates. It is Dragoman's own; Karmada publishes no status.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status PropagationStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// PropagationPolicyList is a list of PropagationPolicies.
type PropagationPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []PropagationPolicy `json:"items"`
}

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,shortName=cpp,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Conflict-Resolution",type=string,JSONPath=`.spec.conflictResolution`
// +kubebuilder:printcolumn:name="Priority",type=integer,JSONPath=`.spec.priority`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// ClusterPropagationPolicy specifies where the objects that it selects are placed,
// cluster-scoped objects and those of every namespace. A PropagationPolicy of
// the object's namespace goes before it, whatever the priorities.
type ClusterPropagationPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is wanted.
	Spec PropagationSpec `json:"spec"`

	// Status is what became of the templates. It is Dragoman's own; Karmada publishes no status.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status PropagationStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// ClusterPropagationPolicyList is a list of ClusterPropagationPolicies.
type ClusterPropagationPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterPropagationPolicy `json:"items"`
}

// Ready is a condition type of policies and of FederatedResourceQuotas. It is True where all that
// the object asks for is done, and its observedGeneration is that of the spec.
const Ready = "Ready"

// Reasons of the condition Ready of policies; where a template is not applied it is that of its
// binding.
const (
	// ReadyReason means that each template that the policy has claimed is applied in all its
	// clusters.
	ReadyReason = "Applied"
	// NoTemplateReason goes with the status True: the policy has claimed no template.
	NoTemplateReason = "NoTemplate"
)

// PropagationStatus is what became of the templates of a policy. It is written some seconds after
// it changes.
type PropagationStatus struct {
	// ObservedGeneration is the metadata.generation that the status is about; -1 before there is
	// one.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Templates is how many templates the policy has claimed.
	// +optional
	Templates int32 `json:"templates"`

	// Applied is how many of them are applied in all their clusters.
	// +optional
	Applied int32 `json:"applied"`

	// Conditions has Ready.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// PropagationSpec is shared by PropagationPolicy and ClusterPropagationPolicy.
//
// +kubebuilder:validation:XValidation:rule="self.schedulerName == oldSelf.schedulerName",fieldPath=".schedulerName",message="schedulerName never changes; make a new policy for another scheduler"
// +kubebuilder:validation:XValidation:rule="!has(self.preemption) || self.preemption != 'Always' || !has(self.resourceSelectors) || self.resourceSelectors.all(s, has(s.name) && s.name.size() > 0)",fieldPath=".resourceSelectors",message="preemption Always takes over only objects given by name; name the object in each selector, or set preemption to Never"
type PropagationSpec struct {
	// ResourceSelectors choose the objects; an object that matches any one of
	// them is selected. A policy without any selects nothing: it can be written
	// first and get its selectors later. (Karmada requires at least one.)
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4096
	ResourceSelectors []ResourceSelector `json:"resourceSelectors,omitempty"`

	// Association is deprecated and ignored; propagateDeps took its place.
	// +optional
	Association bool `json:"association,omitempty"`

	// PropagateDeps sends the objects that a selected object depends on (for
	// example the ConfigMaps and Secrets of a Deployment) to the same clusters,
	// with no policy of their own. Default false; always true when a selector
	// names a multicluster.x-k8s.io/v1alpha1 ServiceImport.
	// +optional
	PropagateDeps bool `json:"propagateDeps,omitempty"`

	// Placement specifies which clusters, and how replicas are divided among them.
	// Empty means every cluster, with all replicas on each.
	// +optional
	Placement Placement `json:"placement,omitempty,omitzero"`

	// Priority decides between policies that select the same object: the higher
	// one claims it. Nil means 0. Among equal priorities a selector by name
	// beats one by label, which beats one for all; then the smaller policy name
	// wins.
	// +optional
	// +kubebuilder:default=0
	Priority *int32 `json:"priority,omitempty"`

	// Preemption specifies whether this policy takes objects away from policies of
	// lower priority that have claimed them already. Default Never.
	// +optional
	// +kubebuilder:validation:Enum=Always;Never
	// +kubebuilder:default=Never
	Preemption PreemptionBehavior `json:"preemption,omitempty"`

	// DependentOverrides name the OverridePolicies of the same namespace, or
	// the ClusterOverridePolicies, that must exist before this policy does
	// anything.
	// +optional
	DependentOverrides []string `json:"dependentOverrides,omitempty"`

	// SchedulerName is the scheduler that places the objects. Default
	// default-scheduler. It never changes after creation.
	// +optional
	// +kubebuilder:default=default-scheduler
	SchedulerName string `json:"schedulerName,omitempty"`

	// Failover specifies when and how objects move away from a failed application or
	// cluster. Nil means that applications do not move, and that the flags of the control plane
	// decide about failed clusters.
	// +optional
	Failover *FailoverBehavior `json:"failover,omitempty"`

	// ConflictResolution specifies what happens when the object exists in a member
	// already and is not managed from here. Default Abort.
	// +optional
	// +kubebuilder:validation:Enum=Abort;Overwrite
	// +kubebuilder:default=Abort
	ConflictResolution ConflictResolution `json:"conflictResolution,omitempty"`

	// ActivationPreference specifies when a change of the policy reaches objects that
	// are placed already: empty means at once, Lazy means with the next change
	// of the object itself.
	// +optional
	// +kubebuilder:validation:Enum=Lazy
	ActivationPreference ActivationPreference `json:"activationPreference,omitempty"`

	// Suspension stops the sending of objects to members. Nil means that
	// nothing is stopped.
	// +optional
	Suspension *Suspension `json:"suspension,omitempty"`

	// PreserveResourcesOnDeletion keeps the objects on the members when the
	// template is deleted here. Nil means false. The deletion of the policy
	// alone never deletes objects.
	// +optional
	PreserveResourcesOnDeletion *bool `json:"preserveResourcesOnDeletion,omitempty"`

	// SchedulePriority specifies how urgent the scheduling of the selected objects
	// is. Nil means priority 0.
	// +optional
	SchedulePriority *SchedulePriority `json:"schedulePriority,omitempty"`
}

// ResourceSelector chooses objects of one kind.
//
// +kubebuilder:validation:XValidation:rule="!has(self.name) || self.name.size() + self.kind.size() <= 252",fieldPath=".name",message="the binding of the object is called name-kind, which may have 253 characters; no object of so long a name can be propagated"
type ResourceSelector struct {
	// APIVersion is the group and version, for example apps/v1. It must be the
	// same as the object's, to the letter.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([^/]+/)?[^/]+$')",message="must be a group and a version, such as apps/v1, or v1 for the core group"
	APIVersion string `json:"apiVersion"`

	// Kind is the kind, for example Deployment.
	// +required
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`

	// Namespace limits the selector to one namespace; empty means all. In a
	// namespaced policy it is the policy's own namespace.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name selects the one object of this name; empty means all names.
	// +optional
	Name string `json:"name,omitempty"`

	// LabelSelector selects by labels; nil means all. It is ignored when name is
	// set.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}

// PreemptionBehavior is whether a policy takes over claimed objects.
type PreemptionBehavior string

const (
	// PreemptAlways takes objects from policies of lower priority. Each selector
	// must then give a name.
	PreemptAlways PreemptionBehavior = "Always"
	// PreemptNever leaves claimed objects where they are.
	PreemptNever PreemptionBehavior = "Never"
)

// ConflictResolution is what to do with an object that stands in a member
// already.
type ConflictResolution string

const (
	// ConflictOverwrite takes the member's object over.
	ConflictOverwrite ConflictResolution = "Overwrite"
	// ConflictAbort leaves the member's object alone and reports the conflict.
	ConflictAbort ConflictResolution = "Abort"
)

// ActivationPreference specifies when a changed policy takes effect.
type ActivationPreference string

// LazyActivation waits for the next change of the object itself.
const LazyActivation ActivationPreference = "Lazy"

// Suspension stops the sending of objects to members. Collecting status goes
// on.
//
// +kubebuilder:validation:XValidation:rule="!has(self.dispatching) || !self.dispatching || !has(self.dispatchingOnClusters) || !has(self.dispatchingOnClusters.clusterNames) || self.dispatchingOnClusters.clusterNames.size() == 0",fieldPath=".dispatchingOnClusters",reason="FieldValueForbidden",message="dispatching: true stops all clusters already; remove it to stop only the clusters named here, or remove the names"
type Suspension struct {
	// Dispatching stops it for all clusters. Nil means false. It excludes a
	// non-empty dispatchingOnClusters.
	// +optional
	Dispatching *bool `json:"dispatching,omitempty"`

	// DispatchingOnClusters stops it for some clusters. Nil means none.
	// +optional
	DispatchingOnClusters *SuspendClusters `json:"dispatchingOnClusters,omitempty"`
}

// SuspendClusters is a set of clusters.
type SuspendClusters struct {
	// ClusterNames are the names of the clusters, in no special order.
	// +optional
	ClusterNames []string `json:"clusterNames,omitempty"`
}

// SchedulePriority points to what holds the scheduling priority.
type SchedulePriority struct {
	// PriorityClassSource specifies which kind of object priorityClassName names.
	// +required
	// +kubebuilder:validation:Enum=KubePriorityClass
	PriorityClassSource PriorityClassSource `json:"priorityClassSource"`

	// PriorityClassName is the name of that object.
	// +required
	// +kubebuilder:validation:MinLength=1
	PriorityClassName string `json:"priorityClassName"`
}

// PriorityClassSource is the kind of object that defines a priority.
type PriorityClassSource string

const (
	// KubePriorityClass is a scheduling.k8s.io/v1 PriorityClass of the control
	// plane. It is the only source that the schema accepts.
	KubePriorityClass PriorityClassSource = "KubePriorityClass"
	// PodPriorityClass is the class in the object's pod template; reserved.
	PodPriorityClass PriorityClassSource = "PodPriorityClass"
	// FederatedPriorityClass is a class of the control plane's own; reserved.
	FederatedPriorityClass PriorityClassSource = "FederatedPriorityClass"
)
