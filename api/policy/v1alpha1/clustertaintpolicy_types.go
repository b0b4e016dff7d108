// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,shortName=ctp,categories={karmada-io}
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// ClusterTaintPolicy taints clusters whose conditions match. When the
// policy is deleted its taints stay.
type ClusterTaintPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is wanted.
	Spec ClusterTaintPolicySpec `json:"spec"`
}

// +kubebuilder:object:root=true

// ClusterTaintPolicyList is a list of ClusterTaintPolicies.
type ClusterTaintPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterTaintPolicy `json:"items"`
}

// ClusterTaintPolicySpec specifies which taints, where and when.
type ClusterTaintPolicySpec struct {
	// TargetClusters chooses the clusters; nil means all.
	// +optional
	TargetClusters *ClusterAffinity `json:"targetClusters,omitempty"`

	// AddOnConditions must all hold for the taints to be added. Empty means that
	// they are never added.
	// +optional
	AddOnConditions []MatchCondition `json:"addOnConditions,omitempty"`

	// RemoveOnConditions must all hold for the taints to be removed. Empty means
	// that they are never removed.
	// +optional
	RemoveOnConditions []MatchCondition `json:"removeOnConditions,omitempty"`

	// Taints are the taints to add and remove. Each pair of key and effect
	// stands once.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, b.key == a.key && b.effect == a.effect))",message="two taints have the same key and effect; remove one"
	Taints []Taint `json:"taints"`
}

// MatchCondition is a test of one condition of a cluster. It does not hold, for
// either operator, when the cluster has no such condition.
type MatchCondition struct {
	// ConditionType is the type of the condition, for example Ready.
	// +required
	// +kubebuilder:validation:MinLength=1
	ConditionType string `json:"conditionType"`

	// Operator is In or NotIn.
	// +required
	// +kubebuilder:validation:Enum=In;NotIn
	Operator MatchConditionOperator `json:"operator"`

	// StatusValues are the statuses that the condition's is compared with.
	// +required
	// +kubebuilder:validation:MinItems=1
	StatusValues []metav1.ConditionStatus `json:"statusValues"`
}

// MatchConditionOperator is how a status is compared with a set.
type MatchConditionOperator string

const (
	// MatchConditionOpIn holds when the status is in the set.
	MatchConditionOpIn MatchConditionOperator = "In"
	// MatchConditionOpNotIn holds when the status is not in the set.
	MatchConditionOpNotIn MatchConditionOperator = "NotIn"
)

// Taint is a taint to put on a cluster.
type Taint struct {
	// Key is the taint's key.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",message="must be a label key: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends, and before that, if wanted, a domain and a slash, such as example.com/name"
	Key string `json:"key"`

	// Effect is NoSchedule, PreferNoSchedule or NoExecute.
	// +required
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	Effect corev1.TaintEffect `json:"effect"`

	// Value is the taint's value; it may be empty.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')",message="must be a label value: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends"
	Value string `json:"value,omitempty"`
}
