// SPDX-License-Identifier: Apache-2.0

// Package member connects the control plane to its member clusters. In go Cluster
// objects and their credentials; out come clients, and events for the objects that
// the control plane manages there. It decides nothing.
package member

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Member is the connection to one cluster. It is safe for many goroutines.
type Member struct {
	// Name is the name of the Cluster object.
	Name string
	// Client reads and writes the cluster's API server directly.
	Client client.Client
	// Discovery asks the API server what it serves.
	Discovery discovery.DiscoveryInterface

	access  access
	config  *rest.Config
	watcher *http.Client // without a timeout
	mapper  meta.RESTMapper
	objects cache.Cache
	run     func(cache.Cache)
	stop    context.CancelFunc
	notify  func(Event)

	mu      sync.Mutex
	watched map[schema.GroupVersionKind]storeInformer
}

// storeInformer is an informer whose store can be read.
type storeInformer interface {
	cache.Informer
	GetStore() toolscache.Store
}

// Event is a change of a managed object in a member cluster.
type Event struct {
	// Work is the Work that the object was made from.
	Work types.NamespacedName
	// Cluster names the member.
	Cluster string
	// Old is nil for a new object, New is nil for a deleted one. Neither must be
	// changed.
	Old, New *unstructured.Unstructured
}

// open connects; no request is made yet. The connection outlasts ctx, and ends when stop
// is called. A request other than a watch may last as long as timeout. notify is called
// for each change of a managed object of a watched kind.
func open(ctx context.Context, name string, a access, timeout time.Duration, notify func(Event)) (*Member, error) {
	config, err := a.config()
	if err != nil {
		return nil, err
	}
	m := &Member{Name: name, access: a, config: config, notify: notify, watched: map[schema.GroupVersionKind]storeInformer{}}
	if m.watcher, err = rest.HTTPClientFor(config); err != nil {
		return nil, err
	}
	asker := &http.Client{Transport: m.watcher.Transport, Timeout: timeout}
	if m.mapper, err = apiutil.NewDynamicRESTMapper(config, asker); err != nil {
		return nil, err
	}
	if m.Client, err = client.New(config, client.Options{HTTPClient: asker, Mapper: m.mapper}); err != nil {
		return nil, err
	}
	if m.Discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config, asker); err != nil {
		return nil, err
	}
	ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	m.run = func(c cache.Cache) {
		go func() {
			_ = c.Start(ctx) // ends when all its watches have ended, but for their last bytes
			time.AfterFunc(time.Second, func() { utilnet.CloseIdleConnectionsFor(m.watcher.Transport) })
		}()
	}
	managed := labels.SelectorFromSet(labels.Set{workv1alpha2.ManagedLabel: workv1alpha2.ManagedLabelValue})
	m.objects, err = m.Watching(cache.Options{DefaultLabelSelector: managed, DefaultTransform: cache.TransformStripManagedFields()})
	if err != nil {
		m.stop()
		return nil, err
	}
	return m, nil
}

// Watching returns a cache that reads the cluster for as long as the connection lasts.
func (m *Member) Watching(options cache.Options) (cache.Cache, error) {
	options.HTTPClient, options.Mapper = m.watcher, m.mapper
	c, err := cache.New(m.config, options)
	if err != nil {
		return nil, err
	}
	m.run(c)
	return c, nil
}

// ErrNotSynced is the error of an object that has not been read, as long as not all of
// its kind have been; an event for it follows if it is there.
var ErrNotSynced = errors.New("the objects of this kind have not been read yet")

// Watch sends events for changes of the managed objects of a kind. It returns at once;
// the first call for a kind starts the watch.
//
// The error is a NoMatch error where the cluster does not serve the kind.
func (m *Member) Watch(ctx context.Context, kind schema.GroupVersionKind) error {
	m.mu.Lock()
	informer := m.watched[kind]
	m.mu.Unlock()
	if informer != nil {
		return nil
	}
	// This may be a request, so it is made before the lock.
	_, err := m.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("cluster %s does not serve %s: %w", m.Name, kind, err)
	}
	if err != nil {
		return fmt.Errorf("ask cluster %s whether it serves %s: %w", m.Name, kind, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watched[kind] != nil {
		return nil
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	watching, err := m.objects.GetInformer(ctx, object, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch %s in cluster %s: %w", kind, m.Name, err)
	}
	informer = watching.(storeInformer) // a cache of all namespaces has no other
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { m.send(nil, asObject(o)) },
		UpdateFunc: func(o, n any) { m.send(asObject(o), asObject(n)) },
		DeleteFunc: func(o any) { m.send(asObject(o), nil) },
	})
	if err != nil {
		return fmt.Errorf("watch %s in cluster %s: %w", kind, m.Name, err)
	}
	m.watched[kind] = informer
	return nil
}

// Get reads a managed object from the watch; the object must not be changed. The error is
// a NotFound error for an object that is not there or is not managed, and ErrNotSynced as
// long as that is not known; Watch must have been called for the kind.
//
// An object that there was an event for is found even before all of its kind have been
// read.
func (m *Member) Get(kind schema.GroupVersionKind, key types.NamespacedName) (*unstructured.Unstructured, error) {
	m.mu.Lock()
	informer := m.watched[kind]
	m.mu.Unlock()
	if informer == nil {
		return nil, ErrNotSynced
	}
	synced := informer.HasSynced() // read before the store: an object that arrives later is found all the same
	found, exists, err := informer.GetStore().GetByKey(toolscache.NewObjectName(key.Namespace, key.Name).String())
	switch object, _ := found.(*unstructured.Unstructured); {
	case err != nil:
		return nil, err
	case exists && object != nil:
		return object, nil
	case !synced:
		return nil, ErrNotSynced
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, key.Name)
}

// send notifies of a change, if the object was made from a Work of this cluster; what
// another control plane, or another name of the same cluster, put there is not ours.
func (m *Member) send(before, after *unstructured.Unstructured) {
	object := after
	if object == nil {
		object = before
	}
	if object == nil {
		return
	}
	annotations := object.GetAnnotations()
	work := types.NamespacedName{
		Namespace: annotations[workv1alpha2.WorkNamespaceAnnotation],
		Name:      annotations[workv1alpha2.WorkNameAnnotation],
	}
	if work.Namespace == names.ExecutionSpace(m.Name) && work.Name != "" {
		m.notify(Event{Work: work, Cluster: m.Name, Old: before, New: after})
	}
}

func asObject(o any) *unstructured.Unstructured {
	if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	object, _ := o.(*unstructured.Unstructured)
	return object
}
