// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Condition types of bindings.
const (
	// PriorityResolved is False while the PriorityClass that the policy names does not exist; a binding
	// without that problem does not have it.
	PriorityResolved = "PriorityResolved"

	// Scheduled reports whether the last scheduling placed the object.
	Scheduled = "Scheduled"
	// FullyApplied reports whether the object is applied on every cluster that it
	// should be on.
	FullyApplied = "FullyApplied"
	// Ready is True where the binding of this generation is scheduled and fully applied and
	// nothing failed, and else the condition that keeps it from that: False with its reason, or
	// Unknown where it is not decided yet. It reports nothing of the health of the copies. This
	// condition is Dragoman's own.
	Ready = "Ready"
	// Rendered is False where the Work of some cluster could not be rendered or written,
	// and absent where all could. The message has the reason of each cluster; the Work of
	// such a cluster stays as it was.
	Rendered = "Rendered"
	// DependenciesResolved is False where the script that names what the object depends on
	// failed, and absent otherwise. What was attached before stays.
	DependenciesResolved = "DependenciesResolved"
	// WithinQuota is False where a FederatedResourceQuota refuses what the template needs now,
	// with the reason QuotaExceeded, and absent otherwise. The copies stay as they were
	// admitted.
	WithinQuota = "WithinQuota"
	// FailedOver is False while the binding is being evicted from a cluster, and absent
	// otherwise. The message has what that waits for.
	FailedOver = "FailedOver"
)

// PendingReason is the reason of the condition Ready with the status Unknown.
const PendingReason = "Pending"

// Reasons of the condition FailedOver; where a new copy cannot be rendered it is that of the
// condition Rendered.
const (
	// NewCopyReason means that a new copy is not healthy yet.
	NewCopyReason = "NewCopyNotHealthy"
	// NewCopyFailedReason means that a cluster does not take its new copy.
	NewCopyFailedReason = "NewCopyNotApplied"
	// NoClusterReason means that no cluster is there for a new copy.
	NoClusterReason = "NoOtherCluster"
	// SchedulingSuspendedReason means that scheduling was suspended before there was a cluster for
	// a new copy.
	SchedulingSuspendedReason = "SchedulingSuspended"
	// NoPolicyReason means that the policy was gone before there was a cluster for a new copy.
	NoPolicyReason = "NoPolicy"
	// ConfirmationReason means that the new copies are healthy, and that a person has to
	// confirm that an old one may go.
	ConfirmationReason = "AwaitingConfirmation"
)

// StatePreserved is a condition type of bindings.
const (
	// StatePreserved is False where a failover would lose state that the policy or the
	// script of the kind names, and absent otherwise. The message has each rule with the
	// value and what to do.
	StatePreserved = "StatePreserved"
)

// Reasons of the condition StatePreserved. Where there are several it is that of the
// first.
const (
	// InvalidRuleReason means that the aliasLabelName of a rule cannot be the key of a
	// label, or that its jsonPath does not parse. The rule is left out.
	InvalidRuleReason = "InvalidRule"
	// InvalidLabelValueReason means that the value that a rule names cannot be a label. It
	// is not written.
	InvalidLabelValueReason = "InvalidLabelValue"
	// PathNotFoundReason means that the status of a healthy copy has no field at the path
	// of a rule.
	PathNotFoundReason = "PathNotFound"
	// InterpretStateFailedReason means that the script that names the state failed.
	InterpretStateFailedReason = "InterpretStateFailed"
	// StateTooLargeReason means that the state of a copy is larger than what is kept while
	// its status does not have it.
	StateTooLargeReason = "StateTooLarge"
)

// GetDependenciesFailedReason is the reason of the condition DependenciesResolved, and of
// the events about it.
const GetDependenciesFailedReason = "GetDependenciesFailed"

// Reasons of the condition Rendered. Where several clusters failed for several reasons it
// is that of the first.
const (
	// RenderFailedReason means that a script of the kind failed, or that the API server
	// refused the Work.
	RenderFailedReason = "RenderFailed"
	// OverrideFailedReason means that an override policy could not be applied.
	OverrideFailedReason = "OverrideFailed"
	// NamespaceUnavailableReason means that the execution namespace of a cluster is
	// missing or being deleted.
	NamespaceUnavailableReason = "NamespaceUnavailable"
	// NotAdmittedReason means that the template needs other replicas or resources than
	// the binding was admitted with, and has not been rendered for some time.
	NotAdmittedReason = "NotAdmitted"
	// OldCopyReason means that a cluster is evicted Directly, and that its copy is not
	// known to be gone, so that no other may be created.
	OldCopyReason = "OldCopyRemains"
	// TargetRefusedReason means that the clusters that were chosen for an object that is
	// evicted Directly would not take it, so that its copy stays where it is.
	TargetRefusedReason = "TargetRefused"
	// TargetNotTriedReason means that the cluster that was chosen for such an object could
	// not be asked whether it would take it.
	TargetNotTriedReason = "TargetNotTried"
	// InvalidReferenceReason means that the binding is not that of the object that it
	// refers to.
	InvalidReferenceReason = "InvalidReference"
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
	// FullyAppliedSuspendedReason goes with the status False where nothing is missing but
	// what is suspended.
	FullyAppliedSuspendedReason = "SuspendDispatching"
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

	// ObservedGeneration is the metadata.generation that the condition Ready is about. This
	// field is Dragoman's own.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions are Ready, Scheduled, FullyApplied and, after a failure, Rendered,
	// DependenciesResolved, WithinQuota and StatePreserved.
	// +optional
	// +listType=map
	// +listMapKey=type
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

	// State is the state that must survive a move from there, as InterpretState last
	// reported it; nil where there is none or the policy asks for no failover. This field
	// is Dragoman's own.
	// +optional
	State map[string]string `json:"state,omitempty"`

	// Copy names the copy that this is a report of: the uid of its Work, which another copy in
	// the same cluster does not have; empty where the policy asks for no state. This field is
	// Dragoman's own.
	// +optional
	Copy types.UID `json:"copy,omitempty"`

	// RestoredFrom is the RestoredFromAnnotation of that Work. This field is Dragoman's own.
	// +optional
	RestoredFrom string `json:"restoredFrom,omitempty"`

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

	// HealthReason is more of InterpretHealth's answer about an object that is not healthy.
	// Progressing: it is being changed, and serves; application failover waits as long as
	// there is progress. Pending: it waits for somebody, and has not failed; application
	// failover does not move it. Empty otherwise. This field is Dragoman's own.
	// +optional
	// +kubebuilder:validation:Enum=Progressing;Pending
	HealthReason HealthReason `json:"healthReason,omitempty"`

	// Finished reports whether InterpretFinished reported that the object has ended there, as
	// it was made from the template that its Work has: it uses nothing of a quota. This field
	// is Dragoman's own.
	// +optional
	Finished bool `json:"finished,omitempty"`
}

// HealthReason tells apart what is one health in the three words of the published kinds.
type HealthReason string

const (
	// HealthProgressing means that an object which is not healthy is being changed, and serves: a
	// rolling update. It has failed once it does not get on.
	HealthProgressing HealthReason = "Progressing"
	// HealthPending means that it waits for somebody: for an address or a volume, or for its
	// controller to see a change. However long that takes, it has not failed.
	HealthPending HealthReason = "Pending"
)

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
