// SPDX-License-Identifier: Apache-2.0

// Package scope distinguishes the namespaced and the cluster-wide kind of bindings, of propagation
// policies and of override policies: what each is called, and which label, finalizer and producer
// it has. All else treats the two alike. It takes values and returns values.
package scope
