// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// listRules lists the PlacementRules, which must not be changed.
func (c *Controller[B]) listRules(ctx context.Context) ([]*interpreterv1alpha1.PlacementRule, error) {
	return index.List[*interpreterv1alpha1.PlacementRule](ctx, base.Cached{Reader: c.Client}, &interpreterv1alpha1.PlacementRuleList{}, client.UnsafeDisableDeepCopy)
}

// rulesFor returns the rules for a binding; nil if there are none.
func (c *Controller[B]) rulesFor(ctx context.Context, b workv1alpha2.Binding) (placement.Rules, error) {
	all, err := c.listRules(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the placement rules: %w", err)
	}
	return c.rules.Begin(all, b, c.Clock.Now())
}

// hasRules reports whether there are PlacementRules with a filter.
func (c *Controller[B]) hasRules(ctx context.Context) bool {
	if c.rules == nil {
		return false
	}
	all, err := c.listRules(ctx)
	return err == nil && slices.ContainsFunc(all, func(r *interpreterv1alpha1.PlacementRule) bool { return r.Spec.ClusterFilter != "" })
}

// onRule enqueues the bindings that a change of a PlacementRule concerns. The rules of a start
// concern none: each binding is reconciled then.
func (c *Controller[B]) onRule() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList {
				c.wakeByRule(ctx, q, e.Object)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { c.wakeByRule(ctx, q, e.Object) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() {
				c.wakeByRule(ctx, q, e.ObjectOld, e.ObjectNew)
			}
		},
	}
}

// wakeByRule enqueues the bindings that one of the rules is for, and that may get other clusters by
// it: those that are not scheduled, and those that are copied.
func (c *Controller[B]) wakeByRule(ctx context.Context, q queue, rules ...client.Object) {
	all, err := index.ListBindings[B](ctx, base.Cached{Reader: c.Client})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not enqueue the bindings that a changed placement rule concerns")
		return
	}
	c.backlog(q, slices.DeleteFunc(all, func(b B) bool {
		ref := &b.GetSpec().Resource
		waits := !meta.IsStatusConditionTrue(b.GetStatus().Conditions, workv1alpha2.Scheduled)
		return !waits && (b.GetSpec().Placement == nil || !placement.Copies(b.GetSpec())) || !slices.ContainsFunc(rules, func(o client.Object) bool {
			return o.(*interpreterv1alpha1.PlacementRule).Spec.Selects(ref.APIVersion, ref.Kind, ref.Namespace)
		})
	}))
}
