// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// FailoverBehavior specifies how objects move away from what failed.
type FailoverBehavior struct {
	// Application is about objects that are unhealthy on a cluster that is
	// healthy itself. Nil means that they stay.
	// +optional
	Application *ApplicationFailoverBehavior `json:"application,omitempty"`

	// Cluster is about clusters with a NoExecute taint that the placement does
	// not tolerate. Nil means the purge mode of the control plane's flags and no
	// preserved state.
	// +optional
	Cluster *ClusterFailoverBehavior `json:"cluster,omitempty"`
}

// ApplicationFailoverBehavior specifies when and how an unhealthy application moves.
//
// +kubebuilder:validation:XValidation:rule="!has(self.gracePeriodSeconds) || self.purgeMode in ['Gracefully', 'Graciously']",fieldPath=".gracePeriodSeconds",message="gracePeriodSeconds is only for the purgeMode Gracefully; remove one of them"
type ApplicationFailoverBehavior struct {
	// DecisionConditions must all hold before the application moves.
	// +required
	DecisionConditions DecisionConditions `json:"decisionConditions"`

	// PurgeMode specifies what becomes of the old copy. Default Gracefully.
	// +optional
	// +kubebuilder:validation:Enum=Directly;Gracefully;Never;Immediately;Graciously
	// +kubebuilder:default=Gracefully
	PurgeMode PurgeMode `json:"purgeMode,omitempty"`

	// GracePeriodSeconds is the time in seconds that the old copy stays at most
	// while the new one is not yet healthy. Only for the purge mode Gracefully,
	// where nil means 600; it must be above 0.
	// +optional
	// +kubebuilder:validation:Minimum=1
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`

	// StatePreservation specifies which parts of the status move along. Nil leaves it
	// to the interpreter's InterpretState rule for the kind, if there is one.
	// +optional
	StatePreservation *StatePreservation `json:"statePreservation,omitempty"`
}

// DecisionConditions must all hold before an application moves.
type DecisionConditions struct {
	// TolerationSeconds is the time in seconds that an application must have
	// been unhealthy without a break. Nil means 300; 0 moves it at once.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:default=300
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
}

// ClusterFailoverBehavior specifies how objects leave a failed cluster.
type ClusterFailoverBehavior struct {
	// PurgeMode specifies what becomes of the old copy. Default Gracefully. Never is
	// not for clusters.
	// +optional
	// +kubebuilder:validation:Enum=Directly;Gracefully;Immediately;Graciously
	// +kubebuilder:default=Gracefully
	PurgeMode PurgeMode `json:"purgeMode,omitempty"`

	// StatePreservation specifies which parts of the status move along. Nil leaves it
	// to the interpreter's InterpretState rule for the kind, if there is one.
	// +optional
	StatePreservation *StatePreservation `json:"statePreservation,omitempty"`
}

// StatePreservation is a set of rules, each carrying one piece of state.
type StatePreservation struct {
	// Rules carry one piece of state each.
	// +required
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, b.aliasLabelName == a.aliasLabelName))",message="two rules write the same label; rename one aliasLabelName"
	Rules []StatePreservationRule `json:"rules"`
}

// StatePreservationRule reads one value from the status on the old cluster and
// sets it as a label on the object for the new one.
type StatePreservationRule struct {
	// AliasLabelName is the key of that label.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",message="must be a label key: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends, and before that, if wanted, a domain and a slash, such as example.com/name"
	AliasLabelName string `json:"aliasLabelName"`

	// JSONPath finds the value. Its root is the reflected status of the object,
	// not the object: "{ .jobStatus.jobID }" reads status.jobStatus.jobID.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:validation:XValidation:rule="self.lastIndexOf('{') <= self.lastIndexOf('}')",message="a brace is not closed; write the path of a field of the status in braces, such as { .jobStatus.jobId }"
	JSONPath string `json:"jsonPath"`
}

// PurgeMode is what becomes of the copy on the cluster that an object
// leaves. Two generations of names are in use; compare only what Canonical
// returns.
type PurgeMode string

const (
	// PurgeModeDirectly removes the old copy first and makes the new one only
	// when the old one is gone.
	PurgeModeDirectly PurgeMode = "Directly"
	// PurgeModeGracefully keeps the old copy until the new one is healthy or the
	// grace period is over.
	PurgeModeGracefully PurgeMode = "Gracefully"
	// PurgeModeNever keeps the old copy until a person confirms its deletion.
	PurgeModeNever PurgeMode = "Never"

	// Immediately is the old name of PurgeModeDirectly.
	// It is still read, never written.
	Immediately PurgeMode = "Immediately"
	// Graciously is the old name of PurgeModeGracefully.
	// It is still read, never written.
	Graciously PurgeMode = "Graciously"
)

// Canonical returns today's name of the mode: Directly for Immediately,
// Gracefully for Graciously. Every other value, the empty one too, comes back
// unchanged.
func (m PurgeMode) Canonical() PurgeMode {
	switch m {
	case Immediately:
		return PurgeModeDirectly
	case Graciously:
		return PurgeModeGracefully
	default:
		return m
	}
}
