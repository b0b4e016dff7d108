// SPDX-License-Identifier: Apache-2.0

package cases

import (
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Division reads how replicas are divided from a document: cluster, and shares, a list of
// name and replicas in the order in which ties are resolved; and fixed, such a list of the shares
// as they were when each copy was created, if they are others.
func Division(n yamldoc.Node) (engine.Division, error) {
	var (
		d              engine.Division
		targets, fixed []workv1alpha2.TargetCluster
	)
	err := n.Fields(yamldoc.Fields{
		"cluster": yamldoc.String(&d.Cluster),
		"shares": func(n yamldoc.Node) error {
			return n.Items(func(n yamldoc.Node) error { return readShare(n, &targets) })
		},
		"fixed": func(n yamldoc.Node) error {
			return n.Items(func(n yamldoc.Node) error { return readShare(n, &fixed) })
		},
	}, "cluster", "shares")
	d.Shares, d.Fixed = engine.Shares(targets), engine.Shares(fixed)
	return d, err
}

// readShare reads the share of one cluster.
func readShare(n yamldoc.Node, into *[]workv1alpha2.TargetCluster) error {
	var (
		t        workv1alpha2.TargetCluster
		replicas int64
	)
	err := n.Fields(yamldoc.Fields{"name": yamldoc.String(&t.Name), "replicas": yamldoc.Int(&replicas)}, "name", "replicas")
	if err == nil && (replicas < 0 || int64(int32(replicas)) != replicas) {
		return n.Get("replicas").Errorf("want a number of replicas")
	}
	t.Replicas = int32(replicas)
	*into = append(*into, t)
	return err
}

// readDivision reads the division of a request.
func readDivision(n yamldoc.Node, into *engine.Division) (err error) {
	*into, err = Division(n)
	return err
}
