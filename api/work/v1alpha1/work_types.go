// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Condition types of a Work.
const (
	// WorkApplied reports whether all manifests are written to the member.
	WorkApplied = "Applied"
	// WorkDispatching reports whether the Work is being sent, or suspended.
	WorkDispatching = "Dispatching"
	// WorkProgressing is published; nothing sets it.
	WorkProgressing = "Progressing"
	// WorkAvailable is published; nothing sets it.
	WorkAvailable = "Available"
	// WorkDegraded is published; nothing sets it.
	WorkDegraded = "Degraded"
	// WorkCleanedUp is False while a Work that is being deleted cannot remove its objects from
	// the member; it is never True, since the Work goes then. It is Dragoman's own.
	WorkCleanedUp = "CleanedUp"
)

// Reasons of a Work's conditions.
const (
	// AppliedSuccessfulReason goes with Applied=True.
	AppliedSuccessfulReason = "AppliedSuccessful"
	// AppliedFailedReason goes with Applied=False.
	AppliedFailedReason = "AppliedFailed"
	// DispatchingReason goes with Dispatching=True.
	DispatchingReason = "Dispatching"
	// SuspendDispatchingReason goes with Dispatching=False.
	SuspendDispatchingReason = "SuspendDispatching"
	// CleanupFailedReason goes with CleanedUp=False: the member does not delete an object, and the
	// message has its answer.
	CleanupFailedReason = "CleanupFailed"
	// ObjectHeldReason goes with CleanedUp=False: an object is being deleted on the member and stays,
	// and the message has the finalizers.
	ObjectHeldReason = "ObjectHeld"
)

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:shortName=wk,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Workload-Kind",type=string,JSONPath=`.spec.workload.manifests[*].kind`
// +kubebuilder:printcolumn:name="Applied",type=string,JSONPath=`.status.conditions[?(@.type=="Applied")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// Work is what one member shall hold. Its namespace names the member.
type Work struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the member shall hold.
	Spec WorkSpec `json:"spec"`

	// Status is what it holds.
	// +optional
	Status WorkStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// WorkList is a list of Works.
type WorkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Work `json:"items"`
}

// WorkSpec is what the member shall hold.
type WorkSpec struct {
	// Workload holds the manifests.
	// +optional
	Workload WorkloadTemplate `json:"workload,omitempty,omitzero"`

	// SuspendDispatching stops writing to the member; its status is still
	// collected. Nil means false.
	// +optional
	SuspendDispatching *bool `json:"suspendDispatching,omitempty"`

	// PreserveResourcesOnDeletion keeps the objects on the member when the Work
	// is deleted. Nil means false.
	// +optional
	PreserveResourcesOnDeletion *bool `json:"preserveResourcesOnDeletion,omitempty"`
}

// WorkloadTemplate holds manifests.
type WorkloadTemplate struct {
	// Manifests are the objects, complete and without status. The control plane
	// writes exactly one.
	// +optional
	Manifests []Manifest `json:"manifests,omitempty"`
}

// Manifest is one object as JSON.
//
// +kubebuilder:pruning:PreserveUnknownFields
type Manifest struct {
	// +kubebuilder:pruning:PreserveUnknownFields
	runtime.RawExtension `json:",inline"`
}

// WorkStatus is what the member holds.
type WorkStatus struct {
	// Conditions are Applied and Dispatching.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// ManifestStatuses has one item for each manifest whose object was seen on
	// the member.
	// +optional
	ManifestStatuses []ManifestStatus `json:"manifestStatuses,omitempty"`

	// Finished lists the manifests whose object reached a terminal state on the
	// member, sorted by ordinal. An object that is removed there afterwards, by its
	// own controller or by a person, is not created again for the same version of
	// its template. This field is Dragoman's own.
	// +optional
	// +listType=map
	// +listMapKey=ordinal
	Finished []FinishedManifest `json:"finished,omitempty"`

	// Differences lists the manifests whose object is applied and differs from them all the
	// same, sorted by ordinal. This field is Dragoman's own.
	// +optional
	// +listType=map
	// +listMapKey=ordinal
	Differences []ManifestDifferences `json:"differences,omitempty"`
}

