// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"slices"

	"github.com/dragoman-io/dragoman/api/division"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// assign returns how many replicas each chosen cluster gets, without those that would get
// none. An object without replicas, for example a ConfigMap, a FlinkDeployment or a
// Deployment that is scaled to zero, goes to every chosen cluster. (Karmada takes the latter off all
// clusters, unless it runs with
// --enable-empty-workload-propagation.)
//
// It fails with an *UnschedulableError if the replicas are divided by capacity and do not
// all fit; they are never placed in part.
func (r *request) assign(chosen []candidate) ([]workv1alpha2.TargetCluster, error) {
	switch {
	case !hasReplicas(r.spec):
		return everywhere(chosen, 0), nil
	case r.strategy == duplicated:
		return everywhere(chosen, r.spec.Replicas), nil
	case r.strategy == static:
		return r.assignByWeight(chosen)
	}
	return r.assignByCapacity(chosen)
}

func everywhere(chosen []candidate, replicas int32) []workv1alpha2.TargetCluster {
	out := make([]workv1alpha2.TargetCluster, len(chosen))
	for i := range chosen {
		out[i] = workv1alpha2.TargetCluster{Name: chosen[i].cluster.Name, Replicas: replicas}
	}
	return out
}

// assignByWeight divides by the weights of the policy. The present replicas do not
// matter. A cluster's weight is the largest of the items that match it; a cluster without
// one gets nothing, but when no cluster has one all weigh the same.
func (r *request) assignByWeight(chosen []candidate) ([]workv1alpha2.TargetCluster, error) {
	shares := newShares(chosen)
	if w := r.placement.ReplicaScheduling.WeightPreference; w != nil {
		for i := range w.StaticWeightList {
			item := &w.StaticWeightList[i]
			affinity, err := selector.NewAffinity(&item.TargetCluster)
			if err != nil {
				return nil, err
			}
			for j := range shares {
				if affinity.Matches(shares[j].cluster) {
					shares[j].Weight = max(shares[j].Weight, item.Weight)
				}
			}
		}
	}
	if !slices.ContainsFunc(shares, func(s share) bool { return s.Weight > 0 }) {
		for i := range shares {
			shares[i].Weight = 1
		}
	}
	division.Divide(int64(r.spec.Replicas), r.parties(shares))
	return targets(shares), nil
}

// assignByCapacity divides by how much fits, and moves as few replicas as possible:
//
//   - fresh: all replicas, weighed by what fits with the present ones gone;
//   - as many as wanted are placed: they stay;
//   - too many: what is wanted, weighed by what is placed;
//   - too few: those that are missing, weighed by what still fits; the present
//     ones stay, and aggregated replicas join them first.
func (r *request) assignByCapacity(chosen []candidate) ([]workv1alpha2.TargetCluster, error) {
	shares := newShares(chosen)
	wanted, assigned := int64(r.spec.Replicas), int64(0)
	for i := range shares {
		assigned += int64(shares[i].assigned)
	}
	for i := range shares {
		s := &shares[i]
		switch {
		case r.fresh:
			s.Weight = s.available()
		case assigned > wanted:
			s.Weight = int64(s.assigned)
		default:
			s.Weight, s.stays, s.joins = s.free, int64(s.assigned), s.assigned > 0
		}
	}
	if !r.fresh && assigned <= wanted {
		wanted -= assigned
	}
	if fits := total(shares); fits < wanted {
		return nil, unschedulable("Clusters available replicas %d are not enough to schedule.", fits)
	}
	r.fillTiers(shares, wanted)
	return targets(shares), nil
}

// fillTiers divides replicas, which must fit, over the tiers: each is filled before the
// next gets any.
func (r *request) fillTiers(shares []share, replicas int64) {
	slices.SortFunc(shares, func(a, b share) int {
		return cmp.Or(
			cmp.Compare(a.tier, b.tier),
			trueFirst(a.joins, b.joins),
			cmp.Compare(b.score, a.score),
			cmp.Compare(b.Weight, a.Weight),
			cmp.Compare(a.Name, b.Name),
		)
	})
	for len(shares) > 0 && replicas > 0 {
		end := slices.IndexFunc(shares, func(s share) bool { return s.tier > shares[0].tier })
		if end < 0 {
			end = len(shares)
		}
		tier := shares[:end]
		part := min(replicas, total(tier))
		if r.strategy == aggregated {
			tier = fewest(tier, part)
		}
		division.Divide(part, r.parties(tier))
		shares, replicas = shares[end:], replicas-part
	}
}

// fewest returns the shortest prefix of the shares that has room for the replicas.
func fewest(shares []share, replicas int64) []share {
	held := int64(0)
	for i := range shares {
		if held += shares[i].Weight; held >= replicas {
			return shares[:i+1]
		}
	}
	return shares
}

// share is what one chosen cluster gets: the replicas that stay and the seats
// that a division adds.
type share struct {
	candidate
	division.Party
	stays int64
	joins bool // aggregated replicas go here first
}

func newShares(chosen []candidate) []share {
	shares := make([]share, len(chosen))
	for i, c := range chosen {
		shares[i] = share{candidate: c, Party: division.Party{Name: c.cluster.Name}}
	}
	return shares
}

// parties returns the shares in the order in which ties are resolved.
func (r *request) parties(shares []share) []*division.Party {
	out := make([]*division.Party, len(shares))
	for i := range shares {
		out[i] = &shares[i].Party
	}
	order := division.Order(r.spec.Resource.UID)
	slices.SortFunc(out, func(a, b *division.Party) int { return order(a.Name, b.Name) })
	return out
}

// total adds up the weights.
func total(shares []share) int64 {
	sum := int64(0)
	for i := range shares {
		sum += shares[i].Weight
	}
	return sum
}

// targets returns the clusters that get anything.
func targets(shares []share) []workv1alpha2.TargetCluster {
	out := make([]workv1alpha2.TargetCluster, 0, len(shares))
	for i := range shares {
		if n := shares[i].stays + shares[i].Seats; n > 0 {
			out = append(out, workv1alpha2.TargetCluster{Name: shares[i].Name, Replicas: int32(n)})
		}
	}
	return out
}
