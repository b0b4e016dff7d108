// SPDX-License-Identifier: Apache-2.0

package requeue

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
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/engine"
)

// Changes tells of the operations of a kind that other scripts answer than before.
type Changes interface {
	Listen(f func(kind schema.GroupVersionKind, operations []engine.Op))
}

// Bindings lists the bindings of the templates of a kind, for OnChange.
func Bindings[B workv1alpha2.Binding](c client.Reader) func(context.Context, schema.GroupVersionKind) ([]reconcile.Request, error) {
	return func(ctx context.Context, kind schema.GroupVersionKind) ([]reconcile.Request, error) {
		keys, err := index.BindingsOfKind(ctx, c, kind)
		return bindings.Requests[B](keys...), err
	}
}

// Works lists the Works with a manifest of a kind, for OnChange.
func Works(c client.Reader) func(context.Context, schema.GroupVersionKind) ([]reconcile.Request, error) {
	return func(ctx context.Context, kind schema.GroupVersionKind) ([]reconcile.Request, error) {
		keys, err := index.WorksOfKind(ctx, c, kind)
		return Requests(keys), err
	}
}

// OnChange returns a source that wakes the objects of a kind when other scripts answer
// one of the operations for it. list gives them by the kind that the scripts are for.
// They are woken at no more than Rate. Nil changes wake nothing. An operation that does
// not exist is an error at the start.
func OnChange[R comparable](changes Changes, list func(context.Context, schema.GroupVersionKind) ([]R, error), operations ...engine.Op) source.TypedSource[R] {
	spread := &Spread[R]{Clock: clock.RealClock{}}
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
				ctrl.LoggerFrom(ctx).Error(err, "list what other scripts answer for", "kind", kind.String())
			}
			spread.Add(queue, objects)
		})
		return nil
	})
}
