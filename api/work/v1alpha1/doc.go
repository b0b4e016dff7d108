// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kind Work of the group work.karmada.io: what one
// member shall hold of one object, kept in the execution namespace of that
// member.
//
// In go the Go types with their wire names; out come the CRD, deep copies and
// validation. The field names are those that Karmada publishes.
//
// The package refuses to know the kinds inside a Work: manifests are raw JSON.
// The group's well-known keys stand in work/v1alpha2.
//
// +kubebuilder:object:generate=true
// +groupName=work.karmada.io
package v1alpha1
