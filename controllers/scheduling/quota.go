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
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
)

// place writes what was decided about a binding, if the quotas of its namespace allow that. If
// they do not, the Problem of the decision has why, and what is written is what moves without
// using more. It reports whether the targets changed.
func (c *Controller[B]) place(ctx context.Context, b B, d *schedule.Decision) (moved bool, err error) {
	if d.Problem != nil { // the status says it
		return false, c.release(ctx, b, d)
	}
	before := b.DeepCopyObject().(B)
	admission, err := c.admit(ctx, b, d.Clusters)
	var exceeded *quota.ExceededError
	switch {
	case errors.As(err, &exceeded):
		d.Undo()
		return c.placeWithin(ctx, b, before, d, exceeded)
	case err == nil:
		moved, err = c.writeTargets(ctx, b, before, d.Result)
		admission.Done(b, err)
	}
	if err != nil {
		d.Undo()
	}
	return moved, err
}

// placeWithin places a binding that a quota refused to place as it is wanted: what it has moves
// if it must, and uses no more than before.
func (c *Controller[B]) placeWithin(ctx context.Context, b, before B, d *schedule.Decision, exceeded *quota.ExceededError) (bool, error) {
	within, err := c.within(ctx, b, d.Result)
	if err != nil {
		return false, err
	}
	d.Problem, d.Undo = exceeded, within.Undo
	if within.Clusters == nil {
		return false, nil
	}
	moved, err := c.writeTargets(ctx, b, before, within.Result)
	if err != nil {
		within.Undo()
	}
	return moved, err
}

// within returns what may be written of a result without using more than was admitted: as many
// divided replicas as that is, placed by themselves, or copies without those in clusters that are
// gone, and with others for those that leave. It has no clusters if nothing has to be written.
func (c *Controller[B]) within(ctx context.Context, b B, wanted placement.Result) (schedule.Decision, error) {
	none := schedule.Decision{Undo: func() {}}
	if placement.Copies(b.GetSpec()) || len(b.GetSpec().Components) > 0 {
		clusters, err := c.clusters(ctx)
		if err != nil {
			return none, err
		}
		none.Result = placement.Result{AffinityName: wanted.AffinityName, Clusters: copiesWithin(b, wanted.Clusters, clusters)}
		return none, nil
	}
	counted := quota.DividedWithin(b)
	if counted == 0 {
		return none, nil
	}
	capped := b.DeepCopyObject().(B)
	capped.GetSpec().Replicas = counted
	d, err := c.assumed.Decide(capped, c.Clock.Now(), c.view(ctx))
	if err != nil || d.Problem != nil || d.Cause == placement.NotNeeded {
		return none, err
	}
	if len(quota.Growth(quota.Admitted(b), quota.Usage(with(capped, d.Clusters)))) > 0 {
		d.Undo()
		return none, nil
	}
	return d, nil
}

// with returns a binding as it is written with new targets.
func with[B workv1alpha2.Binding](b B, targets []workv1alpha2.TargetCluster) B {
	after := b.DeepCopyObject().(B)
	after.GetSpec().Clusters = targets
	quota.Record(after)
	return after
}

// copiesWithin returns the targets of a copied binding that was refused those that are wanted; nil
// if they stay as they are.
func copiesWithin[B workv1alpha2.Binding](b B, wanted []workv1alpha2.TargetCluster, clusters []*clusterv1alpha1.Cluster) []workv1alpha2.TargetCluster {
	kept := b.DeepCopyObject().(B)
	kept.GetSpec().Clusters = remaining(b.GetSpec().Clusters, wanted, clusters)
	targets := quota.CopiesWithin(kept, wanted)
	switch {
	case equality.Semantic.DeepEqual(targets, b.GetSpec().Clusters):
		return nil
	case targets == nil:
		return []workv1alpha2.TargetCluster{}
	}
	return targets
}

// remaining returns the targets without those that are not wanted and whose clusters are gone.
func remaining(targets, wanted []workv1alpha2.TargetCluster, clusters []*clusterv1alpha1.Cluster) []workv1alpha2.TargetCluster {
	return slices.DeleteFunc(slices.Clone(targets), func(t workv1alpha2.TargetCluster) bool {
		isWanted := slices.ContainsFunc(wanted, func(w workv1alpha2.TargetCluster) bool { return w.Name == t.Name })
		return !isWanted && !slices.ContainsFunc(clusters, func(c *clusterv1alpha1.Cluster) bool { return c.Name == t.Name && c.DeletionTimestamp.IsZero() })
	})
}

// admit asks the quotas to admit these targets of a binding.
func (c *Controller[B]) admit(ctx context.Context, b B, targets []workv1alpha2.TargetCluster) (*quotas.Reservation, error) {
	if c.Quotas == nil {
		return nil, nil
	}
	read := b.DeepCopyObject().(B) // b is written
	return c.Quotas.Admit(ctx, quotas.Request{
		Consumer: c.Name(), Binding: read, After: with(b, targets), Since: quotas.RefusedSince(meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.Scheduled)),
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
