// SPDX-License-Identifier: Apache-2.0

// Package estimator is the wire form of the accurate estimator, which stands beside a
// member cluster and answers how much of a workload still fits there.
//
// The services Estimator and its messages are those that Karmada publishes, so that each
// side works with the other's peer; BatchEstimator is Dragoman's own. The Go code is
// generated from the .proto files by make generate.
package estimator
