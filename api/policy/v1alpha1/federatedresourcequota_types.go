// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:shortName=frq,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Overall",type=string,JSONPath=`.status.overall`
// +kubebuilder:printcolumn:name="Overall-Used",type=string,JSONPath=`.status.overallUsed`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="metadata.name becomes the value of a label, which has at most 63 characters; use a shorter one"

// FederatedResourceQuota limits what the workloads of its namespace request on
// all clusters together.
type FederatedResourceQuota struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the limit that is wanted.
	Spec FederatedResourceQuotaSpec `json:"spec"`

	// Status is what is in force and in use.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status FederatedResourceQuotaStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// FederatedResourceQuotaList is a list of FederatedResourceQuotas.
type FederatedResourceQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []FederatedResourceQuota `json:"items"`
}

// FederatedResourceQuotaSpec is the limit that is wanted.
type FederatedResourceQuotaSpec struct {
	// Overall is the hard limit for each resource, over all clusters. A resource
	// that is not named is not limited.
	// +required
	Overall corev1.ResourceList `json:"overall"`

	// StaticAssignments put part of the limit on named clusters, each as a
	// ResourceQuota of this object's name there. Their sum does not exceed
	// overall.
	// +optional
	// +kubebuilder:validation:MaxItems=1000
	StaticAssignments []StaticClusterAssignment `json:"staticAssignments,omitempty"`
}

// StaticClusterAssignment is the part of one cluster.
type StaticClusterAssignment struct {
	// ClusterName is the name of the cluster.
	// +required
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')",message="must be the name of a cluster: up to 63 lower-case letters, digits and dashes, with a letter or digit at both ends"
	ClusterName string `json:"clusterName"`

	// Hard is the limit on that cluster. It names only resources that overall
	// names.
	// +required
	Hard corev1.ResourceList `json:"hard"`
}

// FederatedResourceQuotaStatus is what is in force and in use.
type FederatedResourceQuotaStatus struct {
	// Overall is the limit in force.
	// +optional
	Overall corev1.ResourceList `json:"overall,omitempty"`

	// OverallUsed is what is in use, over all clusters.
	// +optional
	OverallUsed corev1.ResourceList `json:"overallUsed,omitempty"`

	// AggregatedStatus has one item for each cluster with a static assignment,
	// sorted by cluster name.
	// +optional
	AggregatedStatus []ClusterQuotaStatus `json:"aggregatedStatus,omitempty"`

	// ObservedGeneration is the metadata.generation that the status is about; -1 before there is
	// one. This field is Dragoman's own.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions has Ready: whether the limits are in force on all clusters with a static
	// assignment. This field is Dragoman's own.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Reasons of the condition Ready of FederatedResourceQuotas.
const (
	// InForceReason means that the limit is, on all clusters with a static assignment too.
	InForceReason = "InForce"
	// CountedOnlyReason means that the limit is not kept over all clusters, since the manager runs
	// without the feature gate FederatedQuotaEnforcement: what is used is counted alone.
	CountedOnlyReason = "CountedOnly"
	// NotAssignedReason means that some clusters do not have the ResourceQuota of their static
	// assignment.
	NotAssignedReason = "NotAssigned"
)

// ClusterQuotaStatus is the status of the ResourceQuota on one cluster.
type ClusterQuotaStatus struct {
	corev1.ResourceQuotaStatus `json:",inline"`

	// ClusterName is the name of the cluster.
	// +required
	ClusterName string `json:"clusterName"`
}
