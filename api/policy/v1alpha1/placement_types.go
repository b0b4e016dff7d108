// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Placement specifies which clusters get an object and how many replicas each.
//
// +kubebuilder:validation:XValidation:rule="!has(self.clusterAffinity) || !has(self.clusterAffinities) || self.clusterAffinities.size() == 0",fieldPath=".clusterAffinities",message="clusterAffinity and clusterAffinities exclude each other; keep one"
// +kubebuilder:validation:XValidation:rule="!has(self.clusterAffinities) || !self.clusterAffinities.exists(a, has(a.overflowAffinities) && a.overflowAffinities.size() > 0) || (has(self.replicaScheduling) && self.replicaScheduling.replicaSchedulingType == 'Divided' && ((has(self.replicaScheduling.replicaDivisionPreference) && self.replicaScheduling.replicaDivisionPreference == 'Aggregated') || (has(self.replicaScheduling.weightPreference) && has(self.replicaScheduling.weightPreference.dynamicWeight))))",fieldPath=".clusterAffinities",reason="FieldValueForbidden",message="only divided replicas that fill clusters by their room can overflow; set replicaScheduling to Divided with Aggregated, or with Weighted and dynamicWeight"
type Placement struct {
	// ClusterAffinity limits the clusters. Nil means all. It excludes
	// clusterAffinities.
	// +optional
	ClusterAffinity *ClusterAffinity `json:"clusterAffinity,omitempty"`

	// ClusterAffinities are groups of clusters, tried in this order until one
	// fits. They exclude clusterAffinity.
	// +optional
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, b.affinityName == a.affinityName))",message="two groups have one affinityName, which is what is reported when a group is in use; rename one"
	ClusterAffinities []ClusterAffinityTerm `json:"clusterAffinities,omitempty"`

	// ClusterTolerations are the cluster taints that the object tolerates. The
	// operators Lt and Gt are not for clusters.
	// +optional
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:XValidation:rule="!has(self.operator) || self.operator in ['', 'Equal', 'Exists']",fieldPath=".operator",message="taints of clusters are tolerated by Equal and Exists; use one of them"
	// +kubebuilder:validation:items:XValidation:rule="(has(self.key) && self.key != '') || (has(self.operator) && self.operator == 'Exists')",fieldPath=".operator",message="a toleration without key is for every taint: set the operator to Exists, or give the key"
	// +kubebuilder:validation:items:XValidation:rule="!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value == ''",fieldPath=".value",message="the operator Exists takes any value; remove the value, or use Equal"
	// +kubebuilder:validation:items:XValidation:rule="!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",fieldPath=".tolerationSeconds",reason="FieldValueForbidden",message="only a taint with the effect NoExecute is tolerated for a time; set effect to NoExecute, or remove tolerationSeconds"
	// +kubebuilder:validation:items:XValidation:rule="!has(self.effect) || self.effect in ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']",fieldPath=".effect",message="the effects are NoSchedule, PreferNoSchedule and NoExecute; use one of them"
	ClusterTolerations []corev1.Toleration `json:"clusterTolerations,omitempty"`

	// SpreadConstraints specify over how many clusters, zones, regions or providers
	// the object spreads. Empty means no constraint.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(c, !has(c.spreadByField) || self.exists_one(d, has(d.spreadByField) && d.spreadByField == c.spreadByField))",message="each field makes groups once; join the constraints that have the same spreadByField"
	// +kubebuilder:validation:XValidation:rule="!self.exists(c, has(c.spreadByField) && c.spreadByField != 'cluster') || self.exists(c, (has(c.spreadByField) && c.spreadByField == 'cluster') || (!has(c.spreadByField) && !has(c.spreadByLabel)))",reason="FieldValueRequired",message="spreading by region, zone or provider also needs a constraint with spreadByField: cluster, which limits the clusters inside; add one"
	SpreadConstraints []SpreadConstraint `json:"spreadConstraints,omitempty"`

	// ReplicaScheduling specifies how replicas are shared out. Nil means Duplicated:
	// each cluster gets them all.
	// +optional
	ReplicaScheduling *ReplicaSchedulingStrategy `json:"replicaScheduling,omitempty"`

	// WorkloadAffinity puts objects that belong together on the same clusters,
	// or keeps them apart. Nil means neither.
	// +optional
	WorkloadAffinity *WorkloadAffinity `json:"workloadAffinity,omitempty"`
}

