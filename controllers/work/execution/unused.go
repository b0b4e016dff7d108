// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// unused are the kinds whose Works ended, by cluster. It is safe for many goroutines; the
// zero value is ready.
type unused struct {
	mu    sync.Mutex
	kinds map[string]map[schema.GroupVersionKind]bool
}

// add records the kinds of a Work that ends.
func (u *unused) add(cluster string, w *workv1alpha1.Work) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.kinds == nil {
		u.kinds = map[string]map[schema.GroupVersionKind]bool{}
	}
	if u.kinds[cluster] == nil {
		u.kinds[cluster] = map[schema.GroupVersionKind]bool{}
	}
	for i := range w.Spec.Workload.Manifests {
		if object, err := decode(w, i); err == nil {
			u.kinds[cluster][object.GroupVersionKind()] = true
		}
	}
}

// take returns what was recorded, and forgets it.
func (u *unused) take() map[string]map[schema.GroupVersionKind]bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	kinds := u.kinds
	u.kinds = nil
	return kinds
}

// UnwatchPeriod is the time between two looks for watches that no Work needs. A kind whose
// last Work ended and whose next one comes within that time stays watched.
const UnwatchPeriod = time.Minute

// unwatchUnused ends the watches of kinds that have no Work any more, until ctx has ended.
func (c *Controller) unwatchUnused(ctx context.Context) error {
	ticker := time.NewTicker(UnwatchPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			c.Unwatch(ctx)
		}
	}
}

// Unwatch ends the watches of kinds whose last Work has ended.
func (c *Controller) Unwatch(ctx context.Context) {
	for cluster, kinds := range c.unused.take() {
		m, ok := c.Members.Get(cluster)
		if !ok {
			continue
		}
		for kind := range kinds {
			used, err := index.HasWorkOfKind(ctx, c.Client, cluster, kind)
			if err == nil && !used {
				err = m.Unwatch(ctx, kind)
			}
			if err != nil {
				ctrl.LoggerFrom(ctx).Error(err, "could not end the watch of a kind", "cluster", cluster, "kind", kind.String())
			}
		}
	}
}
