// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kind ResourceInterpreterCustomization of the group
// config.karmada.io: scripts, kept in the API, that answer the interpreter's
// questions about one kind of object.
//
// In go the Go types with their wire names; out come the CRD, deep copies and
// validation. The field names are those that Karmada publishes; ours are the
// CEL form of a script, the two operations on state, and the status.
//
// The package refuses to know either language: it never compiles a script.
//
// +kubebuilder:object:generate=true
// +groupName=config.karmada.io
package v1alpha1
