// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

// Objects lists and watches all objects of a kind in the cluster that have a label, those
// included that the control plane does not manage; "" is any label. It must end with the
// connection, see Context. The error is a NoMatch error where the cluster does not serve the
// kind. This may be a request.
func (m *Member) Objects(kind schema.GroupVersionKind, label string) (toolscache.ListerWatcherWithContext, error) {
	mapping, err := m.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("cluster %s does not serve %s: %w", m.Name, kind, err)
	}
	if err != nil {
		return nil, fmt.Errorf("ask cluster %s whether it serves %s: %w", m.Name, kind, err)
	}
	objects := m.watching.Resource(mapping.Resource)
	return &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = label
			return objects.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = label
			return objects.Watch(ctx, o)
		},
	}, nil
}

// AwaitServed has f called when a kind of a group may be served, until stop is called. While
// somebody waits, the metadata of all CRDs is watched. f must not block.
func (m *Member) AwaitServed(group string, f func()) (stop func()) {
	a := newAwaited(m.ctx, m.watchingMetadata, definitions, func(types.NamespacedName) { f() })
	a.add(types.NamespacedName{}, group)
	return func() { a.drop(types.NamespacedName{}) }
}
