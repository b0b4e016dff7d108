// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DependentObjectReference names what an object depends on: one object by name,
// or all of a kind by label. At least one of name and labelSelector is given;
// name goes first.
type DependentObjectReference struct {
	// APIVersion is the group and version.
	// +required
	APIVersion string `json:"apiVersion"`

	// Kind is the kind.
	// +required
	Kind string `json:"kind"`

	// Namespace is empty for an object without namespace.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is the name; empty means that labelSelector selects.
	// +optional
	Name string `json:"name,omitempty"`

	// LabelSelector selects by labels. It is ignored when name is given.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}
