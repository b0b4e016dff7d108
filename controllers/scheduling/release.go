// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"errors"
	"fmt"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
)

// release takes from the targets of a binding that is placed nowhere the clusters that have left,
// and those that it is withdrawn from.
func (c *Controller[B]) release(ctx context.Context, b B, d *schedule.Decision) error {
	clusters, err := c.clusters(ctx)
	if err != nil {
		return err
	}
	before := b.DeepCopyObject().(B)
	released, err := binding.ReleaseGone(b, clusters)
	if err != nil {
		return err
	}
	withdrawn := withdrawnFrom(placement.Input{Spec: b.GetSpec(), Status: b.GetStatus(), Clusters: clusters}, d)
	if !released && len(withdrawn) == 0 {
		return nil
	}
	if len(withdrawn) > 0 {
		binding.Withdraw(b, withdrawn)
		quota.Record(b)
	}
	left := describeLeft(placement.Input{Spec: before.GetSpec(), Status: before.GetStatus(), Clusters: clusters}, stays(b))
	if err := c.Patch(ctx, b, before); err != nil {
		return fmt.Errorf("take the clusters that have left or do not match from binding %s: %w", b.GetName(), err)
	}
	c.notifyLeft(b, left)
	if len(withdrawn) > 0 {
		ctrl.LoggerFrom(ctx).Info("withdrew the binding from clusters that no longer match", "clusters", strings.Join(withdrawn, ", "))
	}
	return nil
}

// withdrawnFrom returns the targets that a binding loses for which no cluster fits: those that were
// chosen by this very placement, and whose clusters do not match it any more. So it is the clusters
// that changed. Where the placement did, the targets stay until there are others.
func withdrawnFrom(in placement.Input, d *schedule.Decision) []string {
	if _, unfit := errors.AsType[*placement.FitError](d.Problem); !unfit || d.Cause == placement.PlacementChanged {
		return nil
	}
	return placement.Unmatched(in)
}
