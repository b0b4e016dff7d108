// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,shortName=wr,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Finished",type=date,JSONPath=`.status.finishTime`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// WorkloadRebalancer has workloads placed again, once, as if they were new: replicas are
// divided by what is free now, and affinity groups are tried from the first one on.
type WorkloadRebalancer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is which workloads.
	// +required
	Spec WorkloadRebalancerSpec `json:"spec"`

	// Status is what became of each.
	// +optional
	Status WorkloadRebalancerStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// WorkloadRebalancerList is a list of WorkloadRebalancers.
type WorkloadRebalancerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []WorkloadRebalancer `json:"items"`
}

// WorkloadRebalancerSpec specifies which workloads are placed again.
type WorkloadRebalancerSpec struct {
	// Workloads are the templates in the control plane. One that is named twice is placed
	// again once. When the list is changed later, its new entries are placed again, and the
	// failed ones are tried again.
	// +required
	// +kubebuilder:validation:MinItems=1
	Workloads []ObjectReference `json:"workloads"`

	// TTLSecondsAfterFinished is after how many seconds from status.finishTime on the object
	// is deleted. 0 is at once, nil is never.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// ObjectReference names a template in the control plane.
type ObjectReference struct {
	// APIVersion is the group and version, for example apps/v1. The version does not matter:
	// a template is the same one in each.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:Pattern=`^([^/]+/)?[^/]+$`
	APIVersion string `json:"apiVersion"`

	// Kind is the kind, for example Deployment.
	// +required
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`

	// Name is the name.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Namespace is empty for an object without namespace.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// WorkloadRebalancerStatus is what became of the workloads.
type WorkloadRebalancerStatus struct {
	// ObservedWorkloads has each workload of the list once, and what was rebalanced and is not in
	// the list any more, sorted by apiVersion, kind, namespace and name.
	// +optional
	ObservedWorkloads []ObservedWorkload `json:"observedWorkloads,omitempty"`

	// ObservedGeneration is the generation of the spec that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// FinishTime is when the last workload of the list got its result.
	// +optional
	FinishTime *metav1.Time `json:"finishTime,omitempty"`
}

// ObservedWorkload is the result of one workload.
type ObservedWorkload struct {
	// Workload is the template.
	// +required
	Workload ObjectReference `json:"workload"`

	// Result is Successful once the scheduler was asked, or Failed. Where the workload goes
	// then is in its binding.
	// +optional
	Result RebalanceResult `json:"result,omitempty"`

	// Reason is why it failed.
	// +optional
	Reason RebalanceFailedReason `json:"reason,omitempty"`
}

// RebalanceResult is whether the scheduler was asked to place a workload again.
type RebalanceResult string

const (
	// RebalanceSuccessful means that the scheduler was asked.
	RebalanceSuccessful RebalanceResult = "Successful"
	// RebalanceFailed means that it could not be asked.
	RebalanceFailed RebalanceResult = "Failed"
)

// RebalanceFailedReason is why the scheduler could not be asked.
type RebalanceFailedReason string

// RebalanceObjectNotFound means that the workload has no binding: it does not exist, or no
// policy selects it.
const RebalanceObjectNotFound RebalanceFailedReason = "ReferencedBindingNotFound"

// RebalanceNotScheduled means that the workload has a binding that is never scheduled: it
// goes where the workloads go that depend on it. The reason is Dragoman's own.
const RebalanceNotScheduled RebalanceFailedReason = "ReferencedBindingNotScheduled"
