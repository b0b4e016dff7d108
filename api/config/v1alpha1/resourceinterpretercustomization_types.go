// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionActive reports whether the customization's scripts, as of
// status.observedGeneration, are the ones that answer. When it is False the
// message is the reason, with operation and line, and what was active before stays
// so.
const ConditionActive = "Active"

// ConditionReady is the condition Active by the name that all kinds have for it.
const ConditionReady = "Ready"

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,shortName=ric,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Target-API-Version",type=string,JSONPath=`.spec.target.apiVersion`
// +kubebuilder:printcolumn:name="Target-Kind",type=string,JSONPath=`.spec.target.kind`
// +kubebuilder:printcolumn:name="Active",type=string,JSONPath=`.status.conditions[?(@.type=="Active")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// ResourceInterpreterCustomization holds scripts for one kind. They go before
// interpreter webhooks and bundles, operation by operation.
type ResourceInterpreterCustomization struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the kind and the scripts.
	// +required
	Spec ResourceInterpreterCustomizationSpec `json:"spec"`

	// Status is what became of them.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status ResourceInterpreterCustomizationStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// ResourceInterpreterCustomizationList is a list of
// ResourceInterpreterCustomizations.
type ResourceInterpreterCustomizationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourceInterpreterCustomization `json:"items"`
}

// ResourceInterpreterCustomizationSpec is a kind and its scripts.
type ResourceInterpreterCustomizationSpec struct {
	// Target is the kind that the scripts are about.
	// +required
	Target CustomizationTarget `json:"target"`

	// Customizations are the scripts.
	// +required
	Customizations CustomizationRules `json:"customizations"`
}

// CustomizationTarget names one kind, exactly: there are no wildcards.
type CustomizationTarget struct {
	// APIVersion is the group and version, for example apps/v1.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([^/]+/)?[^/]+$')",message="must be a group and a version, such as apps/v1, or v1 for the core group"
	APIVersion string `json:"apiVersion"`

	// Kind is the kind, for example Deployment.
	// +required
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
}

// CustomizationRules has one script for each operation. Nil means that the next
// source answers.
type CustomizationRules struct {
	// Retention answers Retain: which of the member's own values stay when the
	// control plane's object is written. Lua: Retain(desired, observed) returns
	// the object to write. CEL: a merge patch, or a list of paths to keep.
	// +optional
	Retention *Script `json:"retention,omitempty"`

	// ReplicaResource answers InterpretReplica: how many replicas, and what one
	// needs. Lua: GetReplicas(obj) returns both. CEL: {replicas, requirements}.
	// +optional
	ReplicaResource *Script `json:"replicaResource,omitempty"`

	// ComponentResource answers InterpretComponent: the replicas and needs of
	// each component. Lua: GetComponents(obj). CEL: a list.
	// +optional
	ComponentResource *Script `json:"componentResource,omitempty"`

	// ReplicaRevision answers ReviseReplica: the object with another number of
	// replicas. Lua: ReviseReplica(obj, replicas), and as a third parameter the division
	// of the replicas among clusters. CEL: a merge patch.
	// +optional
	ReplicaRevision *Script `json:"replicaRevision,omitempty"`

	// StatusReflection answers InterpretStatus: what to keep of the member's
	// status. Lua: ReflectStatus(obj). CEL: a map.
	// +optional
	StatusReflection *Script `json:"statusReflection,omitempty"`

	// StatusAggregation answers AggregateStatus: one status out of those of all
	// clusters. Lua: AggregateStatus(obj, items) returns the object. CEL: the new
	// status.
	// +optional
	StatusAggregation *Script `json:"statusAggregation,omitempty"`

	// HealthInterpretation answers InterpretHealth. Lua: InterpretHealth(obj)
	// returns a boolean. CEL: a bool.
	// +optional
	HealthInterpretation *Script `json:"healthInterpretation,omitempty"`

	// DependencyInterpretation answers InterpretDependency: what the object
	// needs beside it. Lua: GetDependencies(obj). CEL: a list of references.
	// +optional
	DependencyInterpretation *Script `json:"dependencyInterpretation,omitempty"`

	// StateInterpretation answers InterpretState: what must survive a move to
	// another cluster. Lua: GetState(obj) returns a table of strings. CEL: a map.
	// This operation is Dragoman's own.
	// +optional
	StateInterpretation *Script `json:"stateInterpretation,omitempty"`

	// StateRestoration answers RestoreState: the object for the next cluster,
	// with that state in it. Lua: RestoreState(desired, state). CEL: a merge
	// patch. This operation is Dragoman's own.
	// +optional
	StateRestoration *Script `json:"stateRestoration,omitempty"`

	// TemplatePruning answers PruneTemplate: the template without what the API
	// server of the control plane filled in, and without what makes sense in one
	// cluster only. Lua: PruneTemplate(template) returns the object. CEL: a merge
	// patch, or a list of paths to remove. This operation is Dragoman's own.
	// +optional
	TemplatePruning *Script `json:"templatePruning,omitempty"`

	// FinishedInterpretation answers InterpretFinished: whether the object has
	// reached a state after which its controller does nothing more with it. Lua:
	// IsFinished(obj) returns a boolean; nil is false. CEL: a bool. This operation
	// is Dragoman's own.
	// +optional
	FinishedInterpretation *Script `json:"finishedInterpretation,omitempty"`
}

// Script is one rule, in one of two languages.
//
// +kubebuilder:validation:XValidation:rule="(has(self.luaScript) && self.luaScript.size() > 0) != (has(self.celExpression) && self.celExpression.size() > 0)",message="give exactly one of luaScript and celExpression, and not an empty one; remove the whole field to leave the operation to the next source"
type Script struct {
	// LuaScript is a Lua 5.1 chunk that defines the operation's function.
	// +optional
	LuaScript string `json:"luaScript,omitempty"`

	// CELExpression is a CEL expression over the operation's parameters. This
	// form is Dragoman's own.
	// +optional
	CELExpression string `json:"celExpression,omitempty"`
}

// ResourceInterpreterCustomizationStatus is what became of the scripts. It is
// Dragoman's own; Karmada publishes no status.
type ResourceInterpreterCustomizationStatus struct {
	// ObservedGeneration is the metadata.generation that the conditions are
	// about; -1 before there are any.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// ContentHash identifies the scripts that are active; empty when none are.
	// +optional
	ContentHash string `json:"contentHash,omitempty"`

	// Conditions has Active, and Ready, which is the same.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
