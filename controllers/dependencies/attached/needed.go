// SPDX-License-Identifier: Apache-2.0

package attached

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// needed decides which objects are worth a reconcile, so that the many that nothing
// depends on cost none.
type needed struct {
	cache crcache.Cache
	// listed are the informers of bindings.
	listed []crcache.Informer
}

func newNeeded(ctx context.Context, cache crcache.Cache) (*needed, error) {
	n := &needed{cache: cache}
	for _, b := range scope.Bindings() {
		informer, err := cache.GetInformer(ctx, b, crcache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("watch bindings: %w", err)
		}
		n.listed = append(n.listed, informer)
	}
	return n, nil
}

// may reports whether some binding may depend on an object, or has done so. Until all
// bindings were listed nobody knows, so it is true; a binding that comes later enqueues
// what it depends on. It does not block.
func (n *needed) may(ctx context.Context, k templates.Key) bool {
	for _, informer := range n.listed {
		if !informer.HasSynced() {
			return true
		}
	}
	may, err := index.MayBeNeeded(ctx, n.cache, k.GroupKind(), k.NamespacedName)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list what depends on an object", "dependency", k)
		return true
	}
	return may
}
