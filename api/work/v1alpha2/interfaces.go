// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Binding is a ResourceBinding or a ClusterResourceBinding. Logic that is the
// same for both takes this interface; an empty GetNamespace means the
// cluster-wide kind.
//
// +kubebuilder:object:generate=false
type Binding interface {
	metav1.Object
	runtime.Object
	// GetSpec returns the binding's own spec, never nil and not a copy.
	GetSpec() *ResourceBindingSpec
	// GetStatus returns the binding's own status, never nil and not a copy.
	GetStatus() *ResourceBindingStatus
}

var _, _ Binding = &ResourceBinding{}, &ClusterResourceBinding{}

// GetSpec returns the binding's own spec, not a copy.
func (b *ResourceBinding) GetSpec() *ResourceBindingSpec { return &b.Spec }

// GetStatus returns the binding's own status, not a copy.
func (b *ResourceBinding) GetStatus() *ResourceBindingStatus { return &b.Status }

// GetSpec returns the binding's own spec, not a copy.
func (b *ClusterResourceBinding) GetSpec() *ResourceBindingSpec { return &b.Spec }

// GetStatus returns the binding's own status, not a copy.
func (b *ClusterResourceBinding) GetStatus() *ResourceBindingStatus { return &b.Status }
