// SPDX-License-Identifier: Apache-2.0

package rulechange

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/engine"
)

// List returns the objects that the rules of a kind answer for.
type List[R comparable] func(context.Context, schema.GroupVersionKind) ([]R, error)

// Bindings lists the bindings of the templates of a kind.
func Bindings[B workv1alpha2.Binding](c client.Reader) List[reconcile.Request] {
	return func(ctx context.Context, kind schema.GroupVersionKind) ([]reconcile.Request, error) {
		keys, err := index.BindingsOfKind(ctx, c, kind)
		return index.BindingRequests[B](keys...), err
	}
}

// Works lists the Works with a manifest of a kind.
func Works(c client.Reader) List[reconcile.Request] {
	return func(ctx context.Context, kind schema.GroupVersionKind) ([]reconcile.Request, error) {
		keys, err := index.WorksOfKind(ctx, c, kind)
		return requeue.Requests(keys), err
	}
}

// Source returns a source that enqueues the objects of a kind when the rules for one
// of the operations change, at no more than requeue.Rate. Nil changes enqueue nothing.
// An operation that does not exist is an error at the start.
func Source[R comparable](changes *Changes, clk clock.PassiveClock, list List[R], operations ...engine.Op) source.TypedSource[R] {
	spread := &requeue.Spread[R]{Clock: clk}
	return source.TypedFunc[R](func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[R]) error {
		for _, o := range operations {
			if _, err := engine.Describe(o); err != nil {
				return err
			}
		}
		if changes == nil {
			return nil
		}
		changes.Listen(func(kind schema.GroupVersionKind, changed []engine.Op) {
			if !slices.ContainsFunc(operations, func(o engine.Op) bool { return slices.Contains(changed, o) }) {
				return
			}
			objects, err := list(ctx, kind)
			if err != nil {
				ctrl.LoggerFrom(ctx).Error(err, "could not list the objects whose rules changed", "kind", kind.String())
			}
			spread.Add(queue, objects)
		})
		return nil
	})
}
