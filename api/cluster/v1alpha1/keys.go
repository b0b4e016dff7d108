// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Taints that the control plane puts on clusters, both with the effect
// NoSchedule.
const (
	// TaintClusterNotReady stands while the condition Ready is False or absent.
	TaintClusterNotReady = "cluster.karmada.io/not-ready"
	// TaintClusterUnreachable stands while the condition Ready is Unknown.
	TaintClusterUnreachable = "cluster.karmada.io/unreachable"
)

// Condition types of a cluster. Others may be added from outside.
const (
	// ClusterConditionReady reports whether the member's API server is reachable and
	// well.
	ClusterConditionReady = "Ready"
	// ClusterConditionCompleteAPIEnablements reports whether apiEnablements is the
	// whole list.
	ClusterConditionCompleteAPIEnablements = "CompleteAPIEnablements"
	// ClusterConditionEvictionsStopped is True while objects wait to leave the cluster
	// because of a taint, and the control plane evicts nothing. It is Dragoman's own,
	// and absent otherwise.
	ClusterConditionEvictionsStopped = "EvictionsStopped"
	// ClusterConditionIDConflict is True while the id of the member is not the recorded
	// one, or is that of another Cluster. Its reasons are below. It is Dragoman's own, and
	// absent otherwise.
	ClusterConditionIDConflict = "IDConflict"
	// ClusterConditionOwnerConflict is True while another control plane of the same owner
	// writes to the member, and Unknown while it is not known whether one does. Its reasons
	// are below. It is Dragoman's own, and absent otherwise.
	ClusterConditionOwnerConflict = "OwnerConflict"
	// ClusterConditionPermissionsComplete is False while the credentials of the member do not
	// allow to read its nodes or pods, and is not there otherwise. It is Dragoman's own.
	ClusterConditionPermissionsComplete = "PermissionsComplete"
)

// Reasons of the condition OwnerConflict.
const (
	// ReasonOtherControlPlane is that of a Cluster whose Lease of this owner is renewed by
	// another control plane. Nothing is written to it.
	ReasonOtherControlPlane = "OtherControlPlane"
	// ReasonAwaitingLease is that of a Cluster whose Lease of this owner is of a manager that
	// may live. Nothing is written to it until that is known.
	ReasonAwaitingLease = "AwaitingLease"
	// ReasonLeaseUnavailable is that of a Cluster in which no Lease can be read or written.
	// Another control plane would not be noticed there.
	ReasonLeaseUnavailable = "LeaseUnavailable"
)

// ElectionRenewedAnnotation is on the Lease of a control plane in a member: when the holder had
// last renewed its lease in its own control plane, in RFC 3339 with microseconds, by its own
// clock. It is absent where the holder was not elected.
const ElectionRenewedAnnotation = "cluster.dragoman.io/election-renewed"

// FormerTermsAnnotation is on the lease of the election in the control plane: the leaders before
// its holder, newest first, as a JSON list of objects. Each has the name of its holder (empty if it
// gave the lease up), and when its term was acquired and last renewed, by its own clock.
const FormerTermsAnnotation = "cluster.dragoman.io/former-terms"

// Reasons of the condition IDConflict.
const (
	// ReasonOtherCluster is that of a Cluster behind whose name another cluster is than the
	// recorded one. Nothing is written to it.
	ReasonOtherCluster = "OtherCluster"
	// ReasonSameCluster is that of the younger of two Clusters that are one cluster. It gets
	// no new objects.
	ReasonSameCluster = "SameCluster"
)

// Keys in the Secrets that a Cluster names.
const (
	// SecretTokenKey holds a bearer token.
	SecretTokenKey = "token"
	// SecretCADataKey holds the certificates, in PEM, that the member's API
	// server is checked with.
	SecretCADataKey = "caBundle"
)

// ClusterFinalizer holds a Cluster until its execution namespace is gone and no
// binding names it.
const ClusterFinalizer = "karmada.io/cluster-controller"

// ClusterNameMaxLength is the longest name of a Cluster in characters, which
// leaves 15 of the 63 of a namespace for the prefix of execution namespaces.
const ClusterNameMaxLength = 48

// ReasonNoAgent goes with Ready=Unknown: the cluster has the mode Pull, and no agent has reported.
const ReasonNoAgent = "NoAgent"

// ReasonForbidden goes with PermissionsComplete=False.
const ReasonForbidden = "Forbidden"
