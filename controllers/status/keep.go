// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/status"
)

// takeOver has the copies whose health is about to be written over take over the state that
// they were made with, if they were healthy. Most often the eviction has ended that before;
// no manager may have run then. The binding has what was written.
func (c *Controller[B]) takeOver(ctx context.Context, b B, items []workv1alpha2.AggregatedStatusItem, works []workv1alpha1.Work) error {
	if !binding.MayTakeOver(b) {
		return nil
	}
	before := b.DeepCopyObject().(B)
	changed, err := status.TakeOver(b, items, works)
	if err != nil || !changed {
		return err
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return fmt.Errorf("write what the copies of binding %s took over: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("noted that copies took over the state that they were made with")
	return nil
}

// keep writes the annotation, before the status that the state is from is written over. It
// returns the binding as it is then; the new one gets the version that it has.
func (c *Controller[B]) keep(ctx context.Context, b, before B, k status.Kept) (B, error) {
	marked := before.DeepCopyObject().(B)
	annotations := map[string]string{}
	maps.Copy(annotations, before.GetAnnotations())
	if annotations[binding.KeptStateAnnotation] = k.Annotation; k.Annotation == "" {
		delete(annotations, binding.KeptStateAnnotation)
	}
	marked.SetAnnotations(annotations)
	if err := c.Patch(ctx, marked, before); err != nil {
		return before, fmt.Errorf("keep the state of binding %s: %w", b.GetName(), err)
	}
	c.pace.kept(b.GetUID(), c.Clock.Now())
	b.SetAnnotations(marked.GetAnnotations())
	b.SetResourceVersion(marked.GetResourceVersion())
	ctrl.LoggerFrom(ctx).Info("kept the state that is no longer reported")
	return marked, nil
}

// notifyState records an event about a binding whose state cannot be preserved for another
// reason than before.
func (c *Controller[B]) notifyState(b, before B) {
	was, is := meta.FindStatusCondition(before.GetStatus().Conditions, workv1alpha2.StatePreserved), meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.StatePreserved)
	if is == nil || was != nil && was.Message == is.Message {
		return
	}
	c.Warn(b, "StatePreservationIncomplete", "Failover", errors.New(is.Message))
}
