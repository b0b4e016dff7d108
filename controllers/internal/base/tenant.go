// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// TenantsOfWorks returns whose a Work is, by its key: the namespace of its binding in the execution
// namespace of a cluster.
func TenantsOfWorks(ctx context.Context, c cache.Cache) (func(reconcile.Request) string, error) {
	read, err := worksIn(ctx, c)
	return func(r reconcile.Request) string {
		if work := read(r.NamespacedName); work != nil {
			if binding, ok := index.BindingOf(work); ok {
				return r.Namespace + "/" + binding.Namespace
			}
		}
		return r.Namespace
	}, err
}

// worksIn returns a function that returns a Work of the cache, nil if it is not there. It is not
// copied, since it may have a megabyte; a cache of some namespaces alone returns copies.
func worksIn(ctx context.Context, c cache.Cache) (func(types.NamespacedName) client.Object, error) {
	i, err := c.GetInformer(ctx, &workv1alpha1.Work{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	shared, ok := i.(toolscache.SharedIndexInformer)
	if !ok {
		return func(key types.NamespacedName) client.Object {
			work := &workv1alpha1.Work{}
			if err := c.Get(ctx, key, work); err != nil {
				return nil
			}
			return work
		}, nil
	}
	store := shared.GetStore()
	return func(key types.NamespacedName) client.Object {
		found, exists, err := store.GetByKey(toolscache.NewObjectName(key.Namespace, key.Name).String())
		if work, ok := found.(client.Object); ok && exists && err == nil {
			return work
		}
		return nil
	}, nil
}
