// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Policy is a PropagationPolicy or a ClusterPropagationPolicy. Logic that is
// the same for both takes this interface; an empty GetNamespace means the
// cluster-wide kind.
//
// +kubebuilder:object:generate=false
type Policy interface {
	metav1.Object
	runtime.Object
	// GetSpec returns the policy's own spec, never nil and not a copy.
	GetSpec() *PropagationSpec
	// GetStatus returns the policy's own status, never nil and not a copy.
	GetStatus() *PropagationStatus
}

// Override is an OverridePolicy or a ClusterOverridePolicy. An empty
// GetNamespace means the cluster-wide kind.
//
// +kubebuilder:object:generate=false
type Override interface {
	metav1.Object
	runtime.Object
	// GetSpec returns the policy's own spec, never nil and not a copy.
	GetSpec() *OverrideSpec
}

var (
	_, _ Policy   = &PropagationPolicy{}, &ClusterPropagationPolicy{}
	_, _ Override = &OverridePolicy{}, &ClusterOverridePolicy{}
)

// GetSpec returns the policy's own spec, not a copy.
func (p *PropagationPolicy) GetSpec() *PropagationSpec { return &p.Spec }

// GetSpec returns the policy's own spec, not a copy.
func (p *ClusterPropagationPolicy) GetSpec() *PropagationSpec { return &p.Spec }

// GetStatus returns the policy's own status, not a copy.
func (p *PropagationPolicy) GetStatus() *PropagationStatus { return &p.Status }

// GetStatus returns the policy's own status, not a copy.
func (p *ClusterPropagationPolicy) GetStatus() *PropagationStatus { return &p.Status }

// GetSpec returns the policy's own spec, not a copy.
func (p *OverridePolicy) GetSpec() *OverrideSpec { return &p.Spec }

// GetSpec returns the policy's own spec, not a copy.
func (p *ClusterOverridePolicy) GetSpec() *OverrideSpec { return &p.Spec }
