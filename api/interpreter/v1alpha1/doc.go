// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kinds of the group interpreter.dragoman.io, which the
// published control plane does not have: PlacementRule, the say of the operators of a
// control plane in where workloads go, and ScriptBundle, a bundle of scripts that the control
// plane fetches and activates.
//
// In go the Go types with their wire names; out come the CRD, deep copies and
// validation. The package never compiles an expression.
//
// +kubebuilder:object:generate=true
// +groupName=interpreter.dragoman.io
package v1alpha1
