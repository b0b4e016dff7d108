// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// summaryTime is how long after a cluster became ready its first resource summary is waited
// for. Its nodes and pods are read meanwhile, most often in a second.
const summaryTime = 10 * time.Second

// AwaitSummaries returns the clusters that may get replicas or components and whose first
// resource summary is about to come, sorted, and for how long to wait for these. Without a
// summary a cluster counts as one without room, and what is divided stays as it is.
//
// Nothing is waited for where the room does not matter, where the binding was scheduled
// before, or while it is being evicted. Nor is a cluster that has been ready for some time:
// its nodes cannot be read.
func AwaitSummaries(in Input, now time.Time) (clusters []string, wait time.Duration) {
	if !NeedsCapacity(in.Spec) || isScheduled(in.Status) || binding.IsEvicting(in.Spec) {
		return nil, 0
	}
	var r *request
	for _, c := range in.Clusters {
		left := summaryDue(c, now)
		if left <= 0 {
			continue
		}
		if r == nil {
			r = newRequest(in)
		}
		if r.acceptsInAny(r.groups(in.Status), c) {
			clusters, wait = append(clusters, c.Name), max(wait, left)
		}
	}
	slices.SortFunc(clusters, strings.Compare)
	return clusters, wait
}

// summaryDue returns how long the first resource summary of a cluster is waited for; 0 is not
// at all. A clock that is far ahead of this one has the wait end at once, not late.
func summaryDue(c *clusterv1alpha1.Cluster, now time.Time) time.Duration {
	ready := meta.FindStatusCondition(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	if c.Status.ResourceSummary != nil || ready == nil || ready.Status != metav1.ConditionTrue {
		return 0
	}
	left := summaryTime - now.Sub(ready.LastTransitionTime.Time)
	if left > 2*summaryTime {
		return 0
	}
	return left
}

// acceptsInAny reports whether a cluster passes the filters in one of some affinity groups.
func (r *request) acceptsInAny(groups []group, c *clusterv1alpha1.Cluster) bool {
	return slices.ContainsFunc(groups, func(g group) bool {
		tiers, err := g.compile()
		return err == nil && r.accepts(c, tiers)
	})
}
