// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"slices"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/eviction"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
)

// readAgain is the time between two looks at whether a binding has what an old copy reports:
// its event enqueues the binding too, which the eviction may not have renewed then.
const readAgain = 100 * time.Millisecond

// unread returns how long to wait before old copies go for new ones, since the state that these
// get is not that of their last reports yet; 0 is not at all. A copy may report more often than
// its binding is written, so that it waits no longer than patience.
func (c *Controller[B]) unread(ctx context.Context, b B, p *binding.Plan) time.Duration {
	key := client.ObjectKeyFromObject(b)
	if c.hasRead(b, p) {
		c.unreadSince.Release(key)
		return 0
	}
	left := c.unreadSince.Hold(key, patience, c.Clock.Now())
	if left <= 0 {
		ctrl.LoggerFrom(ctx).Info("gave up waiting until the last report of the old copies is stored", "waited", patience.String())
		return 0
	}
	return min(left, readAgain)
}

// hasRead reports whether the state that a binding carries over is that of what the old copies,
// which a plan replaces, report now.
func (c *Controller[B]) hasRead(b B, p *binding.Plan) bool {
	if !binding.WantsState(b) || !c.Gates.Enabled(features.StatefulFailoverInjection) {
		return true
	}
	if slices.ContainsFunc(p.Replace, func(w *workv1alpha1.Work) bool { return !binding.HasReport(b, w) }) {
		return false
	}
	var works []workv1alpha1.Work
	for _, w := range p.Existing {
		works = append(works, *w)
	}
	// The eviction writes what is renewed.
	renewed, _, _, err := eviction.Renew(b.DeepCopyObject().(workv1alpha2.Binding), works, func() bool { return preservation.NamesState(c.Deps, b) }, c.Clock.Now())
	return err == nil && !renewed
}

// replaceRead deletes old copies as they were looked at: one that has reported anything else
// since is a conflict, unless that took too long.
func (c *Controller[B]) replaceRead(ctx context.Context, b B, old []*workv1alpha1.Work) error {
	anyVersion := !binding.WantsState(b) || c.unreadSince.IsLate(client.ObjectKeyFromObject(b), patience, c.Clock.Now())
	for _, w := range old {
		as := client.Preconditions{UID: &w.UID, ResourceVersion: &w.ResourceVersion}
		if anyVersion {
			as.ResourceVersion = nil
		}
		if err := c.delete(ctx, w, as); err != nil {
			return err
		}
	}
	return nil
}
