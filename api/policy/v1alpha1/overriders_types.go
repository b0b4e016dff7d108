// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Overriders are changes to one object. They are applied in the order image,
// command, args, labels, annotations, field, plaintext, whatever the order in
// the YAML; within one of them in list order.
type Overriders struct {
	// Plaintext changes any field of the object by an RFC 6902 patch.
	// +optional
	// +kubebuilder:validation:MaxItems=512
	Plaintext []PlaintextOverrider `json:"plaintext,omitempty"`

	// ImageOverrider changes container images.
	// +optional
	// +kubebuilder:validation:MaxItems=128
	ImageOverrider []ImageOverrider `json:"imageOverrider,omitempty"`

	// CommandOverrider changes container commands.
	// +optional
	CommandOverrider []CommandArgsOverrider `json:"commandOverrider,omitempty"`

	// ArgsOverrider changes container arguments.
	// +optional
	ArgsOverrider []CommandArgsOverrider `json:"argsOverrider,omitempty"`

	// LabelsOverrider changes the object's labels.
	// +optional
	LabelsOverrider []LabelAnnotationOverrider `json:"labelsOverrider,omitempty"`

	// AnnotationsOverrider changes the object's annotations.
	// +optional
	AnnotationsOverrider []LabelAnnotationOverrider `json:"annotationsOverrider,omitempty"`

	// FieldOverrider changes JSON or YAML documents that stand as text in a
	// field, for example a file in a ConfigMap.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	FieldOverrider []FieldOverrider `json:"fieldOverrider,omitempty"`
}

// OverriderOperator is what an overrider does.
type OverriderOperator string

const (
	// OverriderOpAdd adds; what it means for a value that exists depends on the
	// overrider.
	OverriderOpAdd OverriderOperator = "add"
	// OverriderOpRemove removes.
	OverriderOpRemove OverriderOperator = "remove"
	// OverriderOpReplace sets a value that exists.
	OverriderOpReplace OverriderOperator = "replace"
)

// PlaintextOverrider is one RFC 6902 operation on the whole object. All of one
// rule succeed together or fail together.
type PlaintextOverrider struct {
	// Path is the RFC 6901 pointer of the field, from the root of the object.
	// +required
	// +kubebuilder:validation:Pattern=`^([^~]|~[01])*$`
	// +kubebuilder:validation:XValidation:rule="self == '' || self.startsWith('/')",message="must be a JSON pointer: /part/part, with ~1 for a slash and ~0 for a tilde inside a part"
	Path string `json:"path"`

	// Operator is what to do there.
	// +required
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value is any JSON value. Absent and null both mean null; remove ignores
	// it.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Value apiextensionsv1.JSON `json:"value,omitempty,omitzero"`
}

// ImageOverrider changes one part of images. An image is
// [registry/]repository[:tag|@digest].
type ImageOverrider struct {
	// Predicate finds the image. Nil means the image of every container (not of
	// init containers) of a Pod, ReplicaSet, Deployment, DaemonSet, StatefulSet
	// or Job; other kinds need it.
	// +optional
	Predicate *ImagePredicate `json:"predicate,omitempty"`

	// Component is the part to change.
	// +required
	// +kubebuilder:validation:Enum=Registry;Repository;Tag
	Component ImageComponent `json:"component"`

	// Operator is what to do with it: add appends the value to the part's text,
	// replace sets it, remove clears it.
	// +required
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value is the text; remove ignores it. For a tag it is a tag or a digest.
	// +optional
	Value string `json:"value,omitempty"`
}

// ImagePredicate finds one image.
type ImagePredicate struct {
	// Path is the RFC 6901 pointer of the field that holds the image.
	// +required
	// +kubebuilder:validation:Pattern=`^([^~]|~[01])*$`
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must be a JSON pointer below the root, such as /data/config.yaml, with ~1 for a slash and ~0 for a tilde inside a part"
	Path string `json:"path"`
}

