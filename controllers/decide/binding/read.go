// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"strings"

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
		w := &works[i]
		if w.DeletionTimestamp != nil {
			continue
		}
		for _, item := range Aggregate([]workv1alpha1.Work{*w}, nil) {
			stored := itemOn(status, item.ClusterName)
			switch {
			case !isHealthy(&item), stored != nil && isHealthy(stored) && HasReport(b, w):
			case stored != nil:
				*stored, read = item, true
			default:
				status.AggregatedStatus, read = append(status.AggregatedStatus, item), true
			}
		}
	}
	slices.SortFunc(status.AggregatedStatus, func(a, b workv1alpha2.AggregatedStatusItem) int { return strings.Compare(a.ClusterName, b.ClusterName) })
	return read
}
