// SPDX-License-Identifier: Apache-2.0

// Package placement decides where a binding goes. In go the binding's spec and status,
// all clusters and what they can still take; out come the target clusters with their
// replicas, or an error with the reasons why there are none (errors.go).
//
// Needed decides first whether a binding is placed at all (needed.go). Select (select.go)
// tries the affinity groups of the placement in their order (group.go). For each it takes
// these steps:
//
//	filter    which clusters may have it (filter.go), beside which workloads (peers.go)
//	measure   how much more fits on each, only where that matters (capacity.go): what a
//	          replica takes (demand.go) of what a cluster has in sum, or on its nodes
//	          (modeled.go, sets.go)
//	spread    how many of them to take, and which first (spread.go), in how many regions
//	          or zones (grouping.go, spread_groups.go)
//	assign    how many replicas each gets (assign.go), by the strategy (strategy.go)
//
// Components that stay together go to one cluster; they are not spread and not assigned
// (components.go).
//
// Others ask parts of the decision:
//
//	Candidates, AwaitSummaries   whose room it will read, and whose is not known yet
//	                             (candidates.go, awaited.go)
//	Keys, Change                 which bindings a change of a cluster concerns (keys.go,
//	                             concern.go)
//	Fits, Rejected               whether a cluster would do, and why others would not
//	                             (fits.go, rejected.go)
//	Unmatched                    which targets match the placement no more (unmatched.go)
//	Shortage                     which other bindings have to make room (relieve.go)
//
// The package knows no client, no cache and no clock, and it writes nothing: the same
// input returns the same answer, whatever the order of the clusters. A result is stable:
// written into spec.clusters, it is the result of the next decision too. The rules are
// those of Karmada's scheduler, v1.19; intended differences are noted in comments.
package placement
