// SPDX-License-Identifier: Apache-2.0

package binding

import (
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// ReadHealthy reads into the status of a binding, in memory, what its Works report of healthy copies
// and the status does not have yet, and reports whether there was any. Whoever is about to evict a copy
// calls it first: a copy that was healthy has taken over the state that it was made with, and the time
// for which it is unhealthy begins anew. The status is written by its own controller, a little later.
func ReadHealthy(b workv1alpha2.Binding, works []workv1alpha1.Work) bool {
	status, read := b.GetStatus(), false
	for i := range works {
		for _, item := range Aggregate(works[i:i+1], nil) { // none of a Work that is being deleted
			stored := itemOn(status, item.ClusterName)
			switch {
			case !isHealthy(&item), stored != nil && isHealthy(stored) && HasReport(b, &works[i]):
				continue
			case stored != nil:
				*stored = item
			default:
				status.AggregatedStatus = append(status.AggregatedStatus, item)
				sortByCluster(status.AggregatedStatus)
			}
			read = true
		}
	}
	return read
}
