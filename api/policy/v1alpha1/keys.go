// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Labels that tie a policy to the templates it has claimed and to the bindings
// made from them. The value is the policy's permanent ID, a UUID that stays the
// same when the policy is restored from a backup under a new metadata.uid.
const (
	// PropagationPolicyPermanentIDLabel stands on a PropagationPolicy and on
	// each template and binding that belongs to it.
	PropagationPolicyPermanentIDLabel = "propagationpolicy.karmada.io/permanent-id"
	// ClusterPropagationPolicyPermanentIDLabel is its twin for a
	// ClusterPropagationPolicy.
	ClusterPropagationPolicyPermanentIDLabel = "clusterpropagationpolicy.karmada.io/permanent-id"
)

// Annotations that name the claiming policy, on templates and bindings.
const (
	// PropagationPolicyNamespaceAnnotation holds the namespace of the claiming
	// PropagationPolicy.
	PropagationPolicyNamespaceAnnotation = "propagationpolicy.karmada.io/namespace"
	// PropagationPolicyNameAnnotation holds the name of the claiming
	// PropagationPolicy.
	PropagationPolicyNameAnnotation = "propagationpolicy.karmada.io/name"
	// ClusterPropagationPolicyNameAnnotation holds the name of the claiming
	// ClusterPropagationPolicy.
	ClusterPropagationPolicyNameAnnotation = "clusterpropagationpolicy.karmada.io/name"
)

// Annotations in which the control plane notes what it applied.
const (
	// AppliedPlacementAnnotation stands on a binding: the placement, as JSON,
	// that the last scheduling used.
	AppliedPlacementAnnotation = "policy.karmada.io/applied-placement"
	// AppliedOverridesAnnotation stands on a Work: the OverridePolicies that
	// changed its manifest, a JSON list of {policyName, overriders} sorted by
	// policyName.
	AppliedOverridesAnnotation = "policy.karmada.io/applied-overrides"
	// AppliedClusterOverridesAnnotation is its twin for
	// ClusterOverridePolicies.
	AppliedClusterOverridesAnnotation = "policy.karmada.io/applied-cluster-overrides"
)

// Labels that users set to change how their objects are treated.
const (
	// NamespaceSkipAutoPropagationLabel, with the value "true" in any case,
	// keeps a Namespace from being copied to every member.
	NamespaceSkipAutoPropagationLabel = "namespace.karmada.io/skip-auto-propagation"
	// RetainReplicasLabel, with the value "true", leaves the replica count of a
	// template to the member (an autoscaler there).
	RetainReplicasLabel = "resourcetemplate.karmada.io/retain-replicas"
	// ClaimedByLabel, when not empty, names a controller that owns the
	// template; no policy claims it then.
	ClaimedByLabel = "resourcetemplate.karmada.io/claimed-by"
	// DeletionProtectedLabel, with the value DeletionProtectedAlways, refuses
	// the deletion of any object that carries it.
	DeletionProtectedLabel = "resourcetemplate.karmada.io/deletion-protected"
	// DeletionProtectedAlways is the only value of DeletionProtectedLabel that
	// protects.
	DeletionProtectedAlways = "Always"
)

// Labels that tie a Work to the quota it was made from.
const (
	// FederatedResourceQuotaNamespaceLabel holds the quota's namespace.
	FederatedResourceQuotaNamespaceLabel = "federatedresourcequota.karmada.io/namespace"
	// FederatedResourceQuotaNameLabel holds the quota's name, which is why that
	// name has at most 63 characters.
	FederatedResourceQuotaNameLabel = "federatedresourcequota.karmada.io/name"
)

// Finalizers of policies.
const (
	// PropagationPolicyFinalizer holds a PropagationPolicy until its claims are
	// taken off.
	PropagationPolicyFinalizer = "karmada.io/propagation-policy-controller"
	// ClusterPropagationPolicyFinalizer is its twin for a
	// ClusterPropagationPolicy.
	ClusterPropagationPolicyFinalizer = "karmada.io/cluster-propagation-policy-controller"
)
