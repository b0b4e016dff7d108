// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"fmt"
	"slices"
	"strings"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Rejected returns why each cluster that is no target of the binding is none: cluster to
// reason, worded to follow "the cluster". Of several affinity groups a cluster has the
// reason of the one that it is in. The error is that of an invalid placement.
func Rejected(in Input) (map[string]string, error) {
	if in.Spec.Placement == nil {
		return nil, nil
	}
	r := newRequest(in)
	unfit := &FitError{Reasons: map[string]string{}}
	fits := map[string]bool{}
	for _, g := range r.groups(in.Status) {
		tiers, err := g.compile()
		if err != nil {
			return nil, err
		}
		reasons := map[string]string{}
		for _, c := range r.clusters {
			if reason := r.reject(c, tierOf(c, tiers)); reason != "" {
				reasons[c.Name] = reason
			} else {
				fits[c.Name] = true
			}
		}
		unfit.add(&FitError{Reasons: reasons})
	}
	rejected := map[string]string{}
	for cluster, reason := range unfit.Reasons {
		if !fits[cluster] && !r.isTarget(cluster) {
			reason = strings.TrimPrefix(reason, "cluster(s) ")
			rejected[cluster] = strings.Replace(reason, "were ", "was ", 1)
		}
	}
	result, err := Select(in)
	for cluster := range fits {
		if !r.isTarget(cluster) {
			rejected[cluster] = r.notChosen(cluster, result, err)
		}
	}
	return rejected, nil
}

// notChosen returns why a cluster that passes the filters is no target.
func (r *request) notChosen(cluster string, result Result, err error) string {
	for i := range result.Clusters {
		if result.Clusters[i].Name == cluster {
			return "fits, and the next decision takes it"
		}
	}
	if err == nil && r.strategy != static {
		constraints := r.placement.SpreadConstraints
		if slices.ContainsFunc(constraints, func(s policyv1alpha1.SpreadConstraint) bool { return !byCluster(s) }) {
			return "fits, and the spread constraints choose others"
		}
		if _, most := bounds(constraints, byCluster, len(result.Clusters)+1); most == len(result.Clusters) {
			return fmt.Sprintf("fits, and the spread constraint allows %d cluster(s), which others fill", most)
		}
	}
	room, known := r.capacity[cluster]
	switch {
	case known && room.Fits == 0 && room.Lacking != "":
		return fmt.Sprintf("fits, and has too little %s for one more", room.Lacking)
	case known && room.Fits == 0:
		return "fits, and has no room for one more"
	case err == nil && hasReplicas(r.spec):
		return "fits, and has no share in the division of the replicas"
	case err != nil:
		return "fits, and is not used: " + err.Error()
	}
	return "fits, and is not chosen"
}
