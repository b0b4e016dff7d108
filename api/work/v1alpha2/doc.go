// SPDX-License-Identifier: Apache-2.0

// Package v1alpha2 holds the bindings of the group work.karmada.io: for each
// propagated object one ResourceBinding (or ClusterResourceBinding, for an
// object without namespace) that holds what the object needs, where it is placed,
// what is leaving, and how it fares there.
//
// In go the Go types with their wire names; out come the CRDs, deep copies,
// validation, and the group's well-known keys. The field names are those that
// Karmada publishes, with one field of ours in GracefulEvictionTask.
//
// The package refuses to know how a placement is chosen or what any kind of
// object means: the controllers and the interpreter answer that.
//
// +kubebuilder:object:generate=true
// +groupName=work.karmada.io
package v1alpha2
