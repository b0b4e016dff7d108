// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"fmt"
	"math"
)

// DefaultRate is how many evictions there are in a second by default, and DefaultUnhealthyShare the
// share of unhealthy clusters above which nothing is evicted: that of the nodes of a zone in
// Kubernetes' node lifecycle.
const (
	DefaultRate           = 0.5
	DefaultUnhealthyShare = 0.55
)

// validateRate returns an error for a rate that is none. The least is one in twelve days.
func validateRate(rate float64) error {
	if rate < 0 || rate > 0 && rate < 1e-6 || rate > 1e6 || math.IsNaN(rate) {
		return fmt.Errorf("--resource-eviction-rate is %v; use evictions a second, such as %v, or 0 for none", rate, DefaultRate)
	}
	return nil
}

// validateShare returns an error for a share that is none.
func validateShare(share float64) error {
	if share < 0 || share > 1 || math.IsNaN(share) {
		return fmt.Errorf("--unhealthy-cluster-threshold is %v; use a share of all clusters from 0 to 1, such as %v", share, DefaultUnhealthyShare)
	}
	return nil
}
