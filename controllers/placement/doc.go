// SPDX-License-Identifier: Apache-2.0

// Package placement decides where a binding goes. In go the binding's spec and status,
// all clusters and what they can still take; out come the target clusters with their
// replicas, or an error with the reasons why there are none.
//
// Needed decides first whether a binding is placed at all (needed.go). A decision takes
// these steps, a file each:
//
//	filter    which clusters may have it (filter.go, affinity.go, taints.go)
//	measure   how much more fits on each, only where that matters (capacity.go, demand.go)
//	spread    how many of them to take, and which first (spread.go)
//	assign    how many replicas each gets (assign.go, divide.go, components.go)
//
// The package knows no client, no cache and no clock, and it writes nothing: the same
// input returns the same answer, whatever the order of the clusters. A result is stable:
// written into spec.clusters, it is the result of the next decision too. The rules are
// those of Karmada's scheduler, v1.19; intended differences are noted in comments.
package placement
