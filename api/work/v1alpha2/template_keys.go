// SPDX-License-Identifier: Apache-2.0

package v1alpha2

const (
	// TemplateFingerprintAnnotation stands on a binding: the hash of the template's content that
	// it was made from, so that a status write on the template does not change the binding.
	TemplateFingerprintAnnotation = "propagation.dragoman.io/template-fingerprint"
	// DeferredPolicyAnnotation stands on a binding whose policy has lazy activation and differs
	// from what the binding has: the generation of the policy that waits for the next change
	// of the template.
	DeferredPolicyAnnotation = "propagation.dragoman.io/deferred-policy-generation"
	// PreemptionPolicyAnnotation stands on a binding whose PriorityClass has a preemptionPolicy
	// that is not the default: the policy.
	PreemptionPolicyAnnotation = "scheduling.dragoman.io/preemption-policy"
	// NamespaceAnnotation stands on a Work that creates a namespace in a cluster for what is
	// propagated there; its value is the name of the namespace.
	NamespaceAnnotation = "propagation.dragoman.io/namespace"
)