// ClusterAffinity chooses clusters. A cluster matches when it is not excluded
// and satisfies every part that is given; a part that is not given matches all.
type ClusterAffinity struct {
	// LabelSelector chooses by the labels of the Cluster object.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`

	// FieldSelector chooses by provider, region and zone.
	// +optional
	FieldSelector *FieldSelector `json:"fieldSelector,omitempty"`

	// ClusterNames chooses by name; empty means all names.
	// +optional
	ClusterNames []string `json:"clusterNames,omitempty"`

	// ExcludeClusters are names that never match, whatever the other fields match.
	// +optional
	ExcludeClusters []string `json:"exclude,omitempty"`
}

// FieldSelector chooses clusters by fields of their spec.
type FieldSelector struct {
	// MatchExpressions must all hold. The keys are provider, region and zone,
	// the operators In and NotIn. For zone, In holds when the cluster has at
	// least one of the values, NotIn when it has none.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:XValidation:rule="self.key in ['provider', 'region', 'zone']",fieldPath=".key",message="clusters are chosen by the fields provider, region and zone; use one of them"
	// +kubebuilder:validation:items:XValidation:rule="self.operator in ['In', 'NotIn']",fieldPath=".operator",message="fields of clusters are compared by In and NotIn; use one of them"
	// +kubebuilder:validation:items:XValidation:rule="has(self.values) && self.values.size() > 0",fieldPath=".values",reason="FieldValueRequired",message="give at least one value to compare with"
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// ClusterAffinityTerm is one named group of clusters.
type ClusterAffinityTerm struct {
	// AffinityName is the name of the group, unique within the placement, the
	// names of overflow groups included.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",message="must be a label key: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends, and before that, if wanted, a domain and a slash, such as example.com/name"
	AffinityName string `json:"affinityName"`

	ClusterAffinity `json:",inline"`

	// OverflowAffinities are further groups that are filled, in this order, when
	// the clusters above have no room for all replicas; they are emptied first.
	// Only for divided replicas that are aggregated or weighted dynamically.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	OverflowAffinities []OverflowClusterAffinity `json:"overflowAffinities,omitempty"`
}

// OverflowClusterAffinity is a group of clusters that takes what the group
// before it cannot hold.
//
// +kubebuilder:validation:XValidation:rule="has(self.labelSelector) || has(self.fieldSelector) || (has(self.clusterNames) && self.clusterNames.size() > 0) || (has(self.exclude) && self.exclude.size() > 0)",reason="FieldValueRequired",message="an overflow group must choose clusters: give clusterNames, labelSelector, fieldSelector or exclude"
type OverflowClusterAffinity struct {
	// AffinityName is the name of the group, unique within the placement.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",message="must be a label key: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends, and before that, if wanted, a domain and a slash, such as example.com/name"
	AffinityName string `json:"affinityName"`

	// ClusterAffinity must choose by at least one of its parts.
	ClusterAffinity `json:",inline"`
}

// SpreadFieldValue is a field of clusters by which they form groups.
type SpreadFieldValue string

const (
	// SpreadByFieldCluster makes each cluster a group.
	SpreadByFieldCluster SpreadFieldValue = "cluster"
	// SpreadByFieldRegion groups clusters by region.
	SpreadByFieldRegion SpreadFieldValue = "region"
	// SpreadByFieldZone groups clusters by zone.
	SpreadByFieldZone SpreadFieldValue = "zone"
	// SpreadByFieldProvider groups clusters by provider.
	SpreadByFieldProvider SpreadFieldValue = "provider"
)

// SpreadConstraint specifies how many groups of clusters an object is spread over.
//
// +kubebuilder:validation:XValidation:rule="!has(self.spreadByField) || !has(self.spreadByLabel)",fieldPath=".spreadByLabel",reason="FieldValueForbidden",message="spreadByField and spreadByLabel exclude each other; keep one"
// +kubebuilder:validation:XValidation:rule="!has(self.maxGroups) || self.maxGroups == 0 || !has(self.minGroups) || self.minGroups <= self.maxGroups",fieldPath=".maxGroups",message="must not be less than minGroups; raise maxGroups, or lower minGroups"
type SpreadConstraint struct {
	// SpreadByField is the field that makes the groups; cluster when this and
	// spreadByLabel are both empty. It excludes spreadByLabel.
	// +optional
	// +kubebuilder:validation:Enum=cluster;region;zone;provider
	SpreadByField SpreadFieldValue `json:"spreadByField,omitempty"`

	// SpreadByLabel is the label key whose values make the groups.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",message="must be a label key: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends, and before that, if wanted, a domain and a slash, such as example.com/name"
	SpreadByLabel string `json:"spreadByLabel,omitempty"`

	// MaxGroups is the largest number of groups; 0 means no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxGroups int `json:"maxGroups,omitempty"`

	// MinGroups is the smallest number of groups; 0 means 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MinGroups int `json:"minGroups,omitempty"`
}

// ReplicaSchedulingType is whether clusters share replicas.
type ReplicaSchedulingType string

const (
	// ReplicaSchedulingTypeDuplicated returns every cluster all replicas.
	ReplicaSchedulingTypeDuplicated ReplicaSchedulingType = "Duplicated"
	// ReplicaSchedulingTypeDivided shares the replicas out among the clusters.
	ReplicaSchedulingTypeDivided ReplicaSchedulingType = "Divided"
)

// ReplicaDivisionPreference is how replicas are divided.
type ReplicaDivisionPreference string

const (
	// ReplicaDivisionPreferenceAggregated uses as few clusters as have room.
	ReplicaDivisionPreferenceAggregated ReplicaDivisionPreference = "Aggregated"
	// ReplicaDivisionPreferenceWeighted divides by weights.
	ReplicaDivisionPreferenceWeighted ReplicaDivisionPreference = "Weighted"
)

// ReplicaSchedulingStrategy specifies how replicas are shared out.
type ReplicaSchedulingStrategy struct {
	// ReplicaSchedulingType specifies whether clusters share the replicas. Default
	// Divided.
	// +optional
	// +kubebuilder:validation:Enum=Duplicated;Divided
	// +kubebuilder:default=Divided
	ReplicaSchedulingType ReplicaSchedulingType `json:"replicaSchedulingType,omitempty"`

	// ReplicaDivisionPreference specifies how they are divided; only for Divided,
	// where empty means Weighted.
	// +optional
	// +kubebuilder:validation:Enum=Aggregated;Weighted
	ReplicaDivisionPreference ReplicaDivisionPreference `json:"replicaDivisionPreference,omitempty"`

	// WeightPreference returns the weights; only for Weighted, where nil means the
	// same weight for all clusters.
	// +optional
	WeightPreference *ClusterPreferences `json:"weightPreference,omitempty"`
}

// ClusterPreferences returns weights to clusters.
type ClusterPreferences struct {
	// StaticWeightList returns fixed weights. It is ignored when dynamicWeight is
	// set.
	// +optional
	// +kubebuilder:validation:MaxItems=1000
	StaticWeightList []StaticClusterWeight `json:"staticWeightList,omitempty"`

	// DynamicWeight is the measure that determines the weights when scheduling.
	// +optional
	// +kubebuilder:validation:Enum=AvailableReplicas
	DynamicWeight DynamicWeightFactor `json:"dynamicWeight,omitempty"`
}

// StaticClusterWeight returns one weight to some clusters.
type StaticClusterWeight struct {
	// TargetCluster chooses the clusters. A cluster that several items choose
	// has the largest of their weights.
	// +required
	TargetCluster ClusterAffinity `json:"targetCluster"`

	// Weight is the share relative to the other clusters' weights.
	// +required
	// +kubebuilder:validation:Minimum=1
	Weight int64 `json:"weight"`
}

// DynamicWeightFactor is a measure of clusters that serves as weight.
type DynamicWeightFactor string

// DynamicWeightByAvailableReplicas weighs a cluster by how many replicas still
// fit on it.
const DynamicWeightByAvailableReplicas DynamicWeightFactor = "AvailableReplicas"

// WorkloadAffinity ties the clusters of one object to those of others.
//
// +kubebuilder:validation:XValidation:rule="!has(self.affinity) || !has(self.antiAffinity) || self.affinity.groupByLabelKey != self.antiAffinity.groupByLabelKey",fieldPath=".antiAffinity.groupByLabelKey",message="one group cannot be kept together and apart; use another label than affinity does"
type WorkloadAffinity struct {
	// Affinity places the object where others of its group are.
	// +optional
	Affinity *WorkloadAffinityTerm `json:"affinity,omitempty"`

	// AntiAffinity places the object where no others of its group are.
	// +optional
	AntiAffinity *WorkloadAntiAffinityTerm `json:"antiAffinity,omitempty"`
}

// WorkloadAffinityTerm names the label that makes a group.
type WorkloadAffinityTerm struct {
	// GroupByLabelKey is a label key of the object; objects of the namespace
	// with the same value form a group. An object without it is in none.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",message="must be a label key: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends, and before that, if wanted, a domain and a slash, such as example.com/name"
	GroupByLabelKey string `json:"groupByLabelKey"`
}

// WorkloadAntiAffinityTerm names the label that makes a group.
type WorkloadAntiAffinityTerm struct {
	// GroupByLabelKey is a label key of the object; objects of the namespace
	// with the same value form a group. An object without it is in none.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')",message="must be a label key: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends, and before that, if wanted, a domain and a slash, such as example.com/name"
	GroupByLabelKey string `json:"groupByLabelKey"`
}
