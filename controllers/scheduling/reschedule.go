// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Reschedule places a binding as if its targets had fewer replicas by so many, by the name of the
// cluster: these go where there is room. It reports whether the binding has other targets then.
// Nothing is written unless all replicas have a place.
func (c *Controller[B]) Reschedule(ctx context.Context, b B, without map[string]int32) (moved bool, err error) {
	if !isOurs(b) {
		return false, nil
	}
	fewer := b.DeepCopyObject().(B)
	spec := fewer.GetSpec()
	spec.Clusters = lessen(spec.Clusters, without)
	d, err := c.assumed.Decide(fewer, c.Clock.Now(), c.view(ctx))
	if err != nil {
		return false, err
	}
	if !d.Moves(b.GetSpec().Clusters) {
		d.Undo()
		return false, nil
	}
	changed := b.DeepCopyObject().(B) // b may be the cache's
	moved, err = c.place(ctx, changed, &d)
	return moved && d.Problem == nil, err
}

// lessen returns targets with fewer replicas, without those that have none left.
func lessen(targets []workv1alpha2.TargetCluster, by map[string]int32) []workv1alpha2.TargetCluster {
	var left []workv1alpha2.TargetCluster
	for _, t := range targets {
		n := by[t.Name]
		if t.Replicas -= min(n, t.Replicas); n == 0 || t.Replicas > 0 {
			left = append(left, t)
		}
	}
	return left
}
