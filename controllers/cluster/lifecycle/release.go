// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// release removes a cluster that leaves from all bindings that name it: those that are
// scheduled, whose replicas go elsewhere, and those that are not scheduled any more,
// which would keep the cluster forever. It reports whether no binding named it.
func (c *Controller) release(ctx context.Context, cluster string) (bool, error) {
	keys, err := index.BindingsInCluster(ctx, c.Client, cluster)
	if err != nil {
		return false, fmt.Errorf("list the bindings of cluster %s: %w", cluster, err)
	}
	for _, key := range keys {
		if err := c.releaseOne(ctx, key, cluster); err != nil {
			return false, fmt.Errorf("take cluster %s from binding %s: %w", cluster, key, err)
		}
	}
	if len(keys) > 0 {
		ctrl.LoggerFrom(ctx).Info("took the leaving cluster from its bindings", "bindings", len(keys))
	}
	return len(keys) == 0, nil
}

func (c *Controller) releaseOne(ctx context.Context, key types.NamespacedName, cluster string) error {
	b := scope.EmptyBinding(key.Namespace, key.Name)
	if err := c.Client.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := b.DeepCopyObject().(client.Object)
	if err := binding.Release(b, cluster); err != nil {
		return err
	}
	return client.IgnoreNotFound(c.Patch(ctx, b, before))
}
