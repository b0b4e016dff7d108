// SPDX-License-Identifier: Apache-2.0

package placement

import (
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Fits reports whether a cluster passes all filters for a binding, in the affinity group in
// force, as one in which the binding is not yet. How much room it has does not matter, and
// whether the binding is being evicted from it. A nil cluster does not, and none does for
// a binding without a placement.
func Fits(spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus, c *clusterv1alpha1.Cluster) bool {
	if spec.Placement == nil || c == nil {
		return false
	}
	r := newRequest(Input{Spec: spec, Status: status, Excluded: map[string]bool{}})
	groups := r.groups(status)
	if len(groups) == 0 {
		return false
	}
	tiers, err := groups[0].compile()
	return err == nil && r.accepts(c, tiers)
}
