// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Condition types of bindings.
const (
	// Scheduled reports whether the last scheduling placed the object.
	Scheduled = "Scheduled"
	// FullyApplied reports whether the object is applied on every cluster that it
	// should be on.
	FullyApplied = "FullyApplied"
)

// Reasons of the condition Scheduled.
const (
	// BindingReasonSuccess means that the object is placed.
	BindingReasonSuccess = "Success"
	// BindingReasonSchedulerError means that the scheduler could not finish.
	BindingReasonSchedulerError = "SchedulerError"
	// BindingReasonNoClusterFit means that no cluster passes the filters.
	BindingReasonNoClusterFit = "NoClusterFit"
	// BindingReasonUnschedulable means that clusters pass but have no room.
	BindingReasonUnschedulable = "Unschedulable"
	// BindingReasonQuotaExceeded means that a FederatedResourceQuota refused the
	// placement.
	BindingReasonQuotaExceeded = "QuotaExceeded"
)

// Reasons of the condition FullyApplied.
const (
	// FullyAppliedSuccessReason goes with the status True.
	FullyAppliedSuccessReason = "FullyAppliedSuccess"
	// FullyAppliedFailedReason goes with the status False.
	FullyAppliedFailedReason = "FullyAppliedFailed"
)

// ResourceBindingStatus is shared by ResourceBinding and
// ClusterResourceBinding.
type ResourceBindingStatus struct {
	// SchedulerObservedGeneration is the metadata.generation that the scheduler
	// has finished with, whether it had to place anything or not.
	// +optional
	SchedulerObservedGeneration int64 `json:"schedulerObservedGeneration,omitempty"`

	// SchedulerObservedAffinityName is the group of placement.clusterAffinities
	// that is in use; empty when there are none. The published JSON name says
	// "Observing".
	// +optional
	SchedulerObservedAffinityName string `json:"schedulerObservingAffinityName,omitempty"`

	// LastScheduledTime is when the scheduler last placed the object. Nil means
	// never.
	// +optional
	LastScheduledTime *metav1.Time `json:"lastScheduledTime,omitempty"`

	// Conditions are Scheduled and FullyApplied.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// AggregatedStatus has one item for each cluster with a Work, sorted by
	// cluster name.
	// +optional
	AggregatedStatus []AggregatedStatusItem `json:"aggregatedStatus,omitempty"`
}

// AggregatedStatusItem is how the object fares on one cluster.
type AggregatedStatusItem struct {
	// ClusterName is the name of the cluster.
	// +required
	ClusterName string `json:"clusterName"`

	// Status is what InterpretStatus kept of the object's status there: a JSON
	// object. Nil when nothing is known yet.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Status *runtime.RawExtension `json:"status,omitempty"`

	// Applied reports whether the object was written to the cluster.
	// +optional
	Applied bool `json:"applied,omitempty"`

	// AppliedMessage reports why it was not.
	// +optional
	AppliedMessage string `json:"appliedMessage,omitempty"`

	// Health is InterpretHealth's answer. Empty means Unknown.
	// +optional
	// +kubebuilder:validation:Enum=Healthy;Unhealthy;Unknown
	Health ResourceHealth `json:"health,omitempty"`
}

// ResourceHealth is the health of an object on one cluster.
type ResourceHealth string

const (
	// ResourceHealthy means that the object works.
	ResourceHealthy ResourceHealth = "Healthy"
	// ResourceUnhealthy means that it does not.
	ResourceUnhealthy ResourceHealth = "Unhealthy"
	// ResourceUnknown means that nobody can say: it is not applied yet, not seen
	// yet, or the rule failed.
	ResourceUnknown ResourceHealth = "Unknown"
)
