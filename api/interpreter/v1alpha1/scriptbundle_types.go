// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The conditions of a ScriptBundle beside ConditionActive, in the order in which a revision reaches
// them. Fetched and Verified are about what the source has, the others about status.wanted. One
// that is False has the reason as its message, with file and line; those after it are Unknown.
const (
	// ConditionFetched reports whether the source could be read. While it is False the revision
	// that was fetched before stays.
	ConditionFetched = "Fetched"
	// ConditionVerified reports whether one of the keys signed it, where there are keys, and whether
	// its files are those of a bundle.
	ConditionVerified = "Verified"
	// ConditionCompiled reports whether all scripts compile.
	ConditionCompiled = "Compiled"
	// ConditionChecked reports whether no other bundle answers the same, and its cases pass.
	ConditionChecked = "Checked"
	// ConditionSmokeTested reports whether each script ends on an empty object.
	ConditionSmokeTested = "SmokeTested"
	// ConditionShadowed reports whether the comparison of status.shadow is of status.wanted. It is
	// absent outside of the mode Shadow.
	ConditionShadowed = "Shadowed"
)

// The modes of a ScriptBundle.
const (
	// ModeActive has the scripts answer.
	ModeActive BundleMode = "Active"
	// ModeShadow has them evaluated beside those that answer.
	ModeShadow BundleMode = "Shadow"
)

// BundleMode is what a new revision of a bundle is used for.
//
// +kubebuilder:validation:Enum=Active;Shadow
type BundleMode string

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,categories={karmada-io},shortName=sb
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.active.version`
// +kubebuilder:printcolumn:name="Active",type=string,JSONPath=`.status.conditions[?(@.type=="Active")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Active")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a ScriptBundle has at most 63 characters"

// ScriptBundle is a bundle of scripts that the control plane fetches, verifies, tries by its own
// cases and activates. A revision that fails leaves the one before in place.
type ScriptBundle struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is where the bundle comes from and what it is used for.
	// +required
	Spec ScriptBundleSpec `json:"spec"`

	// Status is what became of it.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status ScriptBundleStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// ScriptBundleList is a list of ScriptBundles.
type ScriptBundleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ScriptBundle `json:"items"`
}

