// SPDX-License-Identifier: Apache-2.0

package schedule

// AssumedFor is how long an assumption lasts at most.
const AssumedFor = assumedFor

// Held returns how many assumptions there are of a cluster.
func Held(a *Assumptions, cluster string) int { return len(a.clusters[cluster].all) }
