// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Division is how the replicas of an object are divided among clusters. The zero value
// means that they are not: each cluster gets all of them.
type Division struct {
	// Cluster is the one that an object is revised for.
	Cluster string
	// Shares are those of all clusters, as Shares makes them. They are not changed.
	Shares []any
	// Fixed are the shares as they were when each copy was created, for what cannot change in a
	// copy that exists; nil where that is not known. They are not changed.
	Fixed []any
}

// Shares returns the shares of clusters in the order in which ties are resolved, for a
// Division: a map for each, with name and replicas.
func Shares(targets []workv1alpha2.TargetCluster) []any {
	shares := make([]any, 0, len(targets))
	for i := range targets {
		shares = append(shares, map[string]any{"name": targets[i].Name, "replicas": int64(targets[i].Replicas)})
	}
	return shares
}

// argument returns the argument of a DivisionParam.
func (d Division) argument() any {
	if len(d.Shares) == 0 {
		return nil
	}
	all := map[string]any{"cluster": d.Cluster, "shares": d.Shares}
	if len(d.Fixed) > 0 {
		all["fixed"] = map[string]any{"cluster": d.Cluster, "shares": d.Fixed}
	}
	return all
}

// Argument returns the division as scripts see it; nil where there is none.
func (d Division) Argument() any { return d.argument() }

// check refuses shares that are no maps.
func (d Division) check() error {
	for k, share := range slices.Concat(d.Shares, d.Fixed) {
		if _, ok := share.(map[string]any); !ok {
			return script.Errorf(script.Internal, "shares[%d]: want a map, got a %s", k, script.TypeName(share))
		}
	}
	return nil
}
