// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	corev1 "k8s.io/api/core/v1"
)

// ReplicaRequirements are what one replica needs.
type ReplicaRequirements struct {
	// NodeClaim is what the node must be like; nil means any node.
	// +optional
	NodeClaim *NodeClaim `json:"nodeClaim,omitempty"`

	// ResourceRequest are the requests of one replica; empty means none.
	// +optional
	ResourceRequest corev1.ResourceList `json:"resourceRequest,omitempty"`

	// Namespace is the namespace whose quota counts on the member; empty means
	// that quota is not asked for.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// PriorityClassName is the priority class of the pods, which may choose
	// their quota; empty means none.
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`
}

// ComponentReplicaRequirements are what one replica of a component needs.
type ComponentReplicaRequirements struct {
	// NodeClaim is what the node must be like; nil means any node.
	// +optional
	NodeClaim *NodeClaim `json:"nodeClaim,omitempty"`

	// ResourceRequest are the requests of one replica; empty means none.
	// +optional
	ResourceRequest corev1.ResourceList `json:"resourceRequest,omitempty"`

	// PriorityClassName is the priority class of the pods; empty means none.
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`
}

// NodeClaim is what a node must be like to take a replica.
type NodeClaim struct {
	// HardNodeAffinity is the pods' required node affinity; nil means none.
	// +optional
	HardNodeAffinity *corev1.NodeSelector `json:"hardNodeAffinity,omitempty"`

	// NodeSelector are labels that the node must have.
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Tolerations are the node taints that the pods tolerate.
	// +optional
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}

// Component is one part of an object with several pod templates.
type Component struct {
	// Name is the component's name, unique within the object.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Replicas is the number of replicas of this component; 0 is allowed.
	// +required
	Replicas int32 `json:"replicas"`

	// ReplicaRequirements are what one replica needs; nil means that nothing is
	// known.
	// +optional
	ReplicaRequirements *ComponentReplicaRequirements `json:"replicaRequirements,omitempty"`
}
