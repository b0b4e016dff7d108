// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// written are the Works that reconciles of each binding wrote and that the next one has to
// find in the cache. It is safe for many goroutines; the zero value is empty.
type written struct {
	all memory.Of[types.NamespacedName, []types.NamespacedName]
}

func (w *written) add(binding types.NamespacedName, works ...types.NamespacedName) {
	w.all.Update(binding, func(all []types.NamespacedName, _ bool) ([]types.NamespacedName, bool) {
		return append(all, works...), true
	})
}

// take removes and returns the Works of a binding.
func (w *written) take(binding types.NamespacedName) []types.NamespacedName {
	works, _ := w.all.Forget(binding)
	return works
}

// works lists the Works of a binding, with what this controller wrote before; they must not
// be changed. It waits for these writes alone: to list through the client would wait for
// every write of a Work that is in progress, by all controllers. What those write enqueues
// the binding where it matters.
func (c *Controller[B]) works(ctx context.Context, binding types.NamespacedName) ([]workv1alpha1.Work, error) {
	own := c.written.take(binding)
	for i, key := range own {
		if err := c.Client.Get(ctx, key, &workv1alpha1.Work{}, client.UnsafeDisableDeepCopy); client.IgnoreNotFound(err) != nil {
			c.written.add(binding, own[i:]...)
			return nil, fmt.Errorf("read work %s: %w", key, err)
		}
	}
	return index.Works(ctx, base.Cached{Reader: c.Client}, binding)
}

// wrote records that a Work is about to be written, so that the next reconcile of its
// binding sees it.
func (c *Controller[B]) wrote(w *workv1alpha1.Work) {
	if b, named := index.BindingOf(w); named {
		c.written.add(b, client.ObjectKeyFromObject(w))
		c.Trail.Pass(requeue.AboutBinding(b), requeue.AboutWork(client.ObjectKeyFromObject(w)))
	}
}