// ManifestDifferences are the differences between a manifest and its object on the member
// that are accepted: the member's API server fills in fields, its webhooks change some, and
// others are left to whoever sets them again each time.
type ManifestDifferences struct {
	// Ordinal is the index in spec.workload.manifests, from 0.
	// +required
	Ordinal int `json:"ordinal"`

	// Digest identifies the differences right after the last write. The object is written
	// again when there are others.
	// +optional
	Digest string `json:"digest,omitempty"`

	// LeftFields are the fields that another writer on the member set again each time that
	// they were written. They are left to it for as long as the manifest stays the same.
	// +optional
	// +listType=atomic
	LeftFields []LeftField `json:"leftFields,omitempty"`

	// Manifest identifies the manifest that the left fields are of.
	// +optional
	Manifest string `json:"manifest,omitempty"`
}

// LeftField is a field of an object that is left to another writer.
type LeftField struct {
	// Path is the path of the field, such as webhooks[name=a.example.io].clientConfig.caBundle.
	// +required
	Path string `json:"path"`

	// Manager is the field manager that sets it; empty where the API server names none.
	// +optional
	Manager string `json:"manager,omitempty"`
}

// FinishedManifest is a manifest whose object InterpretFinished reported to be in a
// terminal state.
type FinishedManifest struct {
	// Ordinal is the index in spec.workload.manifests, from 0.
	// +required
	Ordinal int `json:"ordinal"`

	// TemplateUID is the UID of the template that the object was made from, as its annotations
	// have it. Another template is run again.
	// +optional
	TemplateUID string `json:"templateUID,omitempty"`

	// TemplateGeneration is the generation of that template. Another one is run again.
	// +optional
	TemplateGeneration string `json:"templateGeneration,omitempty"`
}

// ManifestStatus is the status of one manifest's object.
type ManifestStatus struct {
	// Identifier names the manifest.
	// +required
	Identifier ResourceIdentifier `json:"identifier"`

	// Status is what InterpretStatus kept of the object's status: a JSON object.
	// Nil when it kept nothing.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Status *runtime.RawExtension `json:"status,omitempty"`

	// State is InterpretState's answer, of the object on the member and the objects
	// there that are related to it. It is reported where the policy asks for failover;
	// nil when there is none. This field is Dragoman's own.
	// +optional
	State map[string]string `json:"state,omitempty"`

	// Health is InterpretHealth's answer; Healthy when the kind has no rule.
	// +optional
	// +kubebuilder:validation:Enum=Healthy;Unhealthy;Unknown
	Health workv1alpha2.ResourceHealth `json:"health,omitempty"`

	// HealthReason is more of that answer about an object that is not healthy: Progressing,
	// Pending, or empty, as in the status of bindings. This field is Dragoman's own.
	// +optional
	// +kubebuilder:validation:Enum=Progressing;Pending
	HealthReason workv1alpha2.HealthReason `json:"healthReason,omitempty"`
}

// ResourceIdentifier names one manifest of a Work.
type ResourceIdentifier struct {
	// Ordinal is the index in spec.workload.manifests, from 0. It still serves
	// when the manifest could not be read.
	// +required
	Ordinal int `json:"ordinal"`

	// Group is the API group; empty for the core group.
	// +optional
	Group string `json:"group,omitempty"`

	// Version is the API version.
	// +required
	Version string `json:"version"`

	// Kind is the kind.
	// +required
	Kind string `json:"kind"`

	// Resource is the plural resource name. It must be present and is written as
	// the empty string.
	// +required
	Resource string `json:"resource"`

	// Namespace is empty for an object without namespace.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is the name.
	// +required
	Name string `json:"name"`
}
