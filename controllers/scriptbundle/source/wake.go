// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// waker enqueues ScriptBundles from outside of the queue of the controller. It is safe for many
// goroutines.
type waker struct {
	mu sync.Mutex
	// ctx ends with the controller; it and queue are nil before the controller starts.
	ctx   context.Context //nolint:containedctx // what runs beside the workers ends with the controller
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// source has the controller hand its queue over.
func (w *waker) source() source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ctx, w.queue = ctx, queue
		return nil
	})
}

// context returns what ends with the controller; nil before it starts.
func (w *waker) context() context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ctx
}

// wake enqueues a ScriptBundle.
func (w *waker) wake(bundle string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue != nil {
		w.queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: bundle}})
	}
}
