// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Reasons and producers of graceful eviction tasks.
const (
	// EvictionReasonTaintUntolerated means that the cluster has a NoExecute
	// taint that the placement does not tolerate, or no longer.
	EvictionReasonTaintUntolerated = "TaintUntolerated"
	// EvictionReasonApplicationFailure means that the application was unhealthy
	// on the cluster for longer than the policy tolerates.
	EvictionReasonApplicationFailure = "ApplicationFailure"
	// EvictionReasonPreempted means that a binding of higher priority takes the
	// room that the copy has on the cluster.
	EvictionReasonPreempted = "Preempted"
	// EvictionReasonUnmatched means that the cluster does not match the placement any more, and no
	// other one does. It is not in the published API.
	EvictionReasonUnmatched = "Unmatched"

	// EvictionProducerTaintManager writes the tasks of failed clusters.
	EvictionProducerTaintManager = "TaintManager"
	// EvictionProducerApplicationFailover writes the tasks of failed
	// applications that have a ResourceBinding.
	EvictionProducerApplicationFailover = "resource-binding-application-failover-controller"
	// EvictionProducerClusterApplicationFailover is its twin for a
	// ClusterResourceBinding.
	EvictionProducerClusterApplicationFailover = "cluster-resource-binding-application-failover-controller"
	// EvictionProducerScheduler writes the tasks of what makes room for a
	// binding of higher priority.
	EvictionProducerScheduler = "scheduler"
)

// GracefulEvictionTask is one copy of the object that is leaving one cluster.
//
// +kubebuilder:validation:XValidation:rule="!has(self.gracePeriodSeconds) || !has(self.suppressDeletion)",fieldPath=".suppressDeletion",reason="FieldValueForbidden",message="gracePeriodSeconds and suppressDeletion exclude each other; keep one"
type GracefulEvictionTask struct {
	// FromCluster is the name of the cluster that the copy leaves.
	// +required
	FromCluster string `json:"fromCluster"`

	// PurgeMode specifies what becomes of the copy. Empty, which old tasks have, is not
	// Directly: the fields below specify how long the copy stays.
	// +optional
	// +kubebuilder:validation:Enum=Directly;Gracefully;Never;Immediately;Graciously
	PurgeMode policyv1alpha1.PurgeMode `json:"purgeMode,omitempty"`

	// Replicas is how many replicas the copy had. Nil when it had none.
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`

	// Reason is one word for why the copy leaves.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// Message is the reason as a sentence, for people.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// Producer is the controller that wrote the task.
	// +required
	Producer string `json:"producer"`

	// GracePeriodSeconds is how long in seconds the copy stays at most, counted
	// from creationTimestamp. Nil means the control plane's own timeout. It
	// excludes suppressDeletion.
	// +optional
	// +kubebuilder:validation:Minimum=1
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`

	// SuppressDeletion keeps the copy for as long as it is true. False confirms
	// the deletion. Nil leaves it to the grace period.
	// +optional
	SuppressDeletion *bool `json:"suppressDeletion,omitempty"`

	// PreservedLabelState is what the policy's state preservation rules read
	// from the copy: label key to value. It becomes labels of the object on the
	// next cluster.
	// +optional
	PreservedLabelState map[string]string `json:"preservedLabelState,omitempty"`

	// PreservedState is what InterpretState returned for the copy. It is passed to
	// RestoreState for the next cluster and never becomes labels; a value is any
	// string of at most 4096 characters. This field is Dragoman's own.
	// +optional
	PreservedState map[string]string `json:"preservedState,omitempty"`

	// CreationTimestamp is since when the time of the task runs; the producer
	// leaves it empty. The eviction controller sets it when it first sees the task
	// with a place for the object to go to, for Directly once the new copies are
	// applied.
	// +optional
	CreationTimestamp *metav1.Time `json:"creationTimestamp,omitempty"`

	// ClustersBeforeFailover are the clusters that the object was on before this
	// failover. State goes only to a cluster that is not among them. Empty when no
	// state is preserved, unless the object leaves because of a taint.
	// +optional
	ClustersBeforeFailover []string `json:"clustersBeforeFailover,omitempty"`
}

// PreservedStateMaxLength is the largest length of a value in
// GracefulEvictionTask.PreservedState, in characters.
const PreservedStateMaxLength = 4096