// ImageComponent is a part of an image.
type ImageComponent string

const (
	// Registry is what stands before the first slash, if it looks like a host.
	Registry ImageComponent = "Registry"
	// Repository is the name of the image.
	Repository ImageComponent = "Repository"
	// Tag is the tag, or the digest where there is no tag.
	Tag ImageComponent = "Tag"
)

// CommandArgsOverrider changes the command or the arguments of one container.
type CommandArgsOverrider struct {
	// ContainerName is the name of the container.
	// +required
	ContainerName string `json:"containerName"`

	// Operator is what to do: add appends the values, remove drops every item
	// that equals one of them.
	// +required
	// +kubebuilder:validation:Enum=add;remove
	Operator OverriderOperator `json:"operator"`

	// Value are the items.
	// +optional
	Value []string `json:"value,omitempty"`
}

// LabelAnnotationOverrider changes labels or annotations.
type LabelAnnotationOverrider struct {
	// Operator is what to do: add sets each key, replace sets only keys that
	// exist, remove drops keys and ignores their values.
	// +required
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value are the keys and values.
	// +required
	Value map[string]string `json:"value"`
}

// FieldOverrider changes a document that stands as text in one field. Exactly
// one of json and yaml is not empty.
//
// +kubebuilder:validation:XValidation:rule="(has(self.json) && self.json.size() > 0) || (has(self.yaml) && self.yaml.size() > 0)",reason="FieldValueRequired",message="give operations under json or under yaml, as the text in the field is"
// +kubebuilder:validation:XValidation:rule="!has(self.json) || self.json.size() == 0 || !has(self.yaml) || self.yaml.size() == 0",fieldPath=".yaml",reason="FieldValueForbidden",message="the text in the field is JSON or YAML, not both; keep one of json and yaml"
type FieldOverrider struct {
	// FieldPath is the RFC 6901 pointer of the field, from the root of the
	// object. The field must be a string.
	// +required
	// +kubebuilder:validation:Pattern=`^([^~]|~[01])*$`
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must be a JSON pointer below the root, such as /data/config.yaml, with ~1 for a slash and ~0 for a tilde inside a part"
	FieldPath string `json:"fieldPath"`

	// JSON are operations on a JSON document. They succeed together or fail
	// together.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	JSON []JSONPatchOperation `json:"json,omitempty"`

	// YAML are operations on a YAML document. They succeed together or fail
	// together.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	YAML []YAMLPatchOperation `json:"yaml,omitempty"`
}

// JSONPatchOperation changes one place of a JSON document.
type JSONPatchOperation struct {
	// SubPath is the RFC 6901 pointer of the place, from the root of the
	// document; empty means the whole document.
	// +required
	// +kubebuilder:validation:Pattern=`^([^~]|~[01])*$`
	// +kubebuilder:validation:XValidation:rule="self == '' || self.startsWith('/')",message="must be a JSON pointer: /part/part, with ~1 for a slash and ~0 for a tilde inside a part"
	SubPath string `json:"subPath"`

	// Operator is what to do there.
	// +required
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value is any JSON value: required for add and replace, refused for remove.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Value apiextensionsv1.JSON `json:"value,omitempty,omitzero"`
}

// YAMLPatchOperation changes one place of a YAML document.
type YAMLPatchOperation struct {
	// SubPath is the RFC 6901 pointer of the place, from the root of the
	// document; empty means the whole document.
	// +required
	// +kubebuilder:validation:Pattern=`^([^~]|~[01])*$`
	// +kubebuilder:validation:XValidation:rule="self == '' || self.startsWith('/')",message="must be a JSON pointer: /part/part, with ~1 for a slash and ~0 for a tilde inside a part"
	SubPath string `json:"subPath"`

	// Operator is what to do there.
	// +required
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value is any JSON value: required for add and replace, refused for remove.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Value apiextensionsv1.JSON `json:"value,omitempty,omitzero"`
}
