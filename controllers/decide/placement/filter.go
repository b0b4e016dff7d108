// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"fmt"
	"slices"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// Reasons that a cluster is rejected for. Those with an argument are formatted where they
// are used.
const (
	reasonTerminating = "cluster(s) were being deleted"
	reasonAffinity    = "cluster(s) did not match the placement cluster affinity constraint"
	reasonTogether    = "cluster(s) did not have the other workloads of the affinity group"
	reasonApart       = "cluster(s) had a workload of the anti-affinity group"
	reasonEviction    = "cluster(s) is in the process of eviction"
	reasonID          = "cluster(s) had an id that is not the recorded one, or is that of another Cluster"
	reasonOwner       = "cluster(s) were written to by another control plane of the same owner"
	reasonAPI         = "cluster(s) did not have the API resource"
)

// filter returns the clusters of the group that may have the object, in the order
// of the input. It fails with a *FitError when there are none.
//
// Karmada's order of the filters is random, so that its text changes from one
// run to the next; here a cluster's reason is the first of this fixed order.
func (r *request) filter(g group) ([]candidate, error) {
	tiers, err := g.compile()
	if err != nil {
		return nil, err
	}
	feasible := make([]candidate, 0, len(r.clusters))
	reasons := map[string]string{}
	for _, c := range r.clusters {
		tier := tierOf(c, tiers)
		if reason := r.reject(c, tier); reason != "" {
			reasons[c.Name] = reason
			continue
		}
		assigned, target := r.targets[c.Name]
		one := candidate{cluster: c, target: target, assigned: assigned, tier: tier}
		if r.rules != nil {
			one.score = r.rules.Score(c)
		}
		feasible = append(feasible, one)
	}
	if len(feasible) == 0 {
		return nil, &FitError{Reasons: reasons}
	}
	return feasible, nil
}

// tierOf returns the first tier that a cluster matches, or -1.
func tierOf(c *clusterv1alpha1.Cluster, tiers []selector.Affinity) int {
	return slices.IndexFunc(tiers, func(a selector.Affinity) bool { return a.Matches(c) })
}

// conflictOf returns why a cluster gets nothing new by what it is, or "" if it may.
func conflictOf(c *clusterv1alpha1.Cluster) string {
	switch {
	case c.IDConflict() != "":
		return reasonID
	case c.OwnerConflict():
		return reasonOwner
	}
	return ""
}

// reject returns why the cluster may not have the object, or "" if it may. A tier below 0
// means that no affinity matches. A missing API, a conflict of ids or owners, new taints and rules do not
// evict an object that is there already: discovery may have failed for a moment, and NoSchedule
// taints and rules are for new objects. Whether the cluster is Ready shows in its taints.
func (r *request) reject(c *clusterv1alpha1.Cluster, tier int) string {
	_, target := r.targets[c.Name]
	switch {
	case !c.DeletionTimestamp.IsZero():
		return reasonTerminating
	case tier < 0:
		return reasonAffinity
	case r.excluded[c.Name]:
		return reasonEviction
	case !target && conflictOf(c) != "":
		return conflictOf(c)
	case !target && !r.serves(c):
		return reasonAPI
	}
	if !target || r.fresh {
		if reason := r.peers.reject(c.Name); reason != "" {
			return reason
		}
	}
	if reason := r.rejectTaints(c, target); reason != "" {
		return reason
	}
	if r.rules != nil && (!target || r.fresh) {
		return r.rules.Reject(c)
	}
	return ""
}

// rejectTaints returns why the cluster may not have the object by its taints, or by what it
// lacks to spread over, or "" if it may. A taint that the cluster was written without counts
// until its status has it no more: otherwise copies would return until it is back.
func (r *request) rejectTaints(c *clusterv1alpha1.Cluster, target bool) string {
	if !target {
		taints := binding.StandingTaints(c)
		if taint := selector.Untolerated(taints, r.placement.ClusterTolerations); taint != nil {
			return fmt.Sprintf("cluster(s) had untolerated taint {%s: %s}", taint.Key, taint.Value)
		}
		if !r.now.IsZero() {
			if taint := binding.Overdue(r.spec, taints, r.now); taint != nil {
				return fmt.Sprintf("cluster(s) had taint {%s: %s} for longer than it is tolerated", taint.Key, taint.Value)
			}
		}
	}
	return missingProperty(c, r.placement.SpreadConstraints)
}

// serves reports whether the cluster is known to serve the object's kind. Clusters mostly list the same APIs in the same
// order, so that it is looked for first where the last one had it.
func (r *request) serves(c *clusterv1alpha1.Cluster) bool {
	ref, apis := &r.spec.Resource, c.Status.APIEnablements
	if r.api < len(apis) && apis[r.api].GroupVersion == ref.APIVersion {
		if kinds := apis[r.api].Resources; r.kind < len(kinds) && kinds[r.kind].Kind == ref.Kind {
			return true
		}
	}
	api, kind, ok := find(c, ref)
	if ok {
		r.api, r.kind = api, kind
	}
	return ok
}

// find returns where a cluster lists a kind among its APIs.
func find(c *clusterv1alpha1.Cluster, ref *workv1alpha2.ObjectReference) (api, kind int, ok bool) {
	for i := range c.Status.APIEnablements {
		listed := &c.Status.APIEnablements[i]
		if listed.GroupVersion != ref.APIVersion {
			continue
		}
		for j := range listed.Resources {
			if listed.Resources[j].Kind == ref.Kind {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// missingProperty returns the first property that a spread constraint groups by and the
// cluster does not have, or "" if it has all.
func missingProperty(c *clusterv1alpha1.Cluster, constraints []policyv1alpha1.SpreadConstraint) string {
	for i := range constraints {
		s := &constraints[i]
		if _, ok := c.Labels[s.SpreadByLabel]; s.SpreadByLabel != "" && !ok {
			return fmt.Sprintf("cluster(s) did not have label %s", s.SpreadByLabel)
		}
		switch s.SpreadByField {
		case policyv1alpha1.SpreadByFieldProvider:
			if c.Spec.Provider == "" {
				return "cluster(s) did not have provider property"
			}
		case policyv1alpha1.SpreadByFieldRegion:
			if c.Spec.Region == "" {
				return "cluster(s) did not have region property"
			}
		case policyv1alpha1.SpreadByFieldZone:
			if len(c.Spec.Zones) == 0 {
				return "cluster(s) did not have zones property"
			}
		}
	}
	return ""
}
