// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kind WorkloadRebalancer of the group apps.karmada.io: what
// users write to have workloads placed again.
//
// In go the Go types with their wire names; out come the CRD, deep copies and validation.
// The field names are those that Karmada publishes, so its YAML applies unchanged.
//
// The package refuses to know bindings, and where a workload goes.
//
// +kubebuilder:object:generate=true
// +groupName=apps.karmada.io
package v1alpha1
