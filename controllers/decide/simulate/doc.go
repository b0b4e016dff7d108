// SPDX-License-Identifier: Apache-2.0

// Package simulate decides what bindings would do if clusters were lost or tainted: which
// would move where, with which state, and which would stay or wait, and why.
//
// In go the objects of a control plane as they are; out comes a Report. The decisions are
// those of the controllers, which it calls in their order, each with what the ones before
// it left. The package reads and writes no control plane, and changes nothing that it gets.
//
//	loss.go      the clusters as they would be: their readiness and taints
//	leaving.go   which bindings would leave which cluster, and when each has its turn
//	move.go      where it would go
//	simulate.go  all together
//	text.go      the report for people
package simulate
