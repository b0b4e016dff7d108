// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionReady is a condition of PlacementRules and of ScriptBundles. It is True where all others
// are, and else has the status, the reason and the message of the first that is not.
const ConditionReady = "Ready"

// The conditions of a PlacementRule.
const (
	// ConditionActive reports whether the expressions of status.observedGeneration are those
	// that decide. When it is False the message is the reason, with field and line, and what
	// decided before still does.
	ConditionActive = "Active"
	// ConditionEvaluated is False once an expression of this generation failed, with the first
	// failure as message. It is absent while none has.
	ConditionEvaluated = "Evaluated"
)

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,shortName=plr,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Active",type=string,JSONPath=`.status.conditions[?(@.type=="Active")].status`
// +kubebuilder:printcolumn:name="Evaluated",type=string,JSONPath=`.status.conditions[?(@.type=="Evaluated")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// PlacementRule has expressions that decide, for each binding and each cluster, whether the
// cluster may get the workload, and how well it suits. All rules that select a workload
// count: a cluster must pass each of them, and its scores are added up.
type PlacementRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is which workloads the rule is for, and its expressions.
	// +required
	Spec PlacementRuleSpec `json:"spec"`

	// Status is what became of them.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status PlacementRuleStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// PlacementRuleList is a list of PlacementRules.
type PlacementRuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []PlacementRule `json:"items"`
}

// PlacementRuleSpec is which workloads a rule is for, and its expressions.
//
// +kubebuilder:validation:XValidation:rule="has(self.clusterFilter) || has(self.clusterScore)",message="give a clusterFilter, a clusterScore, or both"
type PlacementRuleSpec struct {
	// Kinds are the kinds of the workloads that the rule is for; all if there are none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Kinds []WorkloadKind `json:"kinds,omitempty"`

	// Namespaces are those of the workloads that the rule is for; if there are none, it is for
	// those of all namespaces, and for those without one.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=63
	Namespaces []string `json:"namespaces,omitempty"`

	// ClusterFilter is an expression in CEL: whether a cluster may get the workload. It is true,
	// or "", if it may; false, or a text with the reason, if it may not. A cluster that has the
	// workload keeps it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	ClusterFilter string `json:"clusterFilter,omitempty"`

	// ClusterScore is an expression in CEL: an integer from -1000000 to 1000000, more for a cluster
	// that suits better. Clusters with a higher score are chosen first, before those with more
	// room; clusters that have the workload go before all others.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	ClusterScore string `json:"clusterScore,omitempty"`

	// Weight is what the score is multiplied by before those of several rules are added up.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Weight int32 `json:"weight,omitempty"`

	// Params are what the expressions find in params.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Params map[string]string `json:"params,omitempty"`
}

// WorkloadKind is a kind of workloads.
type WorkloadKind struct {
	// APIVersion is the group and version, for example apps/v1.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	APIVersion string `json:"apiVersion"`

	// Kind is the kind, for example Deployment.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
}

// PlacementRuleStatus is what became of the expressions of a rule.
type PlacementRuleStatus struct {
	// ObservedGeneration is the generation that the conditions are about; -1 before there are any.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions are Active, Ready, which is the same, and Evaluated once an expression failed.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
