// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/placement"
	"github.com/dragoman-io/dragoman/controllers/quota"
)

// place writes what was decided about a binding, if the quotas of its namespace allow that. If
// they do not, the Problem of the decision has why, and what is written is what moves without
// using more. It reports whether the targets changed.
func (c *Controller[B]) place(ctx context.Context, b B, d *Decision) (moved bool, err error) {
	if d.Problem != nil { // the status says it
		return false, c.releaseGone(ctx, b)
	}
	before := b.DeepCopyObject().(B)
	admission, err := c.admit(ctx, b, d.Clusters)
	var exceeded *quota.ExceededError
	switch {
	case errors.As(err, &exceeded):
		d.undo()
		return c.placeWithin(ctx, b, before, d, exceeded)
	case err == nil:
		moved, err = c.writeTargets(ctx, b, before, d.Result)
		admission.Done(b, err)
	}
	if err != nil {
		d.undo()
	}
	return moved, err
}

// placeWithin places a binding that a quota refused to place as it is wanted: what it has moves
// if it must, and uses no more than before.
func (c *Controller[B]) placeWithin(ctx context.Context, b, before B, d *Decision, exceeded *quota.ExceededError) (bool, error) {
	within, err := c.within(ctx, b, d.Result)
	if err != nil {
		return false, err
	}
	d.Problem, d.undo = exceeded, within.undo
	if within.Clusters == nil {
		return false, nil
	}
	moved, err := c.writeTargets(ctx, b, before, within.Result)
	if err != nil {
		within.undo()
	}
	return moved, err
}

// within returns what may be written of a result without using more than the binding does: as
// many divided replicas as are counted now, placed by themselves, or copies without those in
// clusters that are gone. It has no clusters if nothing has to be written.
func (c *Controller[B]) within(ctx context.Context, b B, wanted placement.Result) (Decision, error) {
	none := Decision{undo: func() {}}
	spec := b.GetSpec()
	if placement.Copies(spec) || len(spec.Components) > 0 {
		clusters, err := c.clusters(ctx)
		if err != nil {
			return none, err
		}
		none.Result = placement.Result{AffinityName: wanted.AffinityName, Clusters: remaining(spec.Clusters, wanted.Clusters, clusters)}
		return none, nil
	}
	counted := quota.Replicas(spec)
	if counted == 0 {
		return none, nil
	}
	capped := b.DeepCopyObject().(B)
	capped.GetSpec().Replicas = int32(counted) //nolint:gosec // at most spec.replicas, or what is placed
	d, err := c.assumed.Decide(capped, c.Clock.Now(), c.view(ctx))
	if err != nil || d.Problem != nil || d.Cause == placement.NotNeeded {
		return none, err
	}
	after := capped.GetSpec()
	before := quota.Usage(spec)
	after.Clusters = d.Clusters
	if len(quota.Growth(before, quota.Usage(after))) > 0 {
		d.undo()
		return none, nil
	}
	return d, nil
}

// remaining returns the targets without those that are not wanted and whose clusters are gone;
// nil if all of them remain.
func remaining(targets, wanted []workv1alpha2.TargetCluster, clusters []*clusterv1alpha1.Cluster) []workv1alpha2.TargetCluster {
	kept := slices.DeleteFunc(slices.Clone(targets), func(t workv1alpha2.TargetCluster) bool {
		isWanted := slices.ContainsFunc(wanted, func(w workv1alpha2.TargetCluster) bool { return w.Name == t.Name })
		return !isWanted && !slices.ContainsFunc(clusters, func(c *clusterv1alpha1.Cluster) bool { return c.Name == t.Name && c.DeletionTimestamp.IsZero() })
	})
	if equality.Semantic.DeepEqual(kept, targets) {
		return nil
	}
	if kept == nil {
		kept = []workv1alpha2.TargetCluster{}
	}
	return kept
}

// admit asks the quotas to admit these targets of a binding.
func (c *Controller[B]) admit(ctx context.Context, b B, targets []workv1alpha2.TargetCluster) (*quotas.Reservation, error) {
	if c.Quotas == nil {
		return nil, nil
	}
	after := *b.GetSpec()
	after.Clusters = targets
	read := b.DeepCopyObject().(B) // b is written
	return c.Quotas.Admit(ctx, quotas.Request{
		Consumer: c.Name(), Binding: read, After: &after, Since: quotas.RefusedSince(meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.Scheduled)),
		Notify: func() { c.waiting.Notify(func(q queue) { enqueue(q, read) }) },
	})
}

// leave ends the wait of a binding for quotas.
func (c *Controller[B]) leave(b B) { c.Quotas.Leave(c.Name(), client.ObjectKeyFromObject(b)) }

// isExceeded reports whether a problem is that of a quota.
func isExceeded(problem error) bool {
	var exceeded *quota.ExceededError
	return errors.As(problem, &exceeded)
}
