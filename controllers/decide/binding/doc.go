// SPDX-License-Identifier: Apache-2.0

// Package binding holds what a ResourceBinding and a ClusterResourceBinding mean: which
// clusters should have a copy of the object, which copies are removed, how an eviction
// begins and ends, and which state is carried over. All controllers use it; no other
// package reads a GracefulEvictionTask.
//
// Its functions take values and return values. They know no client, no cache and no
// clock, and change nothing but the spec or binding that is passed for it.
//
// In reading order:
//
//	copies.go     the clusters that should have a copy: CopiesOf, Targets
//	plan.go       which Works go and which are rendered: PlanWorks
//	aggregate.go  what the Works report: Aggregate, Settled
//	bound.go      how much of it is kept: Bound
//	fully.go      whether it is all that should be: FullyApplied
//	ready.go      all conditions in one: Ready
//	unhealthy.go  which clusters have been unhealthy for too long: FindUnhealthy
//	since.go      since when, kept as an annotation
//	untolerated.go  which clusters have a taint that is not tolerated: FindUntolerated
//	evict.go      how an eviction begins: Evict, Release
//	assess.go     how it ends: Assess
//	hold.go       and how not while the old copy is there: Hold
//	untainted.go  how it is taken back once a taint is gone: RevertTainted
//	state.go      the state that a cluster is left with: ExtractState, CarriedState
//	kept.go       the state that a copy does not report any more: Keep, NewestState
//	preserved.go  what of it a failover would lose: SetStatePreserved
//	restore.go    the state that a new cluster gets: StateFor
package binding