// ScriptBundleSpec is where a bundle comes from and what it is used for.
//
// +kubebuilder:validation:XValidation:rule="!has(self.revision) || self.mode == 'Active'",message="in the mode Shadow what was active stays active; leave out the revision"
// +kubebuilder:validation:XValidation:rule="!has(self.keys) || size(self.keys) == 0 || has(self.source.oci)",message="keys verify what a registry serves; a ConfigMap and files in place are trusted as far as who may write them is"
type ScriptBundleSpec struct {
	// Source is where the files of the bundle are.
	// +required
	Source BundleSource `json:"source"`

	// Keys are public keys, of which one must have signed the bundle. Without keys no signature is
	// looked at.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Keys []BundleKey `json:"keys,omitempty"`

	// Parameters are values of the parameters of the bundle, by their names; the others take their
	// defaults.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Parameters map[string]string `json:"parameters,omitempty"`

	// Mode is what a new revision is used for. With Active its scripts answer. With Shadow they are
	// evaluated for all objects of the control plane, beside the scripts that answer, and status.shadow
	// has what would change; the active revision stays active.
	// +optional
	// +kubebuilder:default=Active
	Mode BundleMode `json:"mode,omitempty"`

	// Revision keeps a revision of status.history active, whatever the source has; dragoman rollback
	// sets it, dragoman promote removes it.
	// +optional
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{64}$`
	Revision string `json:"revision,omitempty"`
}

// BundleSource is where the files of a bundle are: one of its fields.
//
// +kubebuilder:validation:XValidation:rule="[has(self.oci), has(self.configMap), has(self.inline)].filter(x, x).size() == 1",message="give one of oci, configMap and inline"
type BundleSource struct {
	// OCI is an artifact in a registry, as dragoman push writes it.
	// +optional
	OCI *OCISource `json:"oci,omitempty"`

	// ConfigMap is a ConfigMap of the control plane, as dragoman pack writes it: its keys are the
	// files of the bundle, with a dot in place of each slash.
	// +optional
	ConfigMap *ObjectName `json:"configMap,omitempty"`

	// Inline are the files themselves.
	// +optional
	Inline *InlineSource `json:"inline,omitempty"`
}

// OCISource is an artifact in a registry.
type OCISource struct {
	// Reference is REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@DIGEST. A tag is resolved again
	// at each interval.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reference string `json:"reference"`

	// Interval is how often the registry is asked what a tag names; at least 10s.
	// +optional
	// +kubebuilder:default="5m"
	Interval *metav1.Duration `json:"interval,omitempty"`

	// PlainHTTP means that the registry is asked without TLS.
	// +optional
	PlainHTTP bool `json:"plainHTTP,omitempty"`

	// Secret has what to log in with, and the certificate authority of the registry. One of type
	// kubernetes.io/dockerconfigjson has the former; the key ca.crt is the latter.
	// +optional
	Secret *ObjectName `json:"secret,omitempty"`
}

// InlineSource are the files of a bundle.
type InlineSource struct {
	// Files are the contents by path, such as bundle.yaml and FlinkDeployment/health.lua.
	// +required
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=1024
	Files map[string]string `json:"files"`
}

// ObjectName names an object with a namespace.
type ObjectName struct {
	// Namespace is that of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// Name is that of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// BundleKey is a public key.
type BundleKey struct {
	// Name is what the key is called in the status.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// PublicKey is the key in the form PEM, as dragoman sign --generate-key writes it.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	PublicKey string `json:"publicKey"`
}

// ScriptBundleStatus is what became of a bundle.
type ScriptBundleStatus struct {
	// ObservedGeneration is the generation that the conditions are about; -1 before there are any.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions are Fetched, Verified, Compiled, Checked, SmokeTested and Active, and Ready: all
	// of these are True.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Wanted is the revision that was fetched last, or the one of spec.revision.
	// +optional
	Wanted *BundleRevision `json:"wanted,omitempty"`

	// Active is the revision whose scripts answer. A control plane that starts takes it from its
	// own store, whether or not the source can be read.
	// +optional
	Active *BundleRevision `json:"active,omitempty"`

	// History are the revisions that were active, the newest first; the first is Active. Three are
	// kept.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	History []BundleRevision `json:"history,omitempty"`

	// Shadow is what the wanted revision would change, in the mode Shadow.
	// +optional
	Shadow *ShadowReport `json:"shadow,omitempty"`
}

// BundleRevision is one content of a bundle.
type BundleRevision struct {
	// Revision is a hash over the paths and the bytes of its files.
	Revision string `json:"revision"`

	// Version is that of its manifest.
	// +optional
	Version string `json:"version,omitempty"`

	// Digest is that of its artifact in a registry.
	// +optional
	Digest string `json:"digest,omitempty"`

	// SignedBy is the key that signed it, of spec.keys.
	// +optional
	SignedBy string `json:"signedBy,omitempty"`

	// Parameters are the values that it has, or had, beside the defaults.
	// +optional
	Parameters map[string]string `json:"parameters,omitempty"`

	// Since is when it was fetched, in Wanted, and when it became active, elsewhere.
	// +optional
	Since metav1.Time `json:"since,omitempty,omitzero"`
}

// ShadowReport is what a revision would change in the answers about all objects of the control
// plane.
type ShadowReport struct {
	// Revision is the one that was compared with what answers.
	Revision string `json:"revision"`

	// Time is when.
	Time metav1.Time `json:"time"`

	// Objects is how many objects were asked about.
	Objects int64 `json:"objects"`

	// Asked is how many questions at least one of the two revisions answered; same, changed, newErrors
	// and fixedErrors compare the answers.
	Asked int64 `json:"asked"`

	// Same is how many questions have the same answer.
	Same int64 `json:"same"`

	// Changed is how many questions have another answer.
	Changed int64 `json:"changed"`

	// NewErrors is how many questions were answered and are an error now.
	NewErrors int64 `json:"newErrors"`

	// FixedErrors is how many questions were an error and are answered now.
	FixedErrors int64 `json:"fixedErrors"`

	// GasBefore is the gas that all questions took by what is active.
	GasBefore int64 `json:"gasBefore"`

	// GasAfter is the gas that they took by the new revision.
	GasAfter int64 `json:"gasAfter"`

	// Effects say what the changed answers mean for workloads: for where their replicas go, and for
	// whether they count as healthy.
	// +optional
	// +listType=atomic
	Effects []string `json:"effects,omitempty"`

	// Changes are the answers that are not the same, grouped; at most 32 groups are kept.
	// +optional
	// +listType=atomic
	Changes []ShadowChange `json:"changes,omitempty"`
}

// ShadowChange is a difference that the answers about several objects have in common.
type ShadowChange struct {
	// Kind is that of the objects.
	Kind string `json:"kind"`

	// Operation is the interpreter operation whose answers differ.
	Operation string `json:"operation"`

	// What is changed, new error, fixed error, new answer or no answer.
	What string `json:"what"`

	// Count is how many objects it is true of.
	Count int64 `json:"count"`

	// Example is the difference of one of them: each path with the value before and after, or the
	// message of an error.
	// +optional
	Example string `json:"example,omitempty"`

	// Objects are some of them, as namespace/name, and @ with a cluster where it is the copy of one.
	// +optional
	// +listType=atomic
	Objects []string `json:"objects,omitempty"`
}
