// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	toolscache "k8s.io/client-go/tools/cache"
)

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// AwaitNamespace has the Work announced when its namespace appears in the cluster. While
// any Work waits for one, the metadata of all namespaces is watched.
func (m *Member) AwaitNamespace(work types.NamespacedName, namespace string) {
	m.kinds.drop(work)
	m.namespaces.add(work, namespace)
}

// AwaitKind has the Work announced when a kind of this group may be served. While any Work
// waits for one, the metadata of all CRDs is watched.
func (m *Member) AwaitKind(work types.NamespacedName, group string) {
	m.namespaces.drop(work)
	m.kinds.add(work, group)
}

// StopAwaiting ends the waiting of a Work.
func (m *Member) StopAwaiting(work types.NamespacedName) {
	m.namespaces.drop(work)
	m.kinds.drop(work)
}

// awaited are Works that wait for an object. It watches the metadata of the objects of one
// resource while there are any. A Work that was announced goes on waiting, so that the
// watch does not begin again and announce it for an object of no use to it.
type awaited struct {
	ctx      context.Context //nolint:containedctx // the life of the connection
	client   metadata.Interface
	resource schema.GroupVersionResource
	arrived  func(types.NamespacedName)

	mu sync.Mutex
	// works holds for each Work the name that it waits for.
	works map[types.NamespacedName]string
	stop  context.CancelFunc
}

func newAwaited(ctx context.Context, c metadata.Interface, r schema.GroupVersionResource, arrived func(types.NamespacedName)) *awaited {
	return &awaited{ctx: ctx, client: c, resource: r, arrived: arrived, works: map[types.NamespacedName]string{}}
}

func (a *awaited) add(work types.NamespacedName, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.works[work] = name
	if a.stop != nil {
		return
	}
	ctx, stop := context.WithCancel(a.ctx)
	a.stop = stop
	informer := metadatainformer.NewFilteredMetadataInformer(a.client, a.resource, metav1.NamespaceAll, 0, nil, nil).Informer()
	_, _ = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{ // fails only for one that has stopped
		AddFunc:    a.announce,
		UpdateFunc: func(_, o any) { a.announce(o) },
	})
	go informer.RunWithContext(ctx)
}

func (a *awaited) drop(work types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.works, work)
	if len(a.works) == 0 && a.stop != nil {
		a.stop()
		a.stop = nil
	}
}

// announce announces the Works that wait for an object. One that is being deleted helps
// none.
func (a *awaited) announce(o any) {
	object, ok := o.(*metav1.PartialObjectMetadata)
	if !ok || object.DeletionTimestamp != nil {
		return
	}
	name := object.Name
	if a.resource == definitions {
		_, name, _ = strings.Cut(name, ".") // that of a CRD ends in its group
	}
	for _, work := range a.waitingFor(name) {
		a.arrived(work)
	}
}

func (a *awaited) waitingFor(name string) []types.NamespacedName {
	a.mu.Lock()
	defer a.mu.Unlock()
	var works []types.NamespacedName
	for work, awaited := range a.works {
		if awaited == name {
			works = append(works, work)
		}
	}
	return works
}
