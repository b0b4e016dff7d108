// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:shortName=op,categories={karmada-io}
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// OverridePolicy changes objects of its own namespace for some clusters.
type OverridePolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is wanted.
	Spec OverrideSpec `json:"spec"`
}

// +kubebuilder:object:root=true

// OverridePolicyList is a list of OverridePolicies.
type OverridePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []OverridePolicy `json:"items"`
}

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,shortName=cop,categories={karmada-io}
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// ClusterOverridePolicy changes objects of any namespace, and cluster-scoped
// ones, for some clusters. It is applied before the OverridePolicies, which can
// therefore change its result again.
type ClusterOverridePolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is wanted.
	Spec OverrideSpec `json:"spec"`
}

// +kubebuilder:object:root=true

// ClusterOverridePolicyList is a list of ClusterOverridePolicies.
type ClusterOverridePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterOverridePolicy `json:"items"`
}

// OverrideSpec is shared by OverridePolicy and ClusterOverridePolicy.
//
// +kubebuilder:validation:XValidation:rule="!has(self.overrideRules) || self.overrideRules.size() == 0 || !has(self.targetCluster)",fieldPath=".targetCluster",reason="FieldValueForbidden",message="overrideRules have taken its place; move it into a rule"
// +kubebuilder:validation:XValidation:rule="!has(self.overrideRules) || self.overrideRules.size() == 0 || !has(self.overriders) || !(has(self.overriders.plaintext) || has(self.overriders.imageOverrider) || has(self.overriders.commandOverrider) || has(self.overriders.argsOverrider) || has(self.overriders.labelsOverrider) || has(self.overriders.annotationsOverrider) || has(self.overriders.fieldOverrider))",fieldPath=".overriders",reason="FieldValueForbidden",message="overrideRules have taken its place; move them into a rule"
type OverrideSpec struct {
	// ResourceSelectors choose the objects. Empty means all objects, unlike in a
	// propagation policy.
	// +optional
	// +kubebuilder:validation:MaxItems=4096
	ResourceSelectors []ResourceSelector `json:"resourceSelectors,omitempty"`

	// OverrideRules are applied in this order, each that matches the cluster.
	// They exclude targetCluster and overriders below.
	// +optional
	// +kubebuilder:validation:MaxItems=512
	OverrideRules []RuleWithCluster `json:"overrideRules,omitempty"`

	// TargetCluster chooses the clusters for overriders; nil means all.
	// Deprecated: use overrideRules. It is honoured only when there are none.
	// +optional
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`

	// Overriders are what to change on them. Deprecated: use overrideRules. They
	// are honoured only when there are none.
	// +optional
	Overriders Overriders `json:"overriders,omitempty,omitzero"`
}

// RuleWithCluster is a set of changes for some clusters.
type RuleWithCluster struct {
	// TargetCluster chooses the clusters; nil means all.
	// +optional
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`

	// Overriders are what to change on them.
	// +required
	Overriders Overriders `json:"overriders"`
}
