// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kinds of the group policy.karmada.io: what users
// write to say where their objects go, how they differ from cluster to
// cluster, what happens when a cluster or an application fails, and how much a
// namespace may use.
//
// In go the Go types with their wire names; out come the CRDs, deep copies,
// the defaults that a webhook would set, and validation that needs nothing but
// the object itself. The field names are those that Karmada publishes, so its
// YAML applies unchanged.
//
// The package refuses to know which cluster matches an affinity, what a policy
// selects, and everything else that needs a second object: that is the
// controllers' part.
//
// +kubebuilder:object:generate=true
// +groupName=policy.karmada.io
package v1alpha1
