// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kind Cluster of the group cluster.karmada.io: one
// member, how to reach it, what it offers and whether it is well.
//
// In go the Go types with their wire names; out come the CRD, deep copies, the
// defaults and validation. The field names are those that Karmada publishes,
// where an aggregated API server serves the kind; here it is a plain CRD.
//
// The package refuses to know how to connect: it holds names of Secrets, never
// a client.
//
// +kubebuilder:object:generate=true
// +groupName=cluster.karmada.io
package v1alpha1
